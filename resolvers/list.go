package resolvers

import (
	"cmp"
	"context"
	"reflect"
	"slices"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/loaders"
)

func ids[P any](parents []*P, of func(*P) string) []string {
	list := make([]string, len(parents))
	for i, parent := range parents {
		if parent != nil {
			list[i] = of(parent)
		}
	}
	return list
}

// linked loads the row that each parent refers to, nil without one.
func linked[P any, T backoffice.Entity, C comparable](ctx context.Context, noun *loaders.Noun[T, C], parents []*P,
	of func(*P) string) ([]T, error) {
	return found(ids(parents, of), func(keys []string) ([]T, error) { return noun.All(ctx, keys) })
}

// listed loads the rows that the parents list, all at once. Those that no longer exist are left out.
func listed[P, R any, T interface {
	*R
	backoffice.Entity
}, C comparable](ctx context.Context, noun *loaders.Noun[T, C], parents []*P, of func(*P) []string) ([][]T, error) {
	var wanted []string
	for _, parent := range parents {
		if parent != nil {
			wanted = append(wanted, of(parent)...)
		}
	}
	rows, err := noun.All(ctx, wanted)
	if err != nil {
		return nil, err
	}
	lists := make([][]T, len(parents))
	for i, parent := range parents {
		lists[i] = []T{}
		if parent == nil {
			continue
		}
		n := len(of(parent))
		for _, row := range rows[:n] {
			if row != nil {
				lists[i] = append(lists[i], row)
			}
		}
		rows = rows[n:]
	}
	return lists, nil
}

// found asks for the keys that are not empty and returns each answer at its key's index.
func found[T any](keys []string, ask func([]string) ([]T, error)) ([]T, error) {
	if !slices.Contains(keys, "") {
		return ask(keys)
	}
	answers, err := ask(slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return key == "" }))
	if err != nil {
		return nil, err
	}
	spread := make([]T, len(keys))
	for i, key := range keys {
		if key != "" {
			spread[i], answers = answers[0], answers[1:]
		}
	}
	return spread, nil
}

// searchOf identifies the search of a list by relevance: each has an order of its own.
func searchOf[C comparable](criteria C, order backoffice.Order) string {
	if order.Key == backoffice.KeyRelevance {
		return any(criteria).(backoffice.CustomerCriteria).SearchDigest()
	}
	return ""
}

func question[T backoffice.Entity, C comparable](r *Root, noun *loaders.Noun[T, C], under backoffice.Parent, criteria C,
	order backoffice.Order, args backoffice.PageArgs) (*backoffice.List[C], error) {
	of := reflect.TypeFor[T]().Elem().Name() + searchOf(criteria, order) // rows are pointers
	window, err := args.Window(order, func(cursor string) (backoffice.Order, backoffice.Position, error) {
		return r.openCursor(of, cursor)
	})
	if err != nil {
		return nil, err
	}
	seal := func(order backoffice.Order, at backoffice.Position) string { return r.sealCursor(of, order, at) }
	ask := backoffice.ListQuery[C]{Parent: under, Criteria: criteria, Order: order, Window: window}
	exists := func(ctx context.Context, window backoffice.Window, parents []string) ([]bool, error) {
		look := ask
		look.Window = window
		pages, err := noun.Pages(ctx, look, parents)
		if err != nil {
			return nil, err
		}
		return backoffice.Map(pages, func(page backoffice.Page[T]) bool { return page.More }), nil
	}
	return &backoffice.List[C]{Ask: ask, Seal: seal, Exists: exists}, nil
}

// pages asks for a page of each parent; one that cannot be read fails them all.
func pages[T backoffice.Entity, C comparable](ctx context.Context, noun *loaders.Noun[T, C], list *backoffice.List[C],
	parents []string) ([]*backoffice.Connection[T, C], error) {
	answers := make([]backoffice.Page[T], len(parents))
	if rows := loaders.Selects(ctx, "nodes") || loaders.Selects(ctx, "edges"); rows && list.Ask.Window.Limit > 0 ||
		loaders.Selects(ctx, "pageInfo") {
		var err error // else only the total is read
		if answers, err = noun.Pages(ctx, list.Ask, parents); err != nil {
			return nil, err
		}
	}
	block := make([]backoffice.Connection[T, C], len(answers))
	connections := make([]*backoffice.Connection[T, C], len(answers))
	for i, page := range answers {
		block[i] = backoffice.Connection[T, C]{List: list, Parent: parents[i], Items: page.Items,
			Positions: page.Positions, More: page.More}
		connections[i] = &block[i]
	}
	return connections, nil
}

// firsts returns the first row of each parent's list, nil for an empty one.
func firsts[T backoffice.Entity, C comparable](ctx context.Context, noun *loaders.Noun[T, C],
	ask backoffice.ListQuery[C], parents []string) ([]T, error) {
	pages, err := noun.Pages(ctx, ask, parents)
	if err != nil {
		return nil, err
	}
	rows := make([]T, len(pages))
	for i, page := range pages {
		if len(page.Items) > 0 {
			rows[i] = page.Items[0]
		}
	}
	return rows, nil
}

