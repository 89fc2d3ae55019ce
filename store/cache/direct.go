package cache

import (
	"context"

	"example.org/backoffice/backoffice"
)

// direct queues reads that are never cached (the register of consultations, groups), in the snapshot of the others.
type direct[T any, C comparable] struct {
	below backoffice.Reader[T, C]
	of    *Store
}

type directRead struct {
	ask   func(b *backoffice.Batch) backoffice.Queued
	below backoffice.Queued
	err   error
}

func (r *directRead) Err() error { return r.err }

func (r *directRead) fail(err error) { r.err = err }

func (*directRead) direct() {}

func (r *directRead) readMemory(p *attempt) {
	p.needed = true
	r.below = r.ask(p.batch)
}

func (r *directRead) complete(*attempt) { r.err = r.below.Err() }

func (r *direct[T, C]) Send(ctx context.Context, b *backoffice.Batch) error {
	return r.of.Send(ctx, b)
}

func (r *direct[T, C]) Holders(ctx context.Context, rows []T) (map[string][]string, error) {
	return r.below.Holders(ctx, rows)
}

func (r *direct[T, C]) Columns(fields []string) backoffice.Columns { return r.below.Columns(fields) }

func (r *direct[T, C]) Find(b *backoffice.Batch, ids []string, want backoffice.Columns, to func(T)) backoffice.Queued {
	var rows []T
	return b.Queue(&directFind[T]{directRead{ask: func(b *backoffice.Batch) backoffice.Queued {
		rows = rows[:0]
		return r.below.Find(b, ids, want, func(row T) { rows = append(rows, row) })
	}}, &rows, to})
}

// directFind hands over rows once they are known to be of the snapshot.
type directFind[T any] struct {
	directRead
	rows  *[]T
	found func(T)
}

func (r *directFind[T]) complete(p *attempt) {
	r.directRead.complete(p)
	if r.err == nil {
		for _, row := range *r.rows {
			r.found(row)
		}
	}
}

func (r *direct[T, C]) Lists(b *backoffice.Batch, list backoffice.ListQuery[C], parents []string,
	want backoffice.Columns, into []backoffice.Page[T]) backoffice.Queued {
	ask := func(b *backoffice.Batch) backoffice.Queued { return r.below.Lists(b, list, parents, want, into) }
	return b.Queue(&directRead{ask: ask})
}

func (r *direct[T, C]) Counts(b *backoffice.Batch, under backoffice.Parent, criteria C, parents []string,
	into []int) backoffice.Queued {
	ask := func(b *backoffice.Batch) backoffice.Queued { return r.below.Counts(b, under, criteria, parents, into) }
	return b.Queue(&directRead{ask: ask})
}

func (r *direct[T, C]) Groups(b *backoffice.Batch, q backoffice.GroupQuery[C],
	into *backoffice.Aggregate) backoffice.Queued {
	return b.Queue(&directRead{ask: func(b *backoffice.Batch) backoffice.Queued { return r.below.Groups(b, q, into) }})
}

// passThrough is a read that the store below has queued itself, of a noun that is not cached.
type passThrough struct{ backoffice.Queued }

func (passThrough) fail(error) {}

func (passThrough) direct() {}

func (r passThrough) readMemory(p *attempt) {
	p.needed = true
	p.batch.Queue(r.Queued)
}

func (passThrough) complete(*attempt) {}

func (passThrough) eachDep(*attempt, func(key, nounSet) bool) bool { return false }

// readsOf are the reads of a batch; unknown reports whether some are passThrough on.
func readsOf(b *backoffice.Batch) (reads []asked, unknown bool) {
	reads = make([]asked, len(b.Queued()))
	for i, read := range b.Queued() {
		known, ok := read.(asked)
		if !ok {
			known, unknown = passThrough{read}, true
		}
		reads[i] = known
	}
	return reads, unknown
}

func (s *Store) ReadChanges(b *backoffice.Batch, q backoffice.ChangeQuery,
	into *backoffice.ChangePage) backoffice.Queued {
	ask := func(b *backoffice.Batch) backoffice.Queued { return s.Source.ReadChanges(b, q, into) }
	return b.Queue(&directRead{ask: ask})
}
