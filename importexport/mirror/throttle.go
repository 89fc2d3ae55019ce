package mirror

import (
	"context"
	"fmt"
	"sync"
	"time"

	"example.org/backoffice/backoffice"
)

const (
	mostAtOnce = 4  // requests to an origin at a time
	calmAfter  = 20 // answers in a row raise the limit by one, after a busy origin has lowered it
)

// throttle bounds how many requests run at a time, fewer once the origin reports that it is busy, and how many an hour.
type throttle struct {
	free  chan struct{}
	every time.Duration // between two requests, with bursts of a minute's worth; 0 for none

	mu          sync.Mutex
	limit, held int       // requests at a time, and tokens held back because there are fewer
	calm        int       // answers since the limit was changed
	next        time.Time // no request is sent earlier
	opens       time.Time // nor before the origin asks for it
}

func newThrottle() *throttle {
	t := &throttle{free: make(chan struct{}, mostAtOnce), limit: mostAtOnce}
	for range mostAtOnce {
		t.free <- struct{}{}
	}
	return t
}

// enter waits for a slot. The caller must call leave after it.
func (t *throttle) enter(ctx context.Context) error {
	if t.every > 0 {
		t.mu.Lock()
		now := time.Now()
		if earliest := now.Add(-time.Minute); t.next.Before(earliest) {
			t.next = earliest
		}
		t.next = t.next.Add(t.every)
		wait := t.next.Sub(now)
		t.mu.Unlock()
		if err := backoffice.Sleep(ctx, wait); err != nil {
			return err
		}
	}
	select {
	case <-t.free:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// closed returns an *errAway while the origin asks to be left alone.
func (t *throttle) closed() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if wait := time.Until(t.opens); wait > 0 {
		return &errAway{why: fmt.Sprintf("it asks to wait for another %v", wait.Round(time.Second))}
	}
	return nil
}

// leave frees the slot; busy reports that the origin was too busy.
func (t *throttle) leave(busy bool, wait time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if wait > longestWait {
		t.opens = time.Now().Add(wait)
	}
	if t.calm++; busy {
		t.limit, t.calm = max(1, t.limit/2), 0
	} else if t.calm >= calmAfter && t.limit < mostAtOnce {
		t.limit, t.calm = t.limit+1, 0
	}
	t.held++
	for ; t.held > mostAtOnce-t.limit; t.held-- {
		t.free <- struct{}{}
	}
}
