package ship

import (
	"context"
	"sync"
	"time"

	"example.org/backoffice/backoffice"
)

// Waiting wraps a store so that its writes return when they are away. If the context ends before, the write was
// committed all the same, and its error is Unavailable.
func (s *Shipper) Waiting(store backoffice.Store) backoffice.Store { return waiting{store, s} }

type waiting struct {
	backoffice.Store
	shipper *Shipper
}

func (w waiting) Write(ctx context.Context, do func(ctx context.Context, tx backoffice.Tx) error) error {
	if err := w.Store.Write(ctx, do); err != nil {
		return err
	}
	return w.shipper.wait(ctx, time.Now())
}

func (w waiting) ChangeTrustedDocuments(ctx context.Context, act backoffice.Change,
	change func(have []*backoffice.TrustedDocument) (backoffice.TrustedChanges, error)) error {
	if err := w.Store.ChangeTrustedDocuments(ctx, act, change); err != nil {
		return err
	}
	return w.shipper.wait(ctx, time.Now())
}

// wait waits until all that was committed before a moment is away.
func (s *Shipper) wait(ctx context.Context, committed time.Time) error {
	for {
		shipped := s.shipped.next()
		if s.whole.Load() > int64(committed.Sub(started)) && s.last.Load() >= 0 {
			return nil
		}
		s.wanted.fire()
		select {
		case <-shipped:
		case <-ctx.Done():
			return &backoffice.Error{Kind: backoffice.Unavailable, Cause: context.Cause(ctx),
				Message: "this was written, but is not shipped yet: repeat it with the same idempotency key"}
		}
	}
}

// rest waits, but not longer than until somebody waits for what is committed now.
func rest(ctx context.Context, period time.Duration, wanted <-chan struct{}) error {
	select {
	case <-wanted:
	case <-time.After(period):
	case <-ctx.Done():
	}
	return ctx.Err()
}

// signal wakes all that wait for it. Its zero value is ready.
type signal struct {
	mu    sync.Mutex
	fired chan struct{}
}

// next is closed the next time that it fires.
func (s *signal) next() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fired == nil {
		s.fired = make(chan struct{})
	}
	return s.fired
}

func (s *signal) fire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fired != nil {
		close(s.fired)
		s.fired = nil
	}
}
