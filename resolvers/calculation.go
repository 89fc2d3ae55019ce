package resolvers

import (
	"context"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/loaders"
)

var calculations = nounOf(backoffice.NounCalculation, "", func(l *loaders.Loaders) *loaders.Noun[*backoffice.Calculation, backoffice.CalculationCriteria] {
	return &l.Calculations
})

func (r query) Calculations(ctx context.Context, first *int, after *string, last *int, before *string, page *int, pageSize *int, filter *backoffice.CalculationFilter, orderBy *backoffice.CalculationOrder) (*backoffice.CalculationConnection, error) {
	return all(ctx, r.Root, &loaders.From(ctx).Calculations, filter.Criteria(), orderBy.Order(),
		backoffice.PageArgs{First: first, Last: last, After: after, Before: before, Page: page, PageSize: pageSize})
}

func (calculation) Transcript(ctx context.Context, calculations []*backoffice.Calculation) ([]*backoffice.Transcript, error) {
	return linked(ctx, &loaders.From(ctx).Transcripts, calculations, func(c *backoffice.Calculation) string { return c.TranscriptID })
}