// most is a list's first argument. Errors: BadInput outside 0 to limit.
func most(first *int, byDefault, limit int) (int, error) {
	if first == nil {
		return byDefault, nil
	}
	if *first < 0 || *first > limit {
		return 0, backoffice.Errorf(backoffice.BadInput, "first must be 0 to %d", limit)
	}
	return *first, nil
}

func pageArgs(first *int, after *string, last *int, before *string, page, pageSize *int) backoffice.PageArgs {
	return backoffice.PageArgs{First: first, Last: last, After: after, Before: before, Page: page, PageSize: pageSize}
}

func below[P any, T backoffice.Entity, C comparable](ctx context.Context, r *Root, noun *loaders.Noun[T, C],
	parents []*P, of func(*P) string, under backoffice.Parent, criteria C, order backoffice.Order,
	args backoffice.PageArgs) ([]*backoffice.Connection[T, C], error) {
	list, err := question(r, noun, under, criteria, order, args)
	if err != nil {
		return nil, err
	}
	return pages(ctx, noun, list, ids(parents, of))
}

func all[T backoffice.Entity, C comparable](ctx context.Context, r *Root, noun *loaders.Noun[T, C], criteria C,
	order backoffice.Order, args backoffice.PageArgs) (*backoffice.Connection[T, C], error) {
	list, err := question(r, noun, backoffice.Root, criteria, order, args)
	if err != nil {
		return nil, err
	}
	return loaders.Only(pages(ctx, noun, list, []string{backoffice.NoParent}))
}

// known returns a page of a list that is wholly in memory, ordered by identifier.
func known[T backoffice.Entity, C comparable](r *Root, whole []T,
	args backoffice.PageArgs) (*backoffice.Connection[T, C], error) {
	of := reflect.TypeFor[T]().Elem().Name()
	window, err := args.Window(backoffice.ByID, func(cursor string) (backoffice.Order, backoffice.Position, error) {
		return r.openCursor(of, cursor)
	})
	if err != nil {
		return nil, err
	}
	seal := func(order backoffice.Order, at backoffice.Position) string { return r.sealCursor(of, order, at) }
	return backoffice.Known[T, C](whole, window, seal), nil
}

// TotalCount counts the whole list of each connection. Connections of one field share their list and its statement.
func (n noun[T, C]) TotalCount(ctx context.Context, connections []*backoffice.Connection[T, C]) ([]int, error) {
	count := func(whole []T) int { return len(whole) }
	return perList(ctx, connections, count, func(list *backoffice.List[C], parents []string) ([]int, error) {
		return n.of(ctx).Counts(ctx, list.Ask.Parent, list.Ask.Criteria, parents)
	})
}

// perList asks once per list and returns each answer at its connection's index. of answers for a list in memory.
func perList[T backoffice.Entity, C comparable, V any](ctx context.Context, connections []*backoffice.Connection[T, C],
	of func(whole []T) V, ask func(*backoffice.List[C], []string) ([]V, error)) ([]V, error) {
	answers := make([]V, len(connections))
	err := grouped(ctx, answers, func(i int) (list *backoffice.List[C], asks bool) {
		if connections[i] == nil {
			return nil, false
		}
		if whole := connections[i].Whole; whole != nil {
			answers[i] = of(whole)
			return nil, false
		}
		return connections[i].List, true
	}, func(places []int) ([]V, error) {
		parents := backoffice.Map(places, func(place int) string { return connections[place].Parent })
		return ask(connections[places[0]].List, parents)
	})
	return answers, err
}

// grouped asks once per group of indexes, concurrently, for each answer. of returns an index's group, if one asks.
func grouped[K comparable, V any](ctx context.Context, answers []V, of func(place int) (group K, asks bool),
	ask func(places []int) ([]V, error)) error {
	var groups [][]int
	numbers := map[K]int{}
	for place := range answers {
		group, asks := of(place)
		if !asks {
			continue
		}
		number, known := numbers[group]
		if !known {
			number, groups = len(groups), append(groups, nil)
			numbers[group] = number
		}
		groups[number] = append(groups[number], place)
	}
	if len(groups) == 0 {
		return nil
	}
	calls := make([]func(context.Context) error, len(groups))
	for number, places := range groups {
		calls[number] = func(context.Context) error {
			values, err := ask(places)
			for i, value := range values {
				answers[places[i]] = value
			}
			return err
		}
	}
	return together(ctx, calls...)
}

// together runs calls concurrently, in one batch, and returns the error of the first that failed.
func together(ctx context.Context, calls ...func(context.Context) error) error {
	errs := make([]error, len(calls))
	asks := make([]func(context.Context), len(calls))
	for i, call := range calls {
		asks[i] = func(ctx context.Context) { errs[i] = call(ctx) }
	}
	loaders.From(ctx).Together(ctx, asks...)
	return cmp.Or(errs...)
}
