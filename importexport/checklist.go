package importexport

import (
	"context"

	"example.org/backoffice/backoffice"
)

type checklist = backoffice.Checklist

var checklists = define(noun[checklist, backoffice.ChecklistCriteria]{
	name: backoffice.NounChecklist,
	file: "checklists.ndjson",
	fields: []field[checklist]{
		text("name", "name", func(c *checklist) *string { return &c.Name }),
		text("language", "language", func(c *checklist) *string { return &c.Language }),
		flag("authRequired", func(c *checklist) *bool { return &c.AuthRequired }),
		flag("remindersEnabled", func(c *checklist) *bool { return &c.RemindersEnabled }),
		reference("financialYear", backoffice.NounFinancialYear, func(c *checklist) *string { return &c.FinancialYearID }),
	},
	id:    func(c *checklist) *string { return &c.ID },
	fresh: func(backoffice.Instant) *checklist { return &checklist{} },
	reader: func(s backoffice.Readers) backoffice.Reader[*checklist, backoffice.ChecklistCriteria] {
		return s.Checklists()
	},
	writer: func(tx backoffice.Tx) backoffice.Writer[*checklist, backoffice.ChecklistCriteria] {
		return tx.Checklists()
	},
	check:  backoffice.CheckChecklist,
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
	counts, err := backoffice.ReadCounts(ctx, l.in.transcripts, backoffice.OfChecklist, backoffice.TranscriptCriteria{}, moved)
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

// keepAssigned refuses to delete a checklist that has transcripts.
func keepAssigned(ctx context.Context, l *loading[checklist, backoffice.ChecklistCriteria], deleted []*entry[checklist]) error {
	counts, err := backoffice.ReadCounts(ctx, l.in.transcripts, backoffice.OfChecklist, backoffice.TranscriptCriteria{}, idsOf(deleted))
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
