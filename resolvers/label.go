package resolvers

import (
	"context"

	"example.org/backoffice/backoffice"
)

var labels = nounOf(backoffice.LabelTable)

func (query) Label(ctx context.Context, id string) (*backoffice.Label, error) {
	return labels.of(ctx).One(ctx, id)
}

func (r query) Labels(ctx context.Context, first *int, after *string, last *int, before *string, page, pageSize *int,
	orderBy *backoffice.LabelOrder) (*backoffice.LabelConnection, error) {
	return all(ctx, r.Root, labels.of(ctx), backoffice.LabelCriteria{}, orderBy.Order(),
		pageArgs(first, after, last, before, page, pageSize))
}
