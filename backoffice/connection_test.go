package backoffice_test

import (
	"testing"

	"example.org/backoffice/backoffice"
)

func TestACursorIsSealedOnceHoweverManyAliasesAskForIt(t *testing.T) {
	t.Parallel()
	sealed := 0
	seal := func(backoffice.Order, backoffice.Position) string { sealed++; return "sealed" }
	page := &backoffice.Connection[*backoffice.Label, backoffice.LabelCriteria]{
		List:  &backoffice.List[backoffice.LabelCriteria]{Seal: seal},
		Items: []*backoffice.Label{{ID: "a"}, {ID: "b"}},
	}
	for _, edge := range page.Edges() {
		for range 5 {
			if got := edge.Cursor(); got != "sealed" {
				t.Errorf("%q", got)
			}
		}
	}
	if sealed != 2 {
		t.Errorf("two cursors were sealed %d times", sealed)
	}
}
