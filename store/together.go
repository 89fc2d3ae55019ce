package store

import (
	"context"
	"iter"

	"example.org/backoffice/backoffice"
)

// coroutine is one of several functions of a transaction whose statements share round trips.
type coroutine struct {
	ask  func([]*Statement) (again bool) // waits for the answers
	next func() ([]*Statement, bool)
	over bool
	err  error
}

func (t *tx) Together(ctx context.Context, do ...func(ctx context.Context) error) error {
	return t.together(ctx, do...)
}

// together runs independent functions. With a remote engine each runs until it sends statements; these are then sent in
// one round trip, in the order of the functions, and so on. Two of them never run at the same time. If several fail,
// the first one's error is returned, as if they had run one after the other.
func (t *tx) together(ctx context.Context, do ...func(ctx context.Context) error) error {
	if t.batchConn == nil || len(do) == 1 {
		for _, one := range do {
			if err := one(ctx); err != nil {
				return err
			}
		}
		return nil
	}
	coroutines := make([]*coroutine, len(do))
	for i, one := range do {
		s := &coroutine{}
		next, stop := iter.Pull(func(ask func([]*Statement) bool) {
			s.ask = ask
			s.err = one(ctx)
		})
		defer t.as(s, stop) // a function that still waits learns that its statements were not run
		s.next, coroutines[i] = next, s
	}
	for {
		var asked []*Statement
		first := true // all before have succeeded
		for _, s := range coroutines {
			if !s.over {
				t.as(s, func() {
					statements, more := s.next()
					s.over = !more
					asked = append(asked, statements...)
				})
			}
			if first && s.err != nil {
				return s.err
			}
			first = first && s.over
		}
		if len(asked) == 0 {
			for _, s := range coroutines {
				if s.err != nil {
					return s.err
				}
			}
			return nil
		}
		t.trip(ctx, asked)
	}
}

// as calls a function with t.running set to the coroutine.
func (t *tx) as(one *coroutine, do func()) {
	before := t.running
	t.running = one
	defer func() { t.running = before }()
	do()
}

func (t *tx) sendLast(ctx context.Context, statements ...*Statement) {
	for range statements {
		backoffice.CountStatement(ctx)
	}
	if timeline := backoffice.TimelineOf(ctx); timeline != nil {
		timed(timeline, statements, false)() // the commit has their answers
	}
	t.store.nouns.restrictAll(ctx, statements)
	t.batchConn.SendLast(statements...)
}

// repeat runs statements in a transaction of their own, in one round trip. They may run twice, with the same result.
func (s *Store) repeat(ctx context.Context, statements ...*Statement) error {
	return s.write(ctx, func(ctx context.Context, tx *tx) error {
		if tx.batchConn != nil {
			tx.batchConn.Retryable()
			tx.sendLast(ctx, statements...)
			return nil
		}
		for _, s := range statements {
			if err := s.Run(ctx, tx.conn.to); err != nil {
				return err
			}
		}
		return nil
	})
}
