package storetest

import (
	"testing"

	"example.org/backoffice/backoffice"
)

// SweepBelowUsers asks for transcripts below users, and for those of one, by each criterion and order.
func SweepBelowUsers(t *testing.T, store backoffice.Store) {
	t.Helper()
	type C = backoffice.TranscriptCriteria
	o := crowd()
	some := C{ResponsibleID: o.users[0].ID}
	at := backoffice.Span{From: 1, HasFrom: true, To: backoffice.InstantAt(1_700_000_000_040), HasTo: true}
	criteria := []C{
		{}, {IsCompleted: backoffice.Yes}, {DocumentGenerated: backoffice.No}, {Status: 5}, {FinancialYearID: o.years[0].ID}, {ChecklistID: o.checklists[0].ID},
		{UpdatedSince: crowdInstants[0]}, {Updated: at}, {Updated: at, IsCompleted: backoffice.Yes, Status: 1},
		{Any: backoffice.NestedOf(some, C{ResponsibleID: o.users[1].ID})},
	}
	ask := func(under backoffice.Parent, c C, parents ...string) {
		for _, key := range []backoffice.OrderKey{backoffice.KeyID, backoffice.KeyUpdatedAt, backoffice.KeyProgress} {
			for _, after := range []bool{false, true} {
				window := backoffice.Window{Limit: 50, HasAfter: after, After: backoffice.Position{Text: "m", Number: 1, ID: "a"}}
				list := backoffice.ListQuery[C]{Parent: under, Criteria: c, Order: backoffice.Order{Key: key}, Window: window}
				if _, err := backoffice.ReadPages(t.Context(), store.Transcripts(), list, parents, 0); err != nil {
					t.Fatalf("%v (%v)", err, errorCause(err))
				}
			}
		}
		if _, err := backoffice.ReadCounts(t.Context(), store.Transcripts(), under, c, parents); err != nil {
			t.Fatalf("%v (%v)", err, errorCause(err))
		}
		if _, err := readStatusCounts(t.Context(), store.Transcripts(), under, c, parents); err != nil {
			t.Fatalf("%v (%v)", err, errorCause(err))
		}
	}
	for _, c := range criteria {
		ask(backoffice.OfUser, c, o.users[0].ID)
		ask(backoffice.OfUser, c, o.users[0].ID, o.users[1].ID)
		if c.ResponsibleID = some.ResponsibleID; c.Any.IsSet() || c == some {
			continue
		}
		ask(backoffice.Root, c, backoffice.NoParent)
		ask(backoffice.Root, C{Any: backoffice.NestedOf(c)}, backoffice.NoParent)
	}
}
