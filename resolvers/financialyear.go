package resolvers

import (
	"context"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/loaders"
)

var financialYears = nounOf(backoffice.NounFinancialYear, "", func(l *loaders.Loaders) *loaders.Noun[*backoffice.FinancialYear, backoffice.FinancialYearCriteria] {
	return &l.FinancialYears
})

func (query) FinancialYear(ctx context.Context, id string) (*backoffice.FinancialYear, error) {
	return loaders.From(ctx).FinancialYears.One(ctx, id)
}

func (query) CurrentFinancialYear(ctx context.Context) (*backoffice.FinancialYear, error) {
	ask := backoffice.ListQuery[backoffice.FinancialYearCriteria]{Criteria: backoffice.FinancialYearCriteria{Current: true}, Window: backoffice.Window{Limit: 1}}
	years, err := firsts(ctx, &loaders.From(ctx).FinancialYears, ask, []string{backoffice.NoParent})
	if err != nil {
		return nil, err
	}
	return years[0], nil
}

func (r query) FinancialYears(ctx context.Context, first *int, after *string, last *int, before *string, page *int, pageSize *int) (*backoffice.FinancialYearConnection, error) {
	return all(ctx, r.Root, &loaders.From(ctx).FinancialYears, backoffice.FinancialYearCriteria{}, backoffice.ByID,
		backoffice.PageArgs{First: first, Last: last, After: after, Before: before, Page: page, PageSize: pageSize})
}

func yearID(y *backoffice.FinancialYear) string { return y.ID }

func (r financialYear) Checklists(ctx context.Context, years []*backoffice.FinancialYear, first *int, after *string, last *int, before *string, page *int, pageSize *int, orderBy *backoffice.ChecklistOrder) ([]*backoffice.ChecklistConnection, error) {
	return below(ctx, r.Root, &loaders.From(ctx).Checklists, years, yearID, backoffice.OfFinancialYear, backoffice.ChecklistCriteria{}, orderBy.Order(),
		backoffice.PageArgs{First: first, Last: last, After: after, Before: before, Page: page, PageSize: pageSize})
}

func (r financialYear) Transcripts(ctx context.Context, years []*backoffice.FinancialYear, first *int, after *string, last *int, before *string, page *int, pageSize *int, filter *backoffice.TranscriptFilter, orderBy *backoffice.TranscriptOrder) ([]*backoffice.TranscriptConnection, error) {
	return transcriptsOf(ctx, r.Root, years, yearID, backoffice.OfFinancialYear, filter, orderBy,
		backoffice.PageArgs{First: first, Last: last, After: after, Before: before, Page: page, PageSize: pageSize})
}
