package resolvers

import (
	"context"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/loaders"
)

func (customerDocument) Customer(ctx context.Context, documents []*backoffice.CustomerDocument) ([]*backoffice.Customer, error) {
	return linked(ctx, &loaders.From(ctx).Customers, documents, func(d *backoffice.CustomerDocument) string { return d.CustomerID })
}

func (documents) TotalCount(ctx context.Context, connections []*backoffice.CustomerDocumentConnection) ([]int, error) {
	return totals(ctx, &loaders.From(ctx).Documents, connections)
}
