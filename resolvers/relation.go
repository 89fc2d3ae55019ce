package resolvers

import (
	"context"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/loaders"
)

func (customerRelation) Customer(ctx context.Context, relations []*backoffice.CustomerRelation) ([]*backoffice.Customer, error) {
	return linked(ctx, &loaders.From(ctx).Customers, relations, func(r *backoffice.CustomerRelation) string { return r.CustomerID })
}

func (customerRelation) RelatedCustomer(ctx context.Context, relations []*backoffice.CustomerRelation) ([]*backoffice.Customer, error) {
	return linked(ctx, &loaders.From(ctx).Customers, relations, func(r *backoffice.CustomerRelation) string { return r.RelatedCustomerID })
}

func (customerRelationEdge) OtherCustomer(ctx context.Context, edges []*backoffice.CustomerRelationEdge) ([]*backoffice.Customer, error) {
	return linked(ctx, &loaders.From(ctx).Customers, edges, (*backoffice.CustomerRelationEdge).OtherID)
}

func (relations) TotalCount(ctx context.Context, connections []*backoffice.CustomerRelationConnection) ([]int, error) {
	plain := make([]*backoffice.Connection[*backoffice.CustomerRelation, backoffice.RelationCriteria], len(connections))
	for i, c := range connections {
		if c != nil {
			plain[i] = &c.Connection
		}
	}
	return totals(ctx, &loaders.From(ctx).Relations, plain)
}
