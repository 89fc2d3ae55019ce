package backoffice_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"example.org/backoffice/backoffice"
	"pgregory.net/rapid"
)

func TestAnEmailAddressIsKeptAsWritten(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"an.peeters@example.be", "An.Peeters+btw@Example.BE", "o'neil@sub.example.co.uk", "a@b.be", "_x@my-firm.brussels",
		"é@exämple.be", strings.Repeat("l", 64) + "@" + strings.Repeat("d", 60) + ".be",
	} {
		if got, err := backoffice.ParseEmail(text); err != nil || got != text {
			t.Errorf("%q: got %q, %v", text, got, err)
		}
	}
}

func TestAnUnsoundEmailAddressIsRefused(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("l", 64) + "@" + strings.Repeat(strings.Repeat("d", 62)+".", 3) + "be"
	for _, text := range []string{
		"", "an", "an@", "@example.be", "an@example", "an@@example.be", "an.@example.be", "a..n@example.be", "an@.be", "an@example..be",
		"an@example.be.", "an@-example.be", "an@example-.be", "an@127.0.0.1", "an@[127.0.0.1]", "an@exa_mple.be",
		"An <an@example.be>", "<an@example.be>", "an@example.be (An)", "an@example.be, bo@example.be", `"a n"@example.be`,
		" an@example.be", "an@example.be ", "an@example.be\n", "an\x00@example.be", "an@exam\tple.be", "an@example.\xff",
		strings.Repeat("l", 65) + "@example.be", long,
	} {
		got, err := backoffice.ParseEmail(text)
		refused(t, text, got, err)
	}
}

func TestEmailAddressesMatchWithoutCase(t *testing.T) {
	t.Parallel()
	for text, same := range map[string]string{
		"An.Peeters@Example.BE": "an.peeters@example.be",
		"É@example.be":          "e\u0301@example.be",
		"ΣΟΦΟΣ@example.be":      "σοφος@example.be",
	} {
		if a, b := backoffice.FoldEmail(text), backoffice.FoldEmail(same); a != b {
			t.Errorf("%q and %q: %q and %q", text, same, a, b)
		}
	}
	if backoffice.FoldEmail("é@example.be") == backoffice.FoldEmail("e@example.be") {
		t.Error("an accent is ignored in an address")
	}
}

func TestFoldingAnEmailAddressTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	for r := range rune(assigned) {
		once := backoffice.FoldEmail(string(r))
		if twice := backoffice.FoldEmail(once); twice != once {
			t.Errorf("%U: %q, then %q", r, once, twice)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		once := backoffice.FoldEmail(text)
		if twice := backoffice.FoldEmail(once); twice != once {
			t.Fatalf("%q, then %q", once, twice)
		}
	})
}

func TestATelephoneNumberIsReadToItsInternationalFormat(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"+32 2 555 12 12":       "+32 2 555 12 12",
		"02 555 12 12":          "+32 2 555 12 12",
		"02/555.12.12":          "+32 2 555 12 12",
		"0032 2 555 12 12":      "+32 2 555 12 12",
		"+32(0)2 555 12 12":     "+32 2 555 12 12",
		"+32\u00a02 5551212":    "+32 2 555 12 12",
		"0470 12 34 56":         "+32 470 12 34 56",
		"+31 20 123 4567":       "+31 20 123 4567",
		"+33 1 23 45 67 89":     "+33 1 23 45 67 89",
		"02 555 12 12 ext. 345": "+32 2 555 12 12 ext. 345",
	} {
		if got, err := backoffice.ParsePhone(text); err != nil || got != want {
			t.Errorf("%q: got %q, %v; want %q", text, got, err, want)
		}
	}
}

func TestWhatIsNoTelephoneNumberIsRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", " ", "+", "12", "call 02 555 12 12", "02 555 12 12 or 13", "02 555 12 12\n", "+999 123 456", "+32 2 555 12 12 12 12 12",
		"0800 FLOWERS", "tel:+3225551212", "٠٢ ٥٥٥ ١٢ ١٢", strings.Repeat("0", 41), "\x00025551212", "25551212.0",
	} {
		got, err := backoffice.ParsePhone(text)
		refused(t, text, got, err)
	}
}

func FuzzParseEmail(f *testing.F) {
	f.Add("an.peeters@example.be")
	f.Add("An <an@example.be>")
	f.Add("é@exämple.be")
	f.Fuzz(func(t *testing.T, text string) {
		address, err := backoffice.ParseEmail(text)
		if err != nil {
			refused(t, text, address, err)
			return
		}
		if address != text || utf8.RuneCountInString(text) > 254 || strings.ContainsAny(text, " <>,\r\n\x00") {
			t.Fatalf("%q gives %q", text, address)
		}
	})
}

func FuzzParsePhone(f *testing.F) {
	f.Add("+32 2 555 12 12")
	f.Add("02/555.12.12 ext. 3")
	f.Add("+1 (800) 555-0199")
	f.Fuzz(func(t *testing.T, text string) {
		number, err := backoffice.ParsePhone(text)
		if err != nil {
			refused(t, text, number, err)
			return
		}
		if again, err := backoffice.ParsePhone(number); err != nil || again != number {
			t.Fatalf("%q gives %q, which gives %q, %v", text, number, again, err)
		}
	})
}
