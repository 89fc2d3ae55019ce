package store

import (
	"context"
	"slices"
	"sync"

	"example.org/backoffice/backoffice"
)

// moment is what a restricted request knows of the one moment that it reads: customers who are in view in it, because
// a statement has given them, or what hangs on them, in view. They need not be looked for again. It knows only what
// the store itself has read in this moment under this restriction: an identifier that a caller names is not known by
// that.
type moment struct {
	backoffice.Snapshot // of the engine

	mu    sync.Mutex // held while a batch is answered: no other moment begins in between
	of    backoffice.Restriction
	known map[string]bool
	ended bool
}

func (m *moment) Unwrap() backoffice.Snapshot { return m.Snapshot }

func (m *moment) Close() {
	m.Snapshot.Close()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.known, m.ended = nil, true
}

// momentOf is the moment of a context that is restricted as it was when the moment began; nil where there is none.
func (n *nouns) momentOf(ctx context.Context) *moment {
	if m := backoffice.SnapshotOf[*moment](ctx); m != nil && n.viewOf(ctx) != nil && m.of == backoffice.RestrictionOf(ctx) {
		return m
	}
	return nil
}

// anotherMoment forgets what is known in a context: what it reads next is of another moment.
func anotherMoment(ctx context.Context) {
	if m := backoffice.SnapshotOf[*moment](ctx); m != nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.known = nil
	}
}

// knows reports whether all of some customers are known to be in view. It is called under mu.
func (m *moment) knows(ids []string) bool {
	return m != nil && !m.ended && !slices.ContainsFunc(ids, func(id string) bool { return !m.known[id] })
}

// note notes a customer who is in view. It is called under mu.
func (m *moment) note(id any) {
	name, _ := id.(string)
	if name == "" || m.ended {
		return
	}
	if m.known == nil {
		m.known = map[string]bool{}
	}
	m.known[name] = true
}

// told notes what rows tell that were read in view by a statement: themselves if they are customers, else those on
// whom they hang.
func (s *statement[T]) told(m *moment, rows []*T) {
	for _, customer := range s.customers {
		for _, row := range rows {
			m.note(customer(row))
		}
	}
}

// customersIn are the columns of rows that name a customer who is in view when they are, of those that are read.
func (t *table[T, C]) customersIn(picked []int) (all []func(*T) any) {
	for _, i := range picked {
		c := &t.columns[i]
		if t.reach.itself && i == 0 || slices.Contains(t.reach.customers, c.name) {
			all = append(all, c.value)
		}
	}
	return all
}
