package resolvers

import (
	"context"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/loaders"
)

var labels = nounOf(backoffice.NounLabel, "", func(l *loaders.Loaders) *loaders.Noun[*backoffice.Label, backoffice.LabelCriteria] {
	return &l.Labels
})

func (query) Label(ctx context.Context, id string) (*backoffice.Label, error) {
	return loaders.From(ctx).Labels.One(ctx, id)
}

func (r query) Labels(ctx context.Context, first *int, after *string, last *int, before *string, page *int, pageSize *int, orderBy *backoffice.LabelOrder) (*backoffice.LabelConnection, error) {
	return all(ctx, r.Root, &loaders.From(ctx).Labels, backoffice.LabelCriteria{}, orderBy.Order(),
		backoffice.PageArgs{First: first, Last: last, After: after, Before: before, Page: page, PageSize: pageSize})
}
