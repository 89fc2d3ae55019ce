package backoffice

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestAMessageShowsNoRunOfNineDigits(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                          "",
		"kboNumber":                 "kboNumber",
		"a12345678b":                "a12345678b",
		"a123456789b":               "a#b",
		"123456789":                 "#",
		"x123456789y1234567890123":  "x#y#",
		"85010112345 and 12345678 ": "# and 12345678 ",
	} {
		if got := MaskDigits(text); got != want {
			t.Errorf("MaskDigits(%q) = %q, want %q", text, got, want)
		}
	}
	long := regexp.MustCompile(`[0-9]{9}`)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`([0-9]{1,12}|[a-zé]{0,3}){0,6}`).Draw(t, "text")
		masked := MaskDigits(text)
		if long.MatchString(masked) {
			t.Fatalf("%q became %q", text, masked)
		}
		if !long.MatchString(text) && masked != text {
			t.Fatalf("%q became %q though it has no long run", text, masked)
		}
	})
}

func TestAShownNameIsCutAtSixtyFourCharacters(t *testing.T) {
	t.Parallel()
	if got := ShownName(strings.Repeat("é", 64)); got != strings.Repeat("é", 64) {
		t.Errorf("64 characters became %q", got)
	}
	got := ShownName(strings.Repeat("é", 65))
	if want := strings.Repeat("é", 64) + "…"; got != want || !utf8.ValidString(got) {
		t.Errorf("65 characters became %q", got)
	}
}
