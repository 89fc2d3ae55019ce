package resolvers

import (
	"context"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/graph"
	"example.org/backoffice/loaders"
)

// Duplicates lists customers who share a value.
func (query) Duplicates(ctx context.Context, by backoffice.DuplicateKey, filter *backoffice.CustomerFilter,
	first *int) (*backoffice.Aggregate, error) {
	return searched(ctx, filter, func(criteria backoffice.CustomerCriteria) (*backoffice.Aggregate, []string, error) {
		q, err := backoffice.NewDuplicateQuery(auth.From(ctx), criteria, by, first)
		if err != nil {
			return nil, nil, err
		}
		found, err := customers.of(ctx).Groups(ctx, q)
		if err != nil {
			return nil, nil, err
		}
		var shown []string
		for _, group := range found.Groups {
			shown = append(shown, group.Members...)
		}
		return found, shown, nil
	})
}

type duplicateGroup struct{}

func (r *Root) DuplicateGroup() graph.DuplicateGroupResolver { return duplicateGroup{} }

// Customers loads the members of all groups at once.
func (duplicateGroup) Customers(ctx context.Context, groups []*backoffice.Group) ([][]*backoffice.Customer, error) {
	return listed(ctx, customers.of(ctx), groups, func(g *backoffice.Group) []string { return g.Members })
}

func aggregate[T backoffice.Entity, C comparable](ctx context.Context, noun *loaders.Noun[T, C], criteria C,
	by []backoffice.Dimension, first *int, between backoffice.TurnaroundBetween) (*backoffice.Aggregate, error) {
	q, err := backoffice.NewGroupQuery(criteria, by, first)
	if err != nil {
		return nil, err
	}
	q.Turnaround = between
	return noun.Groups(ctx, q)
}

func (query) TranscriptsAggregate(ctx context.Context, filter *backoffice.TranscriptFilter,
	groupBy []backoffice.Dimension, first *int,
	turnaround *backoffice.TurnaroundBetween) (*backoffice.Aggregate, error) {
	criteria, err := filter.Criteria()
	if err != nil {
		return nil, err
	}
	var between backoffice.TurnaroundBetween
	if turnaround != nil {
		between = *turnaround
	}
	return aggregate(ctx, transcriptNoun.of(ctx), criteria, groupBy, first, between)
}

func (query) CustomersAggregate(ctx context.Context, filter *backoffice.CustomerFilter, groupBy []backoffice.Dimension,
	first *int) (*backoffice.Aggregate, error) {
	return searched(ctx, filter, func(criteria backoffice.CustomerCriteria) (*backoffice.Aggregate, []string, error) {
		groups, err := aggregate(ctx, customers.of(ctx), criteria, groupBy, first, backoffice.TurnaroundBetween{})
		return groups, nil, err
	})
}
