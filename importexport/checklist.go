package importexport

import (
	"context"

	"example.org/backoffice/backoffice"
)

type checklist = backoffice.Checklist

var checklists = describe(backoffice.ChecklistTable, noun[checklist, backoffice.ChecklistCriteria]{
	file:   "checklists.ndjson",
	derive: deriveChecklists,
	keep:   keepAssigned,
})

// deriveChecklists keeps a checklist in its year once it was assigned, for its transcripts are of the same year.
func deriveChecklists(ctx context.Context, l *loading[checklist, backoffice.ChecklistCriteria], entries []*entry[checklist]) error {
	var moved []string
	for _, e := range entries {
		if e.old != nil && e.old.FinancialYearID != e.row.FinancialYearID {
			moved = append(moved, e.id)
		}
	}
	if len(moved) == 0 {
		return nil
	}
	counts, err := backoffice.ReadCounts(ctx, backoffice.TranscriptTable.Reader(l.in), backoffice.OfChecklist, backoffice.TranscriptCriteria{}, moved)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.old != nil && counts[e.id] > 0 {
			e.fault("financialYear", "a checklist that was assigned stays in its financial year")
		}
	}
	return nil
}

func keepAssigned(ctx context.Context, l *loading[checklist, backoffice.ChecklistCriteria], deleted []*entry[checklist]) error {
	counts, err := backoffice.ReadCounts(ctx, backoffice.TranscriptTable.Reader(l.in), backoffice.OfChecklist, backoffice.TranscriptCriteria{}, idsOf(deleted))
	if err != nil {
		return err
	}
	for _, e := range deleted {
		if counts[e.id] > 0 {
			e.fault("_deleted", "transcripts of the checklist are left; delete them in an import before this one")
		}
	}
	return nil
}
