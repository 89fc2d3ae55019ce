package resolvers

import (
	"context"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/graph"
	"example.org/backoffice/loaders"
)

type change struct{}

func (r *Root) Change() graph.ChangeResolver { return change{} }

// defaultChanges is the size of a page without first.
const defaultChanges = 100

func (query) Changes(ctx context.Context, after *string, since *backoffice.Instant, first *int, nouns []backoffice.Noun,
	latestOnly *bool) (*backoffice.ChangeConnection, error) {
	size, err := most(first, defaultChanges, backoffice.MaxPageSize)
	if err != nil {
		return nil, err
	}
	q := backoffice.ChangeQuery{After: backoffice.FromOldest, First: size}
	changes := &loaders.From(ctx).Changes
	backoffice.FollowOnPrimary(ctx)
	switch {
	case after != nil && since != nil:
		return nil, backoffice.Errorf(backoffice.BadInput, "after and since cannot be combined")
	case since != nil:
		if q.After, err = changes.Before(ctx, *since); err != nil {
			return nil, err
		}
	case after != nil:
		if q.History, q.After, err = backoffice.ParseChangeCursor(*after); err != nil {
			return nil, err
		}
	}
	q.Kinds = backoffice.ChangesVisibleTo(auth.From(ctx), nouns)
	q.Seeing = backoffice.ChangesVisibleTo(auth.From(ctx), nil)
	var page, visible *backoffice.ChangePage
	reads := []func(context.Context) error{
		func(ctx context.Context) (err error) { page, err = changes.Page(ctx, q); return err },
	}
	if since != nil {
		reads = append(reads, func(ctx context.Context) (err error) {
			visible, err = changes.Page(ctx, backoffice.ChangeQuery{After: backoffice.FromOldest, Seeing: q.Seeing})
			return err
		})
	}
	if err = together(ctx, reads...); err == nil {
		err = page.Expired(q.History, q.After)
	}
	if err != nil {
		return nil, err
	}
	if visible != nil { // entries that the caller may not see do not move the end
		page.Seen = visible.Seen
	}
	shown := page.Show(q.Kinds)
	if latestOnly != nil && *latestOnly {
		shown = backoffice.LatestOnly(shown)
	}
	anyBefore := func(ctx context.Context) (bool, error) {
		oldest, err := changes.Page(ctx, backoffice.ChangeQuery{After: backoffice.FromOldest, First: 1, Kinds: q.Kinds})
		return err == nil && len(oldest.Changes) > 0 && oldest.Changes[0].Sequence <= q.After, err
	}
	return &backoffice.ChangeConnection{Items: shown, Page: page, After: q.After, AnyBefore: anyBefore}, nil
}

// Object loads the objects of changes with one statement per noun. Those that need a scope the viewer lacks are nil.
func (change) Object(ctx context.Context, changes []*backoffice.VisibleChange) ([]backoffice.Node, error) {
	ids := make([]string, len(changes))
	nouns := make([]backoffice.Noun, len(changes))
	for i, c := range changes {
		if c != nil {
			ids[i], nouns[i] = c.ObjectID, c.Noun
		}
	}
	return nodesOfNouns(ctx, ids, nouns)
}
