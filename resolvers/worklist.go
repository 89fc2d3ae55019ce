package resolvers

import (
	"context"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/graph"
)

type workList struct{ *Root }

func (r *Root) WorkList() graph.WorkListResolver { return workList{r} }

func (query) WorkList(_ context.Context, responsibleID *string, financialYearID string) (*backoffice.WorkList, error) {
	return &backoffice.WorkList{FinancialYearID: financialYearID, ResponsibleID: responsibleID}, nil
}

func (r workList) Untouched(ctx context.Context, lists []*backoffice.WorkList, days int, first *int, after *string,
	last *int, before *string, page, pageSize *int,
	orderBy *backoffice.TranscriptOrder) ([]*backoffice.TranscriptConnection, error) {
	now := time.Now()
	return r.transcripts(ctx, lists, orderBy, pageArgs(first, after, last, before, page, pageSize),
		func(w *backoffice.WorkList) (*backoffice.TranscriptFilter, error) {
			return w.UntouchedFilter(days, now)
		})
}

func (r workList) Overdue(ctx context.Context, lists []*backoffice.WorkList, first *int, after *string,
	last *int, before *string, page, pageSize *int,
	orderBy *backoffice.TranscriptOrder) ([]*backoffice.TranscriptConnection, error) {
	return r.transcripts(ctx, lists, orderBy, pageArgs(first, after, last, before, page, pageSize),
		func(w *backoffice.WorkList) (*backoffice.TranscriptFilter, error) { return w.OverdueFilter(), nil })
}

func (r workList) WithoutDocument(ctx context.Context, lists []*backoffice.WorkList, first *int, after *string,
	last *int, before *string, page, pageSize *int,
	orderBy *backoffice.TranscriptOrder) ([]*backoffice.TranscriptConnection, error) {
	return r.transcripts(ctx, lists, orderBy, pageArgs(first, after, last, before, page, pageSize),
		func(w *backoffice.WorkList) (*backoffice.TranscriptFilter, error) { return w.CompletedFilter(), nil })
}

func (r workList) NotSent(ctx context.Context, lists []*backoffice.WorkList, first *int, after *string,
	last *int, before *string, page, pageSize *int,
	orderBy *backoffice.TranscriptOrder) ([]*backoffice.TranscriptConnection, error) {
	return r.transcripts(ctx, lists, orderBy, pageArgs(first, after, last, before, page, pageSize),
		func(w *backoffice.WorkList) (*backoffice.TranscriptFilter, error) { return w.CalculatedFilter(), nil })
}

func (r workList) MissingChecklist(ctx context.Context, lists []*backoffice.WorkList, first *int, after *string,
	last *int, before *string, page, pageSize *int,
	orderBy *backoffice.CustomerOrder) ([]*backoffice.CustomerConnection, error) {
	return ofLists(ctx, lists, func(ctx context.Context, w *backoffice.WorkList) (*backoffice.CustomerConnection, error) {
		return query(r).Customers(ctx, first, after, last, before, page, pageSize, w.MissingFilter(), orderBy)
	})
}

func (r workList) OwnershipDiffers(ctx context.Context, lists []*backoffice.WorkList, first *int, after *string,
	last *int, before *string, page, pageSize *int,
	orderBy *backoffice.CustomerOrder) ([]*backoffice.CustomerConnection, error) {
	return ofLists(ctx, lists, func(ctx context.Context, w *backoffice.WorkList) (*backoffice.CustomerConnection, error) {
		return query(r).Customers(ctx, first, after, last, before, page, pageSize, w.DifferingFilter(), orderBy)
	})
}

func (r workList) transcripts(ctx context.Context, lists []*backoffice.WorkList, orderBy *backoffice.TranscriptOrder,
	args backoffice.PageArgs, of func(*backoffice.WorkList) (*backoffice.TranscriptFilter, error),
) ([]*backoffice.TranscriptConnection, error) {
	ask := func(ctx context.Context, w *backoffice.WorkList) (*backoffice.TranscriptConnection, error) {
		filter, err := of(w)
		if err != nil {
			return nil, err
		}
		return query(r).transcripts(ctx, filter, orderBy, args)
	}
	return ofLists(ctx, lists, ask)
}

// ofLists asks for one page of each work list, all in one batch.
func ofLists[T any](ctx context.Context, lists []*backoffice.WorkList,
	ask func(context.Context, *backoffice.WorkList) (*T, error)) ([]*T, error) {
	pages, calls := make([]*T, len(lists)), make([]func(context.Context) error, len(lists))
	for i, list := range lists {
		calls[i] = func(ctx context.Context) (err error) {
			pages[i], err = ask(ctx, list)
			return err
		}
	}
	return pages, together(ctx, calls...)
}
