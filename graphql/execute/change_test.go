package execute_test

import (
	"context"
	"math/rand/v2"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/graph"
)

type change struct{ *world }

func (r root) Change() graph.ChangeResolver { return change(r) }

func (w *world) change(d *rand.Rand) *backoffice.VisibleChange {
	clientID := id(d)
	c := &backoffice.VisibleChange{
		Sequence: d.IntN(1 << 20), At: instant(d), Noun: pick(d, []backoffice.Noun{backoffice.NounLabel, backoffice.NounRelation}), ObjectID: id(d),
		Action: pick(d, []backoffice.ChangeAction{backoffice.Created, backoffice.Deleted}), Fields: []string{word(d), word(d)},
		Parents: []backoffice.ChangeParent{{Noun: backoffice.NounCustomer, ID: id(d)}},
	}
	if !w.oneIn(d, 4) {
		c.ClientID = &clientID
	}
	return c
}

func (r query) Changes(ctx context.Context, after *string, since *backoffice.Instant, first *int, nouns []backoffice.Noun, latestOnly *bool) (*backoffice.ChangeConnection, error) {
	return one(r.world, ctx, "changes", []any{after, since, first, nouns, latestOnly}, func(d *rand.Rand) *backoffice.ChangeConnection {
		c := &backoffice.ChangeConnection{Page: &backoffice.ChangePage{Latest: d.Int64N(1 << 20)}}
		for range d.IntN(5) {
			c.Items = append(c.Items, r.change(d))
		}
		return c
	})
}

func (r change) Object(_ context.Context, objs []*backoffice.VisibleChange) ([]backoffice.Node, error) {
	return batch(r.world, "object", objs, func(c *backoffice.VisibleChange) string { return c.ObjectID }, nil, func(d *rand.Rand, _ *backoffice.VisibleChange) backoffice.Node {
		return query(r).node(d)
	})
}
