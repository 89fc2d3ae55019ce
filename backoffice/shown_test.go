package backoffice

import (
	"strings"
	"testing"
	"unicode/utf8"
)

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
