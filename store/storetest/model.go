package storetest

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"example.org/backoffice/backoffice"
)

// model is a plain in-memory reader of a noun: what every window of every list must hold, in the fewest words.
type model[T any, P interface {
	*T
	backoffice.Entity
}, C comparable] struct {
	rows    []P
	lists   map[backoffice.Parent]lists[P, C]
	matches func(P, C) bool
	draw    func(*rapid.T) C
	orders  []backoffice.OrderKey
	atRoot  func(C) bool                                                           // criteria of lists at the root alone; nil for none
	placed  map[backoffice.OrderKey]func(row P, c C) (text string, number float64) // orders that rows do not tell
}

// at is where a row stands in a list.
func (m *model[T, P, C]) at(ask backoffice.ListQuery[C], row P) backoffice.Position {
	if of := m.placed[ask.Order.Key]; of != nil {
		text, number := of(row, ask.Criteria)
		return backoffice.Position{Key: ask.Order.Key, ID: row.Identity(), Text: text, Number: number}
	}
	return row.Position(ask.Order.Key)
}

// lists are the lists of an edge: their parents, and which rows each has.
type lists[P any, C comparable] struct {
	parents []string
	holds   func(row P, parent string, c C) bool
}

func everything[P any, C comparable]() lists[P, C] {
	return lists[P, C]{[]string{backoffice.NoParent}, func(P, string, C) bool { return true }}
}

// compare orders positions as a list does.
func compare(order backoffice.Order, a, b backoffice.Position) int {
	by := cmp.Or(cmp.Compare(a.Text, b.Text), cmp.Compare(a.Number, b.Number), cmp.Compare(a.ID, b.ID))
	if order.Descending {
		return -by
	}
	return by
}

// list is all of a parent's list, in order.
func (m *model[T, P, C]) list(ask backoffice.ListQuery[C], parent string) (rows []P) {
	if ask.Parent != backoffice.Root && parent == "" {
		return nil // nobody's list: what is under no parent is in none
	}
	for _, row := range m.rows {
		if m.lists[ask.Parent].holds(row, parent, ask.Criteria) && m.matches(row, ask.Criteria) {
			rows = append(rows, row)
		}
	}
	slices.SortFunc(rows, func(a, b P) int { return compare(ask.Order, m.at(ask, a), m.at(ask, b)) })
	return rows
}

// page is the window of a parent's list.
func (m *model[T, P, C]) page(ask backoffice.ListQuery[C], parent string) backoffice.Page[P] {
	w := ask.Window
	rows := slices.DeleteFunc(m.list(ask, parent), func(row P) bool {
		at := m.at(ask, row)
		after, before := compare(ask.Order, at, w.After), compare(ask.Order, at, w.Before)
		return w.HasAfter && (after < 0 || after == 0 && !w.Inclusive) || w.HasBefore && (before > 0 || before == 0 && !w.Inclusive)
	})
	if w.Backward {
		rows = rows[:len(rows)-min(w.Offset, len(rows))]
		cut := max(len(rows)-w.Limit, 0)
		return backoffice.Page[P]{Items: rows[cut:], More: cut > 0}
	}
	rows = rows[min(w.Offset, len(rows)):]
	cut := min(w.Limit, len(rows))
	return backoffice.Page[P]{Items: rows[:cut], More: cut < len(rows)}
}

// drawAsk draws a question and the parents it is put to.
func (m *model[T, P, C]) drawAsk(t *rapid.T) (backoffice.ListQuery[C], []string) {
	edges := slices.Sorted(maps.Keys(m.lists))
	ask := backoffice.ListQuery[C]{
		Parent: rapid.SampledFrom(edges).Draw(t, "under"),
		Order:  backoffice.Order{Key: rapid.SampledFrom(append(m.orders, backoffice.KeyID)).Draw(t, "key"), Descending: rapid.Bool().Draw(t, "descending")},
	}
	if rapid.Bool().Draw(t, "filtered") {
		ask.Criteria = m.draw(t)
	}
	if m.atRoot != nil && m.atRoot(ask.Criteria) {
		ask.Parent = backoffice.Root
	}
	parents := m.lists[ask.Parent].parents
	if ask.Parent != backoffice.Root {
		known := rapid.SampledFrom(append(parents, "unknown", "no\x00identifier", ""))
		parents = rapid.SliceOfN(known, 0, 6).Draw(t, "parents")
	}
	w := &ask.Window
	w.Limit, w.Backward = rapid.IntRange(0, 12).Draw(t, "limit"), rapid.Bool().Draw(t, "backward")
	position := func(name string) backoffice.Position {
		p := m.at(ask, rapid.SampledFrom(m.rows).Draw(t, name))
		if rapid.Bool().Draw(t, "gone") {
			p.ID += "-" // the place of no row
		}
		return p
	}
	switch rapid.IntRange(0, 4).Draw(t, "window") {
	case 0:
		w.Offset = rapid.IntRange(0, 30).Draw(t, "offset")
	case 1:
		w.After, w.HasAfter = position("after"), true
	case 2:
		w.Before, w.HasBefore = position("before"), true
	case 3:
		w.After, w.HasAfter, w.Before, w.HasBefore = position("after"), true, position("before"), true
	}
	w.Inclusive = (w.HasAfter || w.HasBefore) && rapid.Bool().Draw(t, "inclusive")
	return ask, parents
}

