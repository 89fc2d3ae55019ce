package resolvers

import (
	"context"

	"example.org/backoffice/backoffice"
)

var minfinDocuments = nounOf(backoffice.MinfinTable)

func (query) MinfinDocument(ctx context.Context, id string) (*backoffice.MinfinDocument, error) {
	return minfinDocuments.of(ctx).One(ctx, id)
}

func (r query) MinfinDocuments(ctx context.Context, first *int, after *string, last *int, before *string,
	page, pageSize *int, filter *backoffice.MinfinDocumentFilter) (*backoffice.MinfinDocumentConnection, error) {
	return all(ctx, r.Root, minfinDocuments.of(ctx), filter.Criteria(), backoffice.ByID,
		pageArgs(first, after, last, before, page, pageSize))
}

func (minfinDocument) Customer(ctx context.Context, rows []*backoffice.MinfinDocument) ([]*backoffice.Customer, error) {
	return linked(ctx, customers.of(ctx), rows, func(d *backoffice.MinfinDocument) string { return d.CustomerID })
}

func (minfinDocument) FinancialYear(ctx context.Context,
	rows []*backoffice.MinfinDocument) ([]*backoffice.FinancialYear, error) {
	return linked(ctx, financialYears.of(ctx), rows,
		func(d *backoffice.MinfinDocument) string { return d.FinancialYearID })
}
