package store

import (
	"context"
	"sync"
)

// Looks lets any number of callers share looks at how things stand now: one is under way at most, and one to come, so
// that their number depends on how long one takes and not on how many want it. Whoever waits gets one that begins
// after it asked.
type Looks struct {
	Do func() error
	// Begin starts work of its own, or says that there is an end.
	Begin  func(work func()) bool
	Closed error

	mu    sync.Mutex
	under *look // the look that is under way
	next  *look // the one that begins when it ends
}

type look struct {
	done chan struct{}
	err  error
}

// Wait waits for a look that begins from now on.
func (l *Looks) Wait(ctx context.Context) error {
	l.mu.Lock()
	mine := l.next
	if mine == nil {
		mine = &look{done: make(chan struct{})}
		switch {
		case l.under != nil:
			l.next = mine
		case l.Begin(func() { l.on(mine) }):
			l.under = mine
		default:
			l.mu.Unlock()
			return l.Closed
		}
	}
	l.mu.Unlock()
	select {
	case <-mine.done:
		return mine.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// on looks until nobody waits for another look.
func (l *Looks) on(now *look) {
	for now != nil {
		now.err = l.Do()
		close(now.done)
		l.mu.Lock()
		l.under, l.next = l.next, nil
		now = l.under
		l.mu.Unlock()
	}
}
