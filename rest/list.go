package rest

import (
	"context"
	"maps"
	"strconv"

	"example.org/backoffice/backoffice"
)

type Paging struct {
	Page     int `query:"page" minimum:"1" default:"1" doc:"The page number, from 1. A page past the end is empty."`
	PageSize int `query:"pageSize" minimum:"1" maximum:"500" default:"100" doc:"Items per page."`
}

func (p Paging) window() (backoffice.Window, error) {
	return backoffice.NumberedWindow(p.Page, &p.PageSize, backoffice.DefaultRESTPageSize)
}

type NameOrder struct {
	OrderBy   string `query:"orderBy" enum:"id,name" default:"id" doc:"The order: by identifier, or by name, ignoring case and accents. Identifiers break ties."`
	Direction string `query:"direction" enum:"asc,desc" default:"asc" doc:"Smallest or largest first."`
}

func (o NameOrder) order() backoffice.Order {
	order := backoffice.Order{Descending: o.Direction == "desc"}
	if o.OrderBy == "name" {
		order.Key = backoffice.KeyName
	}
	return order
}

type List[T any] struct {
	FirstPage string `json:"first_page" doc:"The path of the first page, with the request's other filters." example:"/customers?page=1&pageSize=100"`
	LastPage  string `json:"last_page" doc:"The path of the last page; the first if the list is empty." example:"/customers?page=3&pageSize=100"`
	Total     int    `json:"total" doc:"How many items match."`
	Count     int    `json:"count" doc:"How many items this page has."`
	Data      []T    `json:"data" nullable:"false" doc:"The items, by identifier unless another order was requested."`
}

type question[C comparable] struct {
	under    backoffice.Parent
	parent   string
	criteria C
	order    backoffice.Order
}

type rows[T any] struct {
	items []T
	total int
}

// read answers a question. It asks for the total only when the page does not show it.
func read[T any, C comparable](
	ctx context.Context, reader backoffice.Reader[T, C], q question[C], window backoffice.Window) (rows[T], error) {
	parents := []string{q.parent}
	ask := backoffice.ListQuery[C]{Parent: q.under, Criteria: q.criteria, Order: q.order, Window: window}
	pages, err := backoffice.ReadPages(ctx, reader, ask, parents, 0)
	if err != nil {
		return rows[T]{}, err
	}
	page := pages[q.parent]
	found := rows[T]{items: page.Items, total: window.Offset + len(page.Items)}
	if page.More || len(page.Items) == 0 && window.Offset > 0 {
		counts, err := backoffice.ReadCounts(ctx, reader, q.under, q.criteria, parents)
		if err != nil {
			return rows[T]{}, err
		}
		found.total = counts[q.parent]
	}
	return found, nil
}

func list[T any, C comparable, R any](ctx context.Context, reader backoffice.Reader[T, C], q question[C],
	paging Paging, show func(T) R) (*answered[List[R]], error) {
	window, err := paging.window()
	if err != nil {
		return nil, err
	}
	found, err := read(ctx, reader, q, window)
	if err != nil {
		return nil, err
	}
	return envelope(ctx, window.Limit, found.total, backoffice.Map(found.items, show)), nil
}

func envelope[R any](ctx context.Context, size, total int, data []R) *answered[List[R]] {
	r := requestOf(ctx)
	address := r.URL()
	others := maps.Clone(r.query)
	others.Del("page")
	others.Del("pageSize")
	base := address.EscapedPath() + "?"
	if encoded := others.Encode(); encoded != "" {
		base += encoded + "&"
	}
	page := func(n int) string { return base + "page=" + strconv.Itoa(n) + "&pageSize=" + strconv.Itoa(size) }
	return &answered[List[R]]{List[R]{FirstPage: page(1), LastPage: page(max(1, (total+size-1)/size)),
		Total: total, Count: len(data), Data: data}}
}

func one[T any, C comparable](
	ctx context.Context, reader backoffice.Reader[T, C], noun backoffice.Noun, id string) (row T, err error) {
	row, ok, err := backoffice.Find(ctx, reader, id)
	if err == nil && !ok {
		err = unknown(noun)
	}
	return row, err
}

func answerOne[T any, C comparable, R any](ctx context.Context, reader backoffice.Reader[T, C], noun backoffice.Noun,
	id string, show func(T) R) (*answered[R], error) {
	row, err := one(ctx, reader, noun, id)
	if err != nil {
		return nil, err
	}
	return &answered[R]{show(row)}, nil
}

// allOf is the list as shown: never null.
func allOf(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
