package store

import (
	"context"
	"slices"
	"sync"

	"example.org/backoffice/backoffice"
)

// snapshot is what a restricted request knows of its snapshot: customers known to be visible, because a statement has
// returned them, or records under them, as visible. They need not be checked again. It knows only what the store itself
// has read in this snapshot under this restriction, never an identifier that a caller names.
type snapshot struct {
	backoffice.Snapshot // of the engine

	mu    sync.Mutex // held while a batch is answered: no other snapshot begins in between
	of    backoffice.Restriction
	known map[string]bool
	ended bool
}

func (m *snapshot) Unwrap() backoffice.Snapshot { return m.Snapshot }

func (m *snapshot) Close() {
	m.Snapshot.Close()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.known, m.ended = nil, true
}

// snapshotOf is the snapshot of a context whose restriction is that with which it began; nil without one.
func (n *nouns) snapshotOf(ctx context.Context) *snapshot {
	m := backoffice.SnapshotOf[*snapshot](ctx)
	if m != nil && n.viewOf(ctx) != nil && m.of == backoffice.RestrictionOf(ctx) {
		return m
	}
	return nil
}

// forgetSnapshot forgets what a context knows: its next read is of another snapshot.
func forgetSnapshot(ctx context.Context) {
	if m := backoffice.SnapshotOf[*snapshot](ctx); m != nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.known = nil
	}
}

// knows reports whether all of some customers are known to be visible. It is called under mu.
func (m *snapshot) knows(ids []string) bool {
	return m != nil && !m.ended && !slices.ContainsFunc(ids, func(id string) bool { return !m.known[id] })
}

func (m *snapshot) note(id any) {
	name, _ := id.(string)
	if name == "" || m.ended {
		return
	}
	if m.known == nil {
		m.known = map[string]bool{}
	}
	m.known[name] = true
}

// told adds what rows of a restricted statement show: the rows if they are customers, else the rows' customers.
func (s *statement[T]) told(m *snapshot, rows []*T) {
	for _, customer := range s.customers {
		for _, row := range rows {
			m.note(customer(row))
		}
	}
}

// customersIn are the columns, of those that are read, that name a customer who is visible when the row is.
func (t *table[T, C]) customersIn(picked []int) (all []func(*T) any) {
	for _, i := range picked {
		c := &t.columns[i]
		if t.seenBy.itself && i == 0 || slices.Contains(t.seenBy.customers, c.name) {
			all = append(all, c.value)
		}
	}
	return all
}
