package resolvers

import (
	"context"
	"reflect"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/loaders"
)

// ids gives the identifiers of parents, in their order; a parent may be nil.
func ids[P any](parents []*P, of func(*P) string) []string {
	list := make([]string, len(parents))
	for i, parent := range parents {
		if parent != nil {
			list[i] = of(parent)
		}
	}
	return list
}

// linked loads the row that each parent refers to, nil for a parent that refers to none.
func linked[P any, T backoffice.Entity, C comparable](ctx context.Context, noun *loaders.Noun[T, C], parents []*P, of func(*P) string) ([]T, error) {
	return found(ids(parents, of), func(keys []string) ([]T, error) { return noun.All(ctx, keys) })
}

// found asks for the keys that are not empty and puts the answers in the keys' places.
func found[T any](keys []string, ask func([]string) ([]T, error)) ([]T, error) {
	asked, places := keys, []int(nil)
	for i, key := range keys {
		if key == "" && places == nil {
			places = make([]int, 0, len(keys))
			asked = append([]string(nil), keys[:i]...)
			for at := range i {
				places = append(places, at)
			}
		}
		if places != nil && key != "" {
			asked, places = append(asked, key), append(places, i)
		}
	}
	answers, err := ask(asked)
	if err != nil {
		return nil, err
	}
	if places == nil {
		return answers, nil
	}
	spread := make([]T, len(keys))
	for i, at := range places {
		spread[at] = answers[i]
	}
	return spread, nil
}

// question makes a list's question from the paging arguments.
func question[T backoffice.Entity, C comparable](r *Root, noun *loaders.Noun[T, C], under backoffice.Parent, criteria C, order backoffice.Order, args backoffice.PageArgs) (*backoffice.List[C], error) {
	of := reflect.TypeFor[T]().Elem().Name() // rows are pointers
	window, err := args.Window(order, func(cursor string) (backoffice.Order, backoffice.Position, error) {
		return r.openCursor(of, cursor)
	})
	if err != nil {
		return nil, err
	}
	seal := func(order backoffice.Order, at backoffice.Position) string { return r.sealCursor(of, order, at) }
	ask := backoffice.ListQuery[C]{Under: under, Criteria: criteria, Order: order, Window: window}
	return &backoffice.List[C]{Ask: ask, Seal: seal, Exists: func(ctx context.Context, window backoffice.Window, parents []string) ([]bool, error) {
		look := ask
		look.Window = window
		pages, err := noun.Pages(ctx, look, parents)
		if err != nil {
			return nil, err
		}
		exists := make([]bool, len(pages))
		for i, page := range pages {
			exists[i] = page.More
		}
		return exists, nil
	}}, nil
}

// pages answers the question about each parent. There is no error per parent: a page that cannot be read fails them all.
func pages[T backoffice.Entity, C comparable](ctx context.Context, noun *loaders.Noun[T, C], list *backoffice.List[C], parents []string) ([]backoffice.Connection[T, C], error) {
	answers, err := noun.Pages(ctx, list.Ask, parents)
	if err != nil {
		return nil, err
	}
	block := make([]backoffice.Connection[T, C], len(answers))
	for i, page := range answers {
		block[i] = backoffice.Connection[T, C]{List: list, Parent: parents[i], Items: page.Items, More: page.More}
	}
	return block, nil
}

// pointers points into a block of connections.
func pointers[T any](block []T, err error) ([]*T, error) {
	if err != nil {
		return nil, err
	}
	list := make([]*T, len(block))
	for i := range block {
		list[i] = &block[i]
	}
	return list, nil
}

// below lists what hangs on each parent.
func below[P any, T backoffice.Entity, C comparable](ctx context.Context, r *Root, noun *loaders.Noun[T, C], parents []*P, of func(*P) string, under backoffice.Parent, criteria C, order backoffice.Order, args backoffice.PageArgs) ([]backoffice.Connection[T, C], error) {
	list, err := question(r, noun, under, criteria, order, args)
	if err != nil {
		return nil, err
	}
	return pages(ctx, noun, list, ids(parents, of))
}

// all lists a noun from the root.
func all[T backoffice.Entity, C comparable](ctx context.Context, r *Root, noun *loaders.Noun[T, C], criteria C, order backoffice.Order, args backoffice.PageArgs) (*backoffice.Connection[T, C], error) {
	list, err := question(r, noun, backoffice.Root, criteria, order, args)
	if err != nil {
		return nil, err
	}
	block, err := pages(ctx, noun, list, []string{backoffice.NoParent})
	if err != nil {
		return nil, err
	}
	return &block[0], nil
}

// totals counts the whole list of each connection. Connections of one field share their list, and travel as one.
func totals[T backoffice.Entity, C comparable](ctx context.Context, noun *loaders.Noun[T, C], connections []*backoffice.Connection[T, C]) ([]int, error) {
	return perList(ctx, connections, func(list *backoffice.List[C], parents []string) ([]int, error) {
		return noun.Counts(ctx, list.Ask.Under, list.Ask.Criteria, parents)
	})
}

// perList asks once for each list among the connections and puts the answers in the connections' places.
func perList[T backoffice.Entity, C comparable, V any](ctx context.Context, connections []*backoffice.Connection[T, C], ask func(*backoffice.List[C], []string) ([]V, error)) ([]V, error) {
	answers := make([]V, len(connections))
	var lists []*backoffice.List[C]
	places := map[*backoffice.List[C]][]int{}
	for i, c := range connections {
		if c == nil {
			continue
		}
		if _, known := places[c.List]; !known {
			lists = append(lists, c.List)
		}
		places[c.List] = append(places[c.List], i)
	}
	if len(lists) > 1 {
		loaders.From(ctx).AsksAgain()
	}
	for _, list := range lists {
		at := places[list]
		parents := make([]string, len(at))
		for i, place := range at {
			parents[i] = connections[place].Parent
		}
		values, err := ask(list, parents)
		if err != nil {
			return nil, err
		}
		for i, place := range at {
			answers[place] = values[i]
		}
	}
	return answers, nil
}
