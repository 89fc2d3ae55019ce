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

// gate bounds how many requests are under way, fewer once the origin says that it is busy, and how many in an hour.
type gate struct {
	free  chan struct{}
	every time.Duration // between two requests, but for a minute's worth at once; 0 for none

	mu          sync.Mutex
	limit, held int       // requests at one time, and places that are kept back for there are fewer
	calm        int       // answers since the limit was changed
	next        time.Time // before which none is sent
}

func newGate() *gate {
	g := &gate{free: make(chan struct{}, mostAtOnce), limit: mostAtOnce}
	for range mostAtOnce {
		g.free <- struct{}{}
	}
	return g
}

// enter waits for a turn; leave has to be called then.
func (g *gate) enter(ctx context.Context) error {
	if g.every > 0 {
		g.mu.Lock()
		now := time.Now()
		if earliest := now.Add(-time.Minute); g.next.Before(earliest) {
			g.next = earliest
		}
		g.next = g.next.Add(g.every)
		wait := g.next.Sub(now)
		g.mu.Unlock()
		if err := sleep(ctx, wait); err != nil {
			return err
		}
	}
	select {
	case <-g.free:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// leave ends a turn, and says how it went.
func (g *gate) leave(busy bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.calm++; busy {
		g.limit, g.calm = max(1, g.limit/2), 0
	} else if g.calm >= calmAfter && g.limit < mostAtOnce {
		g.limit, g.calm = g.limit+1, 0
	}
	g.held++
	for ; g.held > mostAtOnce-g.limit; g.held-- {
		g.free <- struct{}{}
	}
}
