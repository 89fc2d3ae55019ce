package resolvers

import (
	"context"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/loaders"
)

func aggregate[T backoffice.Entity, C comparable](ctx context.Context, noun *loaders.Noun[T, C], criteria C,
	by []backoffice.Dimension, first *int) (*backoffice.Aggregate, error) {
	q, err := backoffice.NewGroupQuery(criteria, by, first)
	if err != nil {
		return nil, err
	}
	return noun.Groups(ctx, q)
}

func (query) TranscriptsAggregate(ctx context.Context, filter *backoffice.TranscriptFilter,
	groupBy []backoffice.Dimension, first *int) (*backoffice.Aggregate, error) {
	criteria, err := filter.Criteria()
	if err != nil {
		return nil, err
	}
	return aggregate(ctx, transcriptNoun.of(ctx), criteria, groupBy, first)
}

func (query) CustomersAggregate(ctx context.Context, filter *backoffice.CustomerFilter, groupBy []backoffice.Dimension,
	first *int) (*backoffice.Aggregate, error) {
	return searched(ctx, filter, func(criteria backoffice.CustomerCriteria) (*backoffice.Aggregate, []string, error) {
		groups, err := aggregate(ctx, customers.of(ctx), criteria, groupBy, first)
		return groups, nil, err
	})
}
