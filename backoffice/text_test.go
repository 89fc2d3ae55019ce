package backoffice_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"example.org/backoffice/backoffice"
	"pgregory.net/rapid"
)

// assigned is the end of the planes whose letters have cases, marks or decompositions.
const assigned = 0x30000

func TestFoldingIgnoresCaseAndAccents(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                    "",
		"already folded 12":   "already folded 12",
		"BV Peeters & Zonen":  "bv peeters & zonen",
		"Établissements":      "etablissements",
		"E\u0301tablissement": "etablissement",
		"Straße":              "strasse",
		"STRAẞE":              "strasse",
		"Œuvre Ærø":           "oeuvre aero",
		"Đorđe Łukasz":        "dorde lukasz",
		"İstanbul ısı":        "istanbul isi",
		"ΑΓΊΑ ΣΟΦΊΑΣ":         "αγια σοφιασ",
		"ﬁrma № ²":            "firma no 2",
		"L’Étoile":            "l'etoile",
		"Ёлка":                "елка",
	} {
		if got := backoffice.Fold(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestFoldingTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	t.Run("of any character", func(t *testing.T) {
		t.Parallel()
		for r := range rune(assigned) {
			once := backoffice.Fold(string(r))
			if twice := backoffice.Fold(once); twice != once {
				t.Errorf("%U: %q, then %q", r, once, twice)
			}
		}
	})
	t.Run("of any text", func(t *testing.T) {
		t.Parallel()
		rapid.Check(t, func(t *rapid.T) {
			once := backoffice.Fold(rapid.String().Draw(t, "text"))
			if twice := backoffice.Fold(once); twice != once {
				t.Fatalf("%q, then %q", once, twice)
			}
		})
	})
}

func TestFoldingIsTheSameForBothCases(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom(nil, unicode.Latin, unicode.Cyrillic)).Draw(t, "text")
		if text != strings.ToLower(strings.ToUpper(text)) {
			t.Skip("not every letter has both cases")
		}
		if lower, upper := backoffice.Fold(text), backoffice.Fold(strings.ToUpper(text)); lower != upper {
			t.Fatalf("%q and %q", lower, upper)
		}
	})
}

func TestATextIsCheckedByCharactersNotBytes(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"a", " a ", strings.Repeat("é", 200), strings.Repeat("🇧", 200), "שלום", "a\u200db", "a\u00a0b"} {
		if err := backoffice.CheckText(text, backoffice.MaxText); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, text := range []string{
		"", " ", "\u00a0\u2003", "\u200b", "\ufeff \u202e", "a\nb", "a\tb", "\x00", "a\x7f", "a\u0085b", "a\u2028b", "a\u2029", "a\xff", "\xed\xa0\x80", strings.Repeat("é", 201),
	} {
		refused(t, text, "", backoffice.CheckText(text, backoffice.MaxText))
	}
}

func TestASupportScopeIsWordsJoinedByDashes(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"checklist", "annual-accounts", "tax-os", "a", "1-2-3", strings.Repeat("x", 64)} {
		if got, err := backoffice.ParseSupportScope(text); err != nil || got != text {
			t.Errorf("%q: got %q, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "-", "a-", "-a", "a--b", "A", "a b", "a_b", "é", "a\n", strings.Repeat("x", 65)} {
		got, err := backoffice.ParseSupportScope(text)
		refused(t, text, got, err)
	}
}

func TestAColourIsSixHexadecimalDigitsInLowerCase(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"#1e90ff": "#1e90ff", "#ABCDEF": "#abcdef", "#000000": "#000000"} {
		if got, err := backoffice.ParseColor(text); err != nil || got != want {
			t.Errorf("%q: got %q, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "#", "1e90ff", "#fff", "#1e90ff0", "#1e90fg", " #1e90ff", "#1e90ff\n", "red"} {
		got, err := backoffice.ParseColor(text)
		refused(t, text, got, err)
	}
}

func FuzzFold(f *testing.F) {
	for _, seed := range []string{"Straße", "İ", "ﬀ\u0345", "\u0344", "ΰ", "\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		once := backoffice.Fold(text)
		if twice := backoffice.Fold(once); twice != once {
			t.Fatalf("%q: %q, then %q", text, once, twice)
		}
		if utf8.ValidString(text) && !utf8.ValidString(once) {
			t.Fatalf("%q gives %q", text, once)
		}
	})
}

func FuzzCheckText(f *testing.F) {
	f.Add("Peeters & Zonen")
	f.Add("a\u2028b")
	f.Fuzz(func(t *testing.T, text string) {
		if err := backoffice.CheckText(text, backoffice.MaxText); err != nil {
			refused(t, text, "", err)
		} else if strings.ContainsAny(text, "\x00\r\n\u2028") || utf8.RuneCountInString(text) > 200 || strings.TrimSpace(text) == "" {
			t.Fatalf("%q passes", text)
		}
	})
}

func FuzzParseSupportScope(f *testing.F) {
	f.Add("annual-accounts")
	f.Add("a--b")
	f.Fuzz(func(t *testing.T, text string) {
		scope, err := backoffice.ParseSupportScope(text)
		if err != nil {
			refused(t, text, scope, err)
		} else if scope != text || strings.Contains(text, "--") || strings.Trim(text, "-abcdefghijklmnopqrstuvwxyz0123456789") != "" {
			t.Fatalf("%q gives %q", text, scope)
		}
	})
}

func FuzzParseColor(f *testing.F) {
	f.Add("#1E90ff")
	f.Add("#fff")
	f.Fuzz(func(t *testing.T, text string) {
		color, err := backoffice.ParseColor(text)
		if err != nil {
			refused(t, text, color, err)
		} else if len(color) != 7 || color != strings.ToLower(text) {
			t.Fatalf("%q gives %q", text, color)
		}
	})
}

func BenchmarkFold(b *testing.B) {
	for name, text := range map[string]string{"folded": "bv peeters & zonen", "ascii": "BV Peeters & Zonen", "accents": "Établissements Lefèvre"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				backoffice.Fold(text)
			}
		})
	}
}
