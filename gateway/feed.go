package gateway

import (
	"cmp"
	"context"

	"github.com/99designs/gqlgen/graphql"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/changes"
	"example.org/backoffice/graphql/execute"
	"example.org/backoffice/graphql/graphqlhttp"
)

// subscription is a subscription to the change feed: the schema executes what a reader of the feed returns.
type subscription struct {
	own    context.Context
	leave  func()
	reader *changes.Reader
	schema *execute.Executor
	events execute.Of[*backoffice.ChangeEvent]
}

// subscribe begins subscriptions, all of one kind.
func (s server) subscribe(schema *execute.Executor) graphqlhttp.Subscribe {
	return func(ctx context.Context, e graphqlhttp.Entry) (_ graphqlhttp.Subscription, err error) {
		charge, err := s.budgets.spend(ctx, e.Cost, e.Least)
		if err != nil {
			return nil, err
		}
		defer func() {
			if err != nil {
				charge(false)
			}
		}()
		_, args, err := schema.Subscribed(ctx)
		if err != nil {
			return nil, err
		}
		history, after := "", backoffice.FromOldest // which means the end, for a reader that follows
		if cursor, _ := args["after"].(*string); cursor != nil {
			if history, after, err = backoffice.ParseChangeCursor(*cursor); err != nil {
				return nil, err
			}
		}
		nouns, _ := args["nouns"].([]backoffice.Noun)
		own, leave, err := s.feed.Enter(ctx, auth.From(ctx))
		if err != nil {
			return nil, err
		}
		reader, err := s.feed.Follow(own, history, after, backoffice.ChangesVisibleTo(auth.From(ctx), nouns))
		if err != nil {
			defer leave()
			return nil, cmp.Or(context.Cause(own), err)
		}
		return &subscription{own: own, leave: func() { leave(); charge(true) }, reader: reader, schema: schema}, nil
	}
}

func (s *subscription) Context() context.Context { return s.own }
func (s *subscription) Leave()                   { s.leave() }

func (s *subscription) Next(ctx context.Context, most int) (int, error) {
	told, err := s.reader.Next(ctx, most)
	s.events = s.events[:0]
	for _, c := range told {
		s.events = append(s.events, &backoffice.ChangeEvent{Changes: c})
	}
	return len(told), err
}

func (s *subscription) Event(i int) graphqlhttp.Event {
	c := s.events[i].Changes
	return graphqlhttp.Event{Sequence: c.Sequence, Cursor: c.Cursor, Noun: string(c.Noun), ObjectID: c.ObjectID,
		Action: string(c.Action)}
}

// Events reads the records after the changes and from the primary server: none is older than a change sent with it.
func (s *subscription) Events(ctx context.Context, from, before int,
	present graphql.ErrorPresenterFunc) ([]*graphql.Response, error) {
	backoffice.FollowOnPrimary(ctx)
	return s.schema.Events(ctx, s.events[from:before], present)
}
