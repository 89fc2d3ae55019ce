package resolvers

import (
	"context"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/loaders"
)

var financialYears = nounOf(backoffice.FinancialYearTable)

func (query) FinancialYear(ctx context.Context, id string) (*backoffice.FinancialYear, error) {
	return financialYears.of(ctx).One(ctx, id)
}

func (query) CurrentFinancialYear(ctx context.Context) (*backoffice.FinancialYear, error) {
	ask := backoffice.ListQuery[backoffice.FinancialYearCriteria]{Window: backoffice.Window{Limit: 1}}
	ask.Criteria.Current = true
	return loaders.Only(firsts(ctx, financialYears.of(ctx), ask, []string{backoffice.NoParent}))
}

func (r query) FinancialYears(ctx context.Context, first *int, after *string, last *int, before *string,
	page, pageSize *int) (*backoffice.FinancialYearConnection, error) {
	return all(ctx, r.Root, financialYears.of(ctx), backoffice.FinancialYearCriteria{}, backoffice.ByID,
		pageArgs(first, after, last, before, page, pageSize))
}

func (r financialYear) Checklists(ctx context.Context, years []*backoffice.FinancialYear, first *int, after *string,
	last *int, before *string, page, pageSize *int,
	orderBy *backoffice.ChecklistOrder) ([]*backoffice.ChecklistConnection, error) {
	return below(ctx, r.Root, checklists.of(ctx), years, (*backoffice.FinancialYear).Identity,
		backoffice.OfFinancialYear, backoffice.ChecklistCriteria{}, orderBy.Order(),
		pageArgs(first, after, last, before, page, pageSize))
}

func (r financialYear) Transcripts(ctx context.Context, years []*backoffice.FinancialYear, first *int, after *string,
	last *int, before *string, page, pageSize *int, filter *backoffice.TranscriptFilter,
	orderBy *backoffice.TranscriptOrder) ([]*backoffice.TranscriptConnection, error) {
	return transcriptsOf(ctx, r.Root, years, (*backoffice.FinancialYear).Identity, backoffice.OfFinancialYear, filter,
		orderBy, pageArgs(first, after, last, before, page, pageSize))
}
