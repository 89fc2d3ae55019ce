package resolvers

import (
	"context"

	"example.org/backoffice/backoffice"
)

var relationNoun = nounOf(backoffice.RelationTable)

// relations resolves connections of relations, whose edges have fields of their own.
type relations struct{}

func (r query) Relations(ctx context.Context, first *int, after *string, last *int, before *string, page, pageSize *int,
	filter *backoffice.CustomerRelationFilter, asOf *string) (*backoffice.CustomerRelationConnection, error) {
	criteria := filter.Criteria()
	var err error
	if criteria.AsOf, err = backoffice.ParseDay(asOf); err != nil {
		return nil, err
	}
	c, err := all(ctx, r.Root, relationNoun.of(ctx), criteria, backoffice.ByID,
		pageArgs(first, after, last, before, page, pageSize))
	if err != nil {
		return nil, err
	}
	return &backoffice.CustomerRelationConnection{Connection: c}, nil
}

func (customerRelation) Customer(ctx context.Context,
	rows []*backoffice.CustomerRelation) ([]*backoffice.Customer, error) {
	return linked(ctx, customers.of(ctx), rows, func(r *backoffice.CustomerRelation) string { return r.CustomerID })
}

func (customerRelation) RelatedCustomer(ctx context.Context,
	rows []*backoffice.CustomerRelation) ([]*backoffice.Customer, error) {
	return linked(ctx, customers.of(ctx), rows,
		func(r *backoffice.CustomerRelation) string { return r.RelatedCustomerID })
}

func (customerRelationEdge) OtherCustomer(ctx context.Context,
	edges []*backoffice.CustomerRelationEdge) ([]*backoffice.Customer, error) {
	return linked(ctx, customers.of(ctx), edges, (*backoffice.CustomerRelationEdge).OtherID)
}

func (relations) TotalCount(ctx context.Context, connections []*backoffice.CustomerRelationConnection) ([]int, error) {
	plain := make([]*backoffice.Connection[*backoffice.CustomerRelation, backoffice.RelationCriteria], len(connections))
	for i, c := range connections {
		if c != nil {
			plain[i] = c.Connection
		}
	}
	return relationNoun.TotalCount(ctx, plain)
}
