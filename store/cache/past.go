package cache

import (
	"context"

	"example.org/backoffice/backoffice"
)

// past queues reads that are never cached (the register of consultations, groups), in the snapshot of the others.
type past[T any, C comparable] struct {
	below backoffice.Reader[T, C]
	of    *Store
}

type pastRead struct {
	ask   func(b *backoffice.Batch) backoffice.Queued
	below backoffice.Queued
	err   error
}

func (r *pastRead) Err() error { return r.err }

func (r *pastRead) fail(err error) { r.err = err }

func (*pastRead) passes() {}

func (r *pastRead) readMemory(p *attempt) {
	p.needed = true
	r.below = r.ask(p.batch)
}

func (r *pastRead) complete(*attempt) { r.err = r.below.Err() }

func (r *past[T, C]) Send(ctx context.Context, b *backoffice.Batch) error { return r.of.Send(ctx, b) }

func (r *past[T, C]) Holders(ctx context.Context, rows []T) (map[string][]string, error) {
	return r.below.Holders(ctx, rows)
}

func (r *past[T, C]) Columns(fields []string) backoffice.Columns { return r.below.Columns(fields) }

func (r *past[T, C]) Find(b *backoffice.Batch, ids []string, want backoffice.Columns, found func(T)) backoffice.Queued {
	var rows []T
	return b.Queue(&pastFind[T]{pastRead{ask: func(b *backoffice.Batch) backoffice.Queued {
		rows = rows[:0]
		return r.below.Find(b, ids, want, func(row T) { rows = append(rows, row) })
	}}, &rows, found})
}

// pastFind hands over rows once they are known to be of the snapshot.
type pastFind[T any] struct {
	pastRead
	rows  *[]T
	found func(T)
}

func (r *pastFind[T]) complete(p *attempt) {
	r.pastRead.complete(p)
	if r.err == nil {
		for _, row := range *r.rows {
			r.found(row)
		}
	}
}

func (r *past[T, C]) Lists(b *backoffice.Batch, list backoffice.ListQuery[C], parents []string, want backoffice.Columns,
	into []backoffice.Page[T]) backoffice.Queued {
	ask := func(b *backoffice.Batch) backoffice.Queued { return r.below.Lists(b, list, parents, want, into) }
	return b.Queue(&pastRead{ask: ask})
}

func (r *past[T, C]) Counts(b *backoffice.Batch, under backoffice.Parent, criteria C, parents []string,
	into []int) backoffice.Queued {
	ask := func(b *backoffice.Batch) backoffice.Queued { return r.below.Counts(b, under, criteria, parents, into) }
	return b.Queue(&pastRead{ask: ask})
}

func (r *past[T, C]) Groups(b *backoffice.Batch, q backoffice.GroupQuery[C],
	into *backoffice.Aggregate) backoffice.Queued {
	return b.Queue(&pastRead{ask: func(b *backoffice.Batch) backoffice.Queued { return r.below.Groups(b, q, into) }})
}

// passed is a read that the store below has queued itself, of a noun that is not cached.
type passed struct{ backoffice.Queued }

func (passed) fail(error) {}

func (passed) passes() {}

func (r passed) readMemory(p *attempt) {
	p.needed = true
	p.batch.Queue(r.Queued)
}

func (passed) complete(*attempt) {}

func (passed) rests(*attempt, func(key, nounSet) bool) bool { return false }

// readsOf are the reads of a batch; unknown reports whether some are passed on.
func readsOf(b *backoffice.Batch) (reads []asked, unknown bool) {
	reads = make([]asked, len(b.Queued()))
	for i, read := range b.Queued() {
		known, ok := read.(asked)
		if !ok {
			known, unknown = passed{read}, true
		}
		reads[i] = known
	}
	return reads, unknown
}

func (s *Store) ReadChanges(b *backoffice.Batch, q backoffice.ChangeQuery,
	into *backoffice.ChangePage) backoffice.Queued {
	ask := func(b *backoffice.Batch) backoffice.Queued { return s.Source.ReadChanges(b, q, into) }
	return b.Queue(&pastRead{ask: ask})
}
