package resolvers

import (
	"context"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/loaders"
)

var transcriptNoun = nounOf(backoffice.TranscriptTable)

type transcripts struct {
	noun[*backoffice.Transcript, backoffice.TranscriptCriteria]
}

func (query) Transcript(ctx context.Context, id string) (*backoffice.Transcript, error) {
	return transcriptNoun.of(ctx).One(ctx, id)
}

func (r query) Transcripts(ctx context.Context, first *int, after *string, last *int, before *string,
	page, pageSize *int, filter *backoffice.TranscriptFilter,
	orderBy *backoffice.TranscriptOrder) (*backoffice.TranscriptConnection, error) {
	return r.transcripts(ctx, filter, orderBy, pageArgs(first, after, last, before, page, pageSize))
}

func (r query) transcripts(ctx context.Context, filter *backoffice.TranscriptFilter,
	orderBy *backoffice.TranscriptOrder, args backoffice.PageArgs) (*backoffice.TranscriptConnection, error) {
	criteria, err := filter.Criteria()
	if err != nil {
		return nil, err
	}
	return all(ctx, r.Root, transcriptNoun.of(ctx), criteria, orderBy.Order(), args)
}

// TranscriptDiff reads both transcripts at once.
func (query) TranscriptDiff(ctx context.Context, left, right string) (*backoffice.TranscriptDiff, error) {
	both, err := transcriptNoun.of(ctx).All(loaders.WithFields(ctx, variableFields), []string{left, right})
	if err != nil || both[0] == nil || both[1] == nil {
		return nil, err
	}
	return backoffice.DiffVariables(both[0].CustomVariables, both[1].CustomVariables)
}

var variableFields = loaders.NewFields([]string{"customVariables"})

func (transcript) Customer(ctx context.Context, transcripts []*backoffice.Transcript) ([]*backoffice.Customer, error) {
	return linked(ctx, customers.of(ctx), transcripts, func(t *backoffice.Transcript) string { return t.CustomerID })
}

func (transcript) Checklist(ctx context.Context, rows []*backoffice.Transcript) ([]*backoffice.Checklist, error) {
	return linked(ctx, checklists.of(ctx), rows, func(t *backoffice.Transcript) string { return t.ChecklistID })
}

func (transcript) FinancialYear(ctx context.Context,
	rows []*backoffice.Transcript) ([]*backoffice.FinancialYear, error) {
	return linked(ctx, financialYears.of(ctx), rows, func(t *backoffice.Transcript) string { return t.FinancialYearID })
}

var ofTranscript = backoffice.ListQuery[backoffice.CalculationCriteria]{Parent: backoffice.OfTranscript,
	Window: backoffice.Window{Limit: 1}}

func (transcript) Calculation(ctx context.Context, rows []*backoffice.Transcript) ([]*backoffice.Calculation, error) {
	return firsts(ctx, calculations.of(ctx), ofTranscript, ids(rows, (*backoffice.Transcript).Identity))
}

func (transcripts) StatusCounts(ctx context.Context,
	connections []*backoffice.TranscriptConnection) ([][]*backoffice.TranscriptStatusCount, error) {
	type C = backoffice.TranscriptCriteria
	ask := func(list *backoffice.List[C], parents []string) ([][]backoffice.TranscriptStatusCount, error) {
		return loaders.From(ctx).TranscriptCounts.All(ctx, list.Ask.Parent, list.Ask.Criteria, parents)
	}
	answers, err := perList(ctx, connections, backoffice.CountStatuses, ask)
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

func transcriptsOf[P any](ctx context.Context, r *Root, parents []*P, of func(*P) string, under backoffice.Parent,
	filter *backoffice.TranscriptFilter, orderBy *backoffice.TranscriptOrder,
	args backoffice.PageArgs) ([]*backoffice.TranscriptConnection, error) {
	criteria, err := filter.Criteria()
	if err != nil {
		return nil, err
	}
	return below(ctx, r, transcriptNoun.of(ctx), parents, of, under, criteria, orderBy.Order(), args)
}
