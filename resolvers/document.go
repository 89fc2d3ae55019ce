package resolvers

import (
	"context"

	"example.org/backoffice/backoffice"
)

var documents = nounOf(backoffice.DocumentTable)

func (r query) Documents(ctx context.Context, first *int, after *string, last *int, before *string, page *int, pageSize *int, filter *backoffice.CustomerDocumentFilter, orderBy *backoffice.CustomerDocumentOrder) (*backoffice.CustomerDocumentConnection, error) {
	return all(ctx, r.Root, documents.of(ctx), filter.Criteria(), orderBy.Order(),
		backoffice.PageArgs{First: first, Last: last, After: after, Before: before, Page: page, PageSize: pageSize})
}

func (customerDocument) Customer(ctx context.Context, documents []*backoffice.CustomerDocument) ([]*backoffice.Customer, error) {
	return linked(ctx, customers.of(ctx), documents, func(d *backoffice.CustomerDocument) string { return d.CustomerID })
}
