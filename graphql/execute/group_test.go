package execute_test

import (
	"context"
	"math/rand/v2"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/graph"
)

func (w *world) aggregate(by []backoffice.Dimension) func(*rand.Rand) *backoffice.Aggregate {
	return func(d *rand.Rand) *backoffice.Aggregate {
		return &backoffice.Aggregate{TotalCount: d.IntN(100), GroupCount: d.IntN(20), Groups: some(w, d, func(d *rand.Rand) *backoffice.Group {
			group := &backoffice.Group{Count: d.IntN(50), CompletedCount: d.IntN(50), AverageProgress: d.Float64() * 100}
			for _, dimension := range by {
				value := strange[d.IntN(len(strange))]
				group.Keys = append(group.Keys, &backoffice.GroupKey{Dimension: dimension, Value: backoffice.Text(value), Label: value})
			}
			return group
		})}
	}
}

func (r query) CustomersAggregate(ctx context.Context, filter *backoffice.CustomerFilter, groupBy []backoffice.Dimension, first *int) (*backoffice.Aggregate, error) {
	return single(r.world, ctx, "customersAggregate", []any{filter, groupBy, first}, r.aggregate(groupBy))
}

func (r query) TranscriptsAggregate(ctx context.Context, filter *backoffice.TranscriptFilter, groupBy []backoffice.Dimension, first *int, turnaround *backoffice.TurnaroundBetween) (*backoffice.Aggregate, error) {
	return single(r.world, ctx, "transcriptsAggregate", []any{filter, groupBy, first, turnaround}, r.aggregate(groupBy))
}

func (r query) TranscriptDiff(ctx context.Context, left, right string) (*backoffice.TranscriptDiff, error) {
	variable := func(d *rand.Rand) *backoffice.TranscriptVariable {
		return &backoffice.TranscriptVariable{Key: strange[d.IntN(len(strange))], Value: `{"a":[1.0,null]}`}
	}
	return single(r.world, ctx, "transcriptDiff", []any{left, right}, func(d *rand.Rand) *backoffice.TranscriptDiff {
		return &backoffice.TranscriptDiff{Added: some(r.world, d, variable), Removed: some(r.world, d, variable),
			Changed: []*backoffice.ChangedVariable{{Key: strange[d.IntN(len(strange))], Left: "null", Right: `"a"`}}}
	})
}

func (r query) CustomerBy(ctx context.Context, key backoffice.CustomerKey) (*backoffice.Customer, error) {
	return single(r.world, ctx, "customerBy", []any{key}, r.customer)
}

func (r query) Duplicates(ctx context.Context, by backoffice.DuplicateKey, filter *backoffice.CustomerFilter, first *int) (*backoffice.Aggregate, error) {
	return single(r.world, ctx, "duplicates", []any{by, filter, first}, r.aggregate([]backoffice.Dimension{backoffice.GroupByEmail}))
}

type duplicateGroup struct{ *world }

func (r root) DuplicateGroup() graph.DuplicateGroupResolver { return duplicateGroup(r) }

func (r duplicateGroup) Customers(ctx context.Context, groups []*backoffice.Group) ([][]*backoffice.Customer, error) {
	return batch(r.world, "duplicateGroup.customers", groups, (*backoffice.Group).Value, nil, func(d *rand.Rand, _ *backoffice.Group) []*backoffice.Customer { return some(r.world, d, r.customer) })
}
