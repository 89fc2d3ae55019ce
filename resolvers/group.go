package resolvers

import (
	"context"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/graph"
	"example.org/backoffice/loaders"
	"example.org/backoffice/privacy"
)

// Duplicates lists customers who share a value. One by registration number reports to the register those it finds: the
// members of the groups that the answer shows, and of as many others as make DefaultDuplicates, as counts confirm too.
func (query) Duplicates(ctx context.Context, by backoffice.DuplicateKey, filter *backoffice.CustomerFilter,
	first *int) (*backoffice.Aggregate, error) {
	return searched(ctx, filter, func(criteria backoffice.CustomerCriteria) (*backoffice.Aggregate, []string, error) {
		search := privacy.Search(ctx)
		q, err := backoffice.NewDuplicateQuery(criteria, by, first, search.Begin)
		if err != nil {
			return nil, nil, err
		}
		wanted := q.First
		if by == backoffice.SameRegistrationNumber {
			q.First = max(wanted, backoffice.DefaultDuplicates)
		}
		found, err := customers.of(ctx).Groups(ctx, q)
		if err != nil {
			return nil, nil, err
		}
		var members []string
		for _, group := range found.Groups {
			members = append(members, group.Members...)
		}
		search.Found(members...)
		answer := *found
		answer.Groups = answer.Groups[:min(wanted, len(answer.Groups))]
		return &answer, members, nil
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
