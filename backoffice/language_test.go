package backoffice_test

import (
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

func TestEveryLanguageOfISO639_1IsKnownByItsEnglishName(t *testing.T) {
	t.Parallel()
	known := 0
	for a := 'a'; a <= 'z'; a++ {
		for b := 'a'; b <= 'z'; b++ {
			tag, err := language.Raw.Parse(string([]rune{a, b}))
			if err != nil {
				continue
			}
			name := strings.ToLower(display.English.Languages().Name(tag))
			if name == "" || strings.Contains(name, "unknown") {
				continue
			}
			known++
			if got, err := backoffice.ParseLanguage(name); err != nil || got != name {
				t.Errorf("%s (%s): got %q, %v", name, tag, got, err)
			}
		}
	}
	if known < 180 {
		t.Errorf("only %d languages were asked for", known)
	}
}

func TestOtherSpellingsOfALanguageAreRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "Dutch", "DUTCH", " dutch", "nl", "nederlands", "dutch,english", "klingon", "dutch\n"} {
		got, err := backoffice.ParseLanguage(text)
		refused(t, text, got, err)
	}
}

func FuzzParseLanguage(f *testing.F) {
	f.Add("dutch")
	f.Add("norwegian bokmål")
	f.Fuzz(func(t *testing.T, text string) {
		name, err := backoffice.ParseLanguage(text)
		if err != nil {
			refused(t, text, name, err)
		} else if name != text || name != strings.ToLower(name) {
			t.Fatalf("%q gives %q", text, name)
		}
	})
}
