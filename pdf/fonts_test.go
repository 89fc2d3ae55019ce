package pdf_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/pdf"
)

const (
	dejaVu = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"           // has Arabic and Hebrew
	droid  = "/usr/share/fonts/truetype/droid/DroidSansFallbackFull.ttf" // has Chinese and Japanese
)

// fontFolder is a folder with fonts that make deps installs.
func fontFolder(t *testing.T, fonts ...string) string {
	t.Helper()
	folder := t.TempDir()
	for _, path := range fonts {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatalf("%v; make deps installs it", err)
		}
		must(t, os.WriteFile(filepath.Join(folder, filepath.Base(path)), data, 0o600))
	}
	return folder
}

func readFonts(t *testing.T, folder string) pdf.Fonts {
	t.Helper()
	fonts, err := pdf.ReadFonts(folder)
	must(t, err)
	return fonts
}

// cellsOf are the values of a transcript with these answers, as they are drawn from left to right.
func cellsOf(t *testing.T, fonts pdf.Fonts, answers string) (cells []string, all string) {
	t.Helper()
	document := read(t, makeTranscript(t, document{
		Office: pdf.Letterhead{Name: "Office"}, Language: "english", Customer: pdf.Party{Name: "Acme"}, Checklist: "Taxes", CustomVariables: backoffice.JSON(answers), Fonts: fonts,
	}))
	return document.texts("TD"), document.text()
}

func TestScriptsThatTheEmbeddedFontsLackAreDrawnInOthers(t *testing.T) {
	t.Parallel()
	const answers = `{"a":"北京市 is 北京","b":"こんにちは","c":"שלום (2026) BV","d":"Acme שלום, 12 rue","e":"محمد السلام","f":"٣ كتب","g":"สวัสดี","h":"Café Ωμ Ж"}`
	want := []string{
		"北京市 is 北京", "こんにちは",
		"BV (2026) םולש",    // the paragraph is one from right to left
		"Acme 12 ,םולש rue", // and this is not, but the number follows what is before it
		"ﻡﻼﺴﻟﺍ ﺪﻤﺤﻣ",        // joined letters, of which lam and alef are one
		"ﺐﺘﻛ ٣",             // a number keeps its order
		"◊◊◊◊",              // letters that take more than a font
		"Café Ωμ Ж",         // in the embedded fonts
	}
	cells, all := cellsOf(t, readFonts(t, fontFolder(t, dejaVu, droid)), answers)
	if !slices.Equal(cells, want) {
		t.Errorf("drawn is\n%q, not\n%q", cells, want)
	}
	if !strings.Contains(all, "lack (Thai).") {
		t.Errorf("what is not printed is not told: %s", all)
	}
	cells, all = cellsOf(t, nil, answers)
	if cells[0] != "◊◊◊ is ◊◊" || cells[7] != "Café Ωμ Ж" || !strings.Contains(all, "lack (Arabic, Hebrew, Chinese, Japanese, Thai") {
		t.Errorf("without fonts drawn is %q", cells)
	}
	if cells, all = cellsOf(t, readFonts(t, fontFolder(t, droid)), `{"a":"北京 שלום"}`); cells[0] != "北京 ◊◊◊◊" || !strings.Contains(all, "lack (Hebrew).") {
		t.Errorf("with a font for one of two scripts drawn is %q, and told %s", cells, all)
	}
}

func TestADocumentHoldsOnlyTheFontsAndCharactersThatItUses(t *testing.T) {
	t.Parallel()
	fonts := readFonts(t, fontFolder(t, dejaVu, droid))
	size := func(fonts pdf.Fonts, answer string) int {
		return len(makeTranscript(t, document{Language: "english", Checklist: "Taxes", CustomVariables: backoffice.JSON(`{"a":"` + answer + `"}`), Fonts: fonts}))
	}
	plain := size(nil, "Acme")
	if with := size(fonts, "Acme"); with != plain {
		t.Errorf("a document that needs no other font has %d bytes, not %d", with, plain)
	}
	if with := size(fonts, "北京市"); with > plain+20_000 {
		t.Errorf("three characters took %d bytes", with-plain)
	}
	var all strings.Builder
	for r := '一'; all.Len() < 60_000; r++ {
		all.WriteRune(r)
	}
	cells, told := cellsOf(t, fonts, `{"a":"`+all.String()+`","b":"北京"}`)
	if drawn := strings.Count(cells[0], "◊"); drawn != 20_000-4_000 || !strings.Contains(told, "lack (Chinese).") {
		t.Errorf("of 20,000 different characters %d were left out", drawn)
	}
	first, again := size(fonts, "שלום"), size(fonts, "שלום")
	if first != again {
		t.Errorf("the same document has %d and %d bytes", first, again)
	}
}

func TestFontsThatCannotBeUsedAreRefusedByName(t *testing.T) {
	t.Parallel()
	for sentence, do := range map[string]func(folder string) error{
		"has no fonts": func(string) error { return nil },
		"cut.ttf":      func(folder string) error { return cutFont(filepath.Join(folder, "cut.ttf")) },
		"text.ttf": func(folder string) error {
			return os.WriteFile(filepath.Join(folder, "text.ttf"), []byte("not a font"), 0o600)
		},
		"postscript.otf": func(folder string) error {
			return os.WriteFile(filepath.Join(folder, "postscript.otf"), []byte("OTTO"), 0o600)
		},
		"outlines are not": func(folder string) error {
			return os.WriteFile(filepath.Join(folder, "postscript.otf"), []byte("OTTO"), 0o600)
		},
		"cannot be read": func(folder string) error { return os.Mkdir(filepath.Join(folder, "pipe"), 0) },
		"no such file":   os.Remove,
	} {
		if os.Getuid() == 0 && sentence == "cannot be read" {
			continue // root reads everything
		}
		folder := t.TempDir()
		must(t, do(folder))
		if fonts, err := pdf.ReadFonts(folder); err == nil || !strings.Contains(err.Error(), sentence) {
			t.Errorf("%s: %d fonts, %v", sentence, len(fonts), err)
		}
	}
}

func cutFont(path string) error {
	data, err := os.ReadFile(dejaVu)
	if err != nil {
		return err
	}
	return os.WriteFile(path, data[:len(data)/3], 0o600)
}
