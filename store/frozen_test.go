package store

import (
	"slices"
	"testing"

	"example.org/backoffice/backoffice"
)

func TestTheTrashKeepsTheNamesUnderWhichEarlierProgramsWrote(t *testing.T) {
	t.Parallel()
	keys := backoffice.Map(backoffice.Nouns[:], func(noun backoffice.AnyNoun) string { return keptOf(noun.Name()).key() })
	want := []string{
		"labels", "users", "financialYears", "checklists", "customers", "relations", "transcripts", "calculations",
		"documents", "minfinDocuments", "discrepancies",
	}
	if !slices.Equal(keys, want) {
		t.Errorf("%q, want %q", keys, want)
	}
}
