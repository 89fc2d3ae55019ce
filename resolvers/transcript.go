package resolvers

import (
	"context"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/loaders"
)

func init() {
	nodesFrom(backoffice.NounTranscript, "", func(l *loaders.Loaders) *loaders.Noun[*backoffice.Transcript, backoffice.TranscriptCriteria] {
		return &l.Transcripts
	})
}

func (query) Transcript(ctx context.Context, id string) (*backoffice.Transcript, error) {
	return loaders.From(ctx).Transcripts.One(ctx, id)
}

func (r query) Transcripts(ctx context.Context, first *int, after *string, last *int, before *string, page *int, pageSize *int, filter *backoffice.TranscriptFilter, orderBy *backoffice.TranscriptOrder) (*backoffice.TranscriptConnection, error) {
	c, err := all(ctx, r.Root, &loaders.From(ctx).Transcripts, filter.Criteria(), orderBy.Order(),
		backoffice.PageArgs{First: first, Last: last, After: after, Before: before, Page: page, PageSize: pageSize})
	if err != nil {
		return nil, err
	}
	return &backoffice.TranscriptConnection{Connection: *c}, nil
}

// transcriptsBelow lists the transcripts that hang on each parent.
func transcriptsBelow[P any](ctx context.Context, r *Root, parents []*P, of func(*P) string, under backoffice.Parent, filter *backoffice.TranscriptFilter, orderBy *backoffice.TranscriptOrder, args backoffice.PageArgs) ([]*backoffice.TranscriptConnection, error) {
	block, err := below(ctx, r, &loaders.From(ctx).Transcripts, parents, of, under, filter.Criteria(), orderBy.Order(), args)
	if err != nil {
		return nil, err
	}
	list := make([]*backoffice.TranscriptConnection, len(block))
	for i, c := range block {
		list[i] = &backoffice.TranscriptConnection{Connection: c}
	}
	return list, nil
}

func (transcript) Customer(ctx context.Context, transcripts []*backoffice.Transcript) ([]*backoffice.Customer, error) {
	return linked(ctx, &loaders.From(ctx).Customers, transcripts, func(t *backoffice.Transcript) string { return t.CustomerID })
}

func (transcript) Checklist(ctx context.Context, transcripts []*backoffice.Transcript) ([]*backoffice.Checklist, error) {
	return linked(ctx, &loaders.From(ctx).Checklists, transcripts, func(t *backoffice.Transcript) string { return t.ChecklistID })
}

func (transcript) FinancialYear(ctx context.Context, transcripts []*backoffice.Transcript) ([]*backoffice.FinancialYear, error) {
	return linked(ctx, &loaders.From(ctx).FinancialYears, transcripts, func(t *backoffice.Transcript) string { return t.FinancialYearID })
}

// ofTranscript asks for the calculation of a transcript.
var ofTranscript = backoffice.ListQuery[backoffice.CalculationCriteria]{Under: backoffice.OfTranscript, Window: backoffice.Window{Limit: 1}}

func (transcript) Calculation(ctx context.Context, transcripts []*backoffice.Transcript) ([]*backoffice.Calculation, error) {
	pages, err := loaders.From(ctx).Calculations.Pages(ctx, ofTranscript, ids(transcripts, func(t *backoffice.Transcript) string { return t.ID }))
	if err != nil {
		return nil, err
	}
	calculations := make([]*backoffice.Calculation, len(pages))
	for i, page := range pages {
		if len(page.Items) > 0 {
			calculations[i] = page.Items[0]
		}
	}
	return calculations, nil
}

func (transcripts) TotalCount(ctx context.Context, connections []*backoffice.TranscriptConnection) ([]int, error) {
	return totals(ctx, &loaders.From(ctx).Transcripts, plainTranscripts(connections))
}

func (transcripts) StatusCounts(ctx context.Context, connections []*backoffice.TranscriptConnection) ([][]*backoffice.TranscriptStatusCount, error) {
	answers, err := perList(ctx, plainTranscripts(connections), func(list *backoffice.List[backoffice.TranscriptCriteria], parents []string) ([][]backoffice.TranscriptStatusCount, error) {
		return loaders.From(ctx).TranscriptCounts.All(ctx, list.Ask.Under, list.Ask.Criteria, parents)
	})
	if err != nil {
		return nil, err
	}
	counts := make([][]*backoffice.TranscriptStatusCount, len(answers))
	for i, answer := range answers {
		counts[i] = make([]*backoffice.TranscriptStatusCount, len(answer))
		for j := range answer {
			counts[i][j] = &answer[j]
		}
	}
	return counts, nil
}

func plainTranscripts(connections []*backoffice.TranscriptConnection) []*transcriptsPage {
	return within(connections, func(c *backoffice.TranscriptConnection) *transcriptsPage { return &c.Connection })
}

type transcriptsPage = backoffice.Connection[*backoffice.Transcript, backoffice.TranscriptCriteria]
