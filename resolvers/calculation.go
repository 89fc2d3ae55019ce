package resolvers

import (
	"context"

	"example.org/backoffice/backoffice"
)

var calculations = nounOf(backoffice.CalculationTable)

func (r query) Calculations(ctx context.Context, first *int, after *string, last *int, before *string,
	page, pageSize *int, filter *backoffice.CalculationFilter,
	orderBy *backoffice.CalculationOrder) (*backoffice.CalculationConnection, error) {
	return all(ctx, r.Root, calculations.of(ctx), filter.Criteria(), orderBy.Order(),
		pageArgs(first, after, last, before, page, pageSize))
}

func (calculation) Transcript(ctx context.Context, rows []*backoffice.Calculation) ([]*backoffice.Transcript, error) {
	return linked(ctx, transcriptNoun.of(ctx), rows, func(c *backoffice.Calculation) string { return c.TranscriptID })
}
