package resolvers

import (
	"context"

	"example.org/backoffice/backoffice"
)

var checklists = nounOf(backoffice.ChecklistTable)

func (query) Checklist(ctx context.Context, id string) (*backoffice.Checklist, error) {
	return checklists.of(ctx).One(ctx, id)
}

func (r query) Checklists(ctx context.Context, first *int, after *string, last *int, before *string,
	page, pageSize *int, filter *backoffice.ChecklistFilter,
	orderBy *backoffice.ChecklistOrder) (*backoffice.ChecklistConnection, error) {
	return all(ctx, r.Root, checklists.of(ctx), filter.Criteria(), orderBy.Order(),
		pageArgs(first, after, last, before, page, pageSize))
}

func (checklist) FinancialYear(ctx context.Context, rows []*backoffice.Checklist) ([]*backoffice.FinancialYear, error) {
	return linked(ctx, financialYears.of(ctx), rows, func(c *backoffice.Checklist) string { return c.FinancialYearID })
}

func (r checklist) Transcripts(ctx context.Context, checklists []*backoffice.Checklist, first *int, after *string,
	last *int, before *string, page, pageSize *int, filter *backoffice.TranscriptFilter,
	orderBy *backoffice.TranscriptOrder) ([]*backoffice.TranscriptConnection, error) {
	return transcriptsOf(ctx, r.Root, checklists, func(c *backoffice.Checklist) string { return c.ID },
		backoffice.OfChecklist, filter, orderBy, pageArgs(first, after, last, before, page, pageSize))
}
