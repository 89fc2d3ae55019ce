package resolvers

import (
	"context"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/loaders"
)

const maxNodes = 100

func (r query) Node(ctx context.Context, id string) (backoffice.Node, error) {
	return loaders.Only(r.Nodes(ctx, []string{id}))
}

// Nodes loads each noun once. Objects that need a scope the viewer lacks are null.
func (query) Nodes(ctx context.Context, ids []string) ([]backoffice.Node, error) {
	if len(ids) > maxNodes {
		return nil, backoffice.Errorf(backoffice.BadInput, "ids takes at most %d identifiers", maxNodes)
	}
	nouns, err := loaders.From(ctx).Nouns.All(ctx, ids)
	if err != nil {
		return nil, err
	}
	return nodesOfNouns(ctx, ids, nouns)
}

// nodesOfNouns loads objects by their nouns, "" for an unknown one.
func nodesOfNouns(ctx context.Context, ids []string, nouns []backoffice.Noun) ([]backoffice.Node, error) {
	places := map[backoffice.Noun][]int{}
	for i, noun := range nouns {
		if noun != "" {
			places[noun] = append(places[noun], i)
		}
	}
	nodes := make([]backoffice.Node, len(ids))
	var calls []func(context.Context) error
	for noun, at := range places {
		if of := nodesOf[noun]; auth.From(ctx).HasRequired(of.requiredScope) {
			calls = append(calls, func(ctx context.Context) error { return of.fill(ctx, ids, at, nodes) })
		}
	}
	return nodes, together(ctx, calls...)
}

type nodeNoun struct {
	requiredScope backoffice.Scope // "" for none
	fill          func(ctx context.Context, ids []string, places []int, nodes []backoffice.Node) error
}

var nodesOf = map[backoffice.Noun]nodeNoun{}

// noun is shared by each noun's resolvers: its rows are nodes, and its connections have a total.
type noun[T row, C comparable] struct{ backoffice.NounOf[T, C] }

func nounOf[T row, C comparable](of backoffice.NounOf[T, C]) noun[T, C] {
	n := noun[T, C]{of}
	nodesOf[of.Name()] = nodeNoun{of.RequiredScope(), n.fill}
	return n
}

func (n noun[T, C]) of(ctx context.Context) *loaders.Noun[T, C] { return loaders.In(ctx, n.NounOf) }

type row interface {
	comparable
	backoffice.Entity
}

func (n noun[T, C]) fill(ctx context.Context, ids []string, places []int, nodes []backoffice.Node) error {
	rows, err := n.of(ctx).All(ctx, backoffice.Map(places, func(place int) string { return ids[place] }))
	if err != nil {
		return err
	}
	var none T
	for i, place := range places {
		if rows[i] != none {
			nodes[place] = rows[i]
		}
	}
	return nil
}
