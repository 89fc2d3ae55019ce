package resolvers

import (
	"context"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/graph"
)

var recordedDiscrepancies = nounOf(backoffice.DiscrepancyTable)

type recordedDiscrepancy struct{}

func (r *Root) Discrepancy() graph.DiscrepancyResolver { return recordedDiscrepancy{} }

func (r *Root) DiscrepancyConnection() graph.DiscrepancyConnectionResolver {
	return recordedDiscrepancies
}

func (r query) Discrepancies(ctx context.Context, first *int, after *string, last *int, before *string, page,
	pageSize *int, filter *backoffice.DiscrepancyFilter) (*backoffice.DiscrepancyConnection, error) {
	return all(ctx, r.Root, recordedDiscrepancies.of(ctx), filter.Criteria(), backoffice.ByID,
		pageArgs(first, after, last, before, page, pageSize))
}

func (r customer) Discrepancies(ctx context.Context, customers []*backoffice.Customer, first *int, after *string,
	last *int, before *string, page, pageSize *int,
	filter *backoffice.DiscrepancyFilter) ([]*backoffice.DiscrepancyConnection, error) {
	return below(ctx, r.Root, recordedDiscrepancies.of(ctx), customers, (*backoffice.Customer).Identity,
		backoffice.OfCustomer, filter.Criteria(), backoffice.ByID, pageArgs(first, after, last, before, page, pageSize))
}

func (recordedDiscrepancy) Customer(ctx context.Context,
	rows []*backoffice.Discrepancy) ([]*backoffice.Customer, error) {
	return linked(ctx, customers.of(ctx), rows, func(d *backoffice.Discrepancy) string { return d.CustomerID })
}

func (recordedDiscrepancy) Person(ctx context.Context, rows []*backoffice.Discrepancy) ([]*backoffice.Customer, error) {
	return linked(ctx, customers.of(ctx), rows, func(d *backoffice.Discrepancy) string { return d.PersonID })
}
