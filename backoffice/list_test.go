package backoffice

import (
	"strings"
	"testing"
	"time"
)

func TestASearchHasThreeToTwoHundredCharacters(t *testing.T) {
	t.Parallel()
	for text, good := range map[string]bool{
		"ab": false, "abc": true, "  ab  ": false,
		strings.Repeat("a", 200): true, strings.Repeat("a", 201): false,
		strings.Repeat("é", 200): true, strings.Repeat("é", 201): false,
		strings.Repeat("ß", 200): true,                                  // folds to 400 characters
		strings.Repeat("ﷺ", 20):  true, strings.Repeat("ﷺ", 200): false, // each is eighteen
		strings.Repeat(" ", 300) + "abc": false,
	} {
		_, err := (&CustomerFilter{Search: &text}).Criteria(nil)
		if (err == nil) != good || err != nil && KindOf(err) != BadInput {
			t.Errorf("a search of %d bytes among customers: %v", len(text), err)
		}
		if _, err := (&UserFilter{Search: &text}).Criteria(); (err == nil) != good {
			t.Errorf("a search of %d bytes among users: %v", len(text), err)
		}
	}
}

// Folding 85,000 times U+FDFA takes a megabyte and a third of a second: work is counted by its allocations.
func TestNoWorkIsDoneOnATextThatIsTooLong(t *testing.T) {
	// Not parallel: allocations are counted.
	long := strings.Repeat("ﷺ", 85_000)
	for name, filter := range map[string]CustomerFilter{
		"search": {Search: &long}, "email": {Email: &long}, "kboNumber": {KboNumber: &long},
		"registrationNumber": {RegistrationNumber: &long}, "customerCode": {CustomerCode: &long},
	} {
		var c CustomerCriteria
		if n := testing.AllocsPerRun(50, func() { c, _ = filter.Criteria(nil) }); n > 8 {
			t.Errorf("%s: %.0f allocations", name, n)
		}
		if c.Search != "" || c.EmailFolded != "" || c.CustomerCode != "" {
			t.Errorf("%s: the text goes on to the store", name)
		}
	}
	if n := testing.AllocsPerRun(50, func() { _, _ = ParseEmail(long) }); n > 4 {
		t.Errorf("an e-mail address to write: %.0f allocations", n)
	}
}

func TestAFilterTextThatNoRowCanHaveMatchesNobody(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", maxExact+1)
	for name, filter := range map[string]CustomerFilter{"email": {Email: &long}, "code": {CustomerCode: &long}, "responsible": {ResponsibleID: &long}, "without checklist": {WithoutChecklistID: &long}} {
		if c, err := filter.Criteria(nil); err != nil || !c.Nothing {
			t.Errorf("%s: %+v %v", name, c, err)
		}
	}
	if _, err := ParseNationalNumber(strings.Repeat(" ", 300)+"85073003328", time.Now()); err == nil {
		t.Error("a number behind 300 blanks")
	}
}
