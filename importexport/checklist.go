package importexport

import (
	"context"

	"example.org/backoffice/backoffice"
)

type checklist = backoffice.Checklist
type checklistLoading = loading[checklist, backoffice.ChecklistCriteria]

var checklists = describe(backoffice.ChecklistTable, noun[checklist, backoffice.ChecklistCriteria]{
	file:   "checklists.ndjson",
	derive: deriveChecklists,
	keep:   keepAssigned,
	keys: always(fewKey[checklist, backoffice.ChecklistCriteria](func(c *checklist) string {
		return backoffice.FoldKey(c.Name) + " " + c.FinancialYearID
	}, "name", "financialYear")),
})

// deriveChecklists keeps an assigned checklist in its year: its transcripts are of the same year.
func deriveChecklists(ctx context.Context, l *checklistLoading, entries []*entry[checklist]) error {
	var moved []*entry[checklist]
	for _, e := range entries {
		if e.old != nil && e.old.FinancialYearID != e.row.FinancialYearID {
			moved = append(moved, e)
		}
	}
	return faultAssigned(ctx, l, moved, "financialYear", "an assigned checklist must stay in its financial year")
}

func keepAssigned(ctx context.Context, l *checklistLoading, deleted []*entry[checklist]) error {
	return faultAssigned(ctx, l, deleted, "_deleted",
		"the checklist still has transcripts; delete them in an earlier import")
}

func faultAssigned(ctx context.Context, l *checklistLoading, entries []*entry[checklist], field, why string) error {
	if len(entries) == 0 {
		return nil
	}
	rows := backoffice.TranscriptTable.Reader(l.in)
	counts, err := backoffice.ReadCounts(
		ctx, rows, backoffice.OfChecklist, backoffice.TranscriptCriteria{}, idsOf(entries))
	for _, e := range entries {
		if counts[e.id] > 0 {
			e.fault(field, why)
		}
	}
	return err
}
