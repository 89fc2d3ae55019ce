package store

import (
	"context"
	"sync"
)

// Polls lets any number of callers share polls: at most one is running and one is next, so their number depends on how
// long one takes and not on how many callers wait. A waiter gets a poll that started after it asked.
type Polls struct {
	Do func() error
	// Begin starts work of its own, or reports that the process ends.
	Begin  func(work func()) bool
	Closed error

	mu      sync.Mutex
	running *poll // the running poll
	next    *poll // the one that begins when it ends
}

type poll struct {
	done chan struct{}
	err  error
}

func (l *Polls) Wait(ctx context.Context) error {
	l.mu.Lock()
	mine := l.next
	if mine == nil {
		mine = &poll{done: make(chan struct{})}
		switch {
		case l.running != nil:
			l.next = mine
		case l.Begin(func() { l.on(mine) }):
			l.running = mine
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

// on polls until nobody waits.
func (l *Polls) on(now *poll) {
	for now != nil {
		now.err = l.Do()
		close(now.done)
		l.mu.Lock()
		l.running, l.next = l.next, nil
		now = l.running
		l.mu.Unlock()
	}
}
