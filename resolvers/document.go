package resolvers

import (
	"context"

	"example.org/backoffice/backoffice"
)

var documents = nounOf(backoffice.DocumentTable)

func (r query) Documents(ctx context.Context, first *int, after *string, last *int, before *string, page, pageSize *int,
	filter *backoffice.CustomerDocumentFilter,
	orderBy *backoffice.CustomerDocumentOrder) (*backoffice.CustomerDocumentConnection, error) {
	return all(ctx, r.Root, documents.of(ctx), filter.Criteria(), orderBy.Order(),
		pageArgs(first, after, last, before, page, pageSize))
}

func (customerDocument) Customer(ctx context.Context,
	rows []*backoffice.CustomerDocument) ([]*backoffice.Customer, error) {
	return linked(ctx, customers.of(ctx), rows, func(d *backoffice.CustomerDocument) string { return d.CustomerID })
}
