package resolvers

import (
	"context"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/loaders"
)

var documents = nounOf(backoffice.NounDocument, "", func(l *loaders.Loaders) *loaders.Noun[*backoffice.CustomerDocument, backoffice.DocumentCriteria] {
	return &l.Documents
})

func (r query) Documents(ctx context.Context, first *int, after *string, last *int, before *string, page *int, pageSize *int, filter *backoffice.CustomerDocumentFilter, orderBy *backoffice.CustomerDocumentOrder) (*backoffice.CustomerDocumentConnection, error) {
	return all(ctx, r.Root, &loaders.From(ctx).Documents, filter.Criteria(), orderBy.Order(),
		backoffice.PageArgs{First: first, Last: last, After: after, Before: before, Page: page, PageSize: pageSize})
}

func (customerDocument) Customer(ctx context.Context, documents []*backoffice.CustomerDocument) ([]*backoffice.Customer, error) {
	return linked(ctx, &loaders.From(ctx).Customers, documents, func(d *backoffice.CustomerDocument) string { return d.CustomerID })
}
