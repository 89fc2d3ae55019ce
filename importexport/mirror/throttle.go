package mirror

import (
	"context"
	"sync"
	"time"
)

const (
	mostAtOnce = 4  // requests that an origin gets at one time
	calmAfter  = 20 // answers in a row let one more request pass at a time, after the origin has been too busy
)

// throttle bounds how many requests are under way, fewer once the origin says that it is busy, and how many in an hour.
type throttle struct {
	free  chan struct{}
	every time.Duration // between two requests, but for a minute's worth at once; 0 for none

	mu          sync.Mutex
	limit, held int       // requests at one time, and places that are kept back for there are fewer
	calm        int       // answers since the limit was changed
	next        time.Time // before which none is sent
}

func newThrottle() *throttle {
	t := &throttle{free: make(chan struct{}, mostAtOnce), limit: mostAtOnce}
	for range mostAtOnce {
		t.free <- struct{}{}
	}
	return t
}

// enter waits for a turn; leave has to be called then.
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
		if err := sleep(ctx, wait); err != nil {
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

// leave ends a turn, and says how it went.
func (t *throttle) leave(busy bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
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