// check puts drawn questions to a reader and compares.
func (m *model[T, P, C]) check(t *testing.T, reader backoffice.Reader[P, C]) {
	ctx := t.Context()
	rapid.Check(t, func(t *rapid.T) {
		ask, parents := m.drawAsk(t)
		m.checkPages(ctx, t, reader, ask, parents)
		m.checkCounts(ctx, t, reader, ask, parents)
	})
}

func (m *model[T, P, C]) checkPages(ctx context.Context, t *rapid.T, reader backoffice.Reader[P, C], ask backoffice.ListQuery[C], parents []string) {
	pages, err := backoffice.ReadPages(ctx, reader, ask, parents, 0)
	if err != nil {
		t.Fatalf("%+v: %v (%v)", ask, err, errorCause(err))
	}
	asked := map[string]bool{}
	for _, parent := range parents {
		asked[parent] = true
		want, got := m.page(ask, parent), pages[parent]
		if diff := gocmp.Diff(m.positions(ask, want.Items, nil), m.positions(ask, got.Items, got.Positions)); diff != "" || want.More != got.More {
			t.Fatalf("%+v of %q: more is %v, wanted %v (-wanted +got):\n%s", ask, parent, got.More, want.More, diff)
		}
	}
	if len(pages) != len(asked) {
		t.Fatalf("%d parents were asked and %d answered", len(asked), len(pages))
	}
	if ask.Parent == backoffice.Root {
		parents = []string{backoffice.NoParent}
	}
	b := backoffice.Batch{Pooled: true}
	defer b.Release() // the next batch uses the memory again
	lists := make([]backoffice.Page[P], len(parents))
	reader.Lists(&b, ask, parents, 0, lists)
	if err := reader.Send(ctx, &b); err != nil {
		t.Fatalf("%+v: %v (%v)", ask, err, errorCause(err))
	}
	for i, parent := range parents {
		page := pages[parent]
		if diff := gocmp.Diff(page, lists[i], cmpopts.EquateEmpty()); diff != "" || page.More != lists[i].More {
			t.Fatalf("%+v of %q: the list is another than the page (-page +list):\n%s", ask, parent, diff)
		}
	}
}

// positions are those of the rows of a page, as it tells them.
func (m *model[T, P, C]) positions(ask backoffice.ListQuery[C], rows []P, places []backoffice.Position) []backoffice.Position {
	list := make([]backoffice.Position, len(rows))
	for i, row := range rows {
		switch {
		case m.placed[ask.Order.Key] == nil:
			list[i] = row.Position(ask.Order.Key)
		case places != nil:
			list[i] = places[i]
		default:
			list[i] = m.at(ask, row)
		}
	}
	return list
}

func (m *model[T, P, C]) checkCounts(ctx context.Context, t *rapid.T, reader backoffice.Reader[P, C], ask backoffice.ListQuery[C], parents []string) {
	counts, err := backoffice.ReadCounts(ctx, reader, ask.Parent, ask.Criteria, parents)
	if err != nil {
		t.Fatalf("%+v: %v (%v)", ask, err, errorCause(err))
	}
	want := map[string]int{}
	for _, parent := range parents {
		want[parent] = len(m.list(ask, parent))
	}
	if diff := gocmp.Diff(want, counts); diff != "" {
		t.Fatalf("counts under %d with %+v (-wanted +got):\n%s", ask.Parent, ask.Criteria, diff)
	}
}
