package mirror

import (
	"context"
	"sync"
)

// mostAtOnce is how many requests an origin gets at one time.
const mostAtOnce = 4

// calmAfter is how many answers in a row let one more request pass at a time, after the origin has been too busy.
const calmAfter = 20

// gate bounds how many requests are under way: fewer once the origin says that it is busy.
type gate struct {
	mu      sync.Mutex
	limit   int
	used    int
	calm    int // answers since the limit was changed
	most    int // that were under way at one time
	waiting []chan struct{}
}

func newGate() *gate { return &gate{limit: mostAtOnce} }

// enter waits for its turn; leave has to be called then.
func (g *gate) enter(ctx context.Context) error {
	g.mu.Lock()
	if g.used < g.limit {
		g.take()
		g.mu.Unlock()
		return nil
	}
	turn := make(chan struct{}, 1)
	g.waiting = append(g.waiting, turn)
	g.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
		g.mu.Lock()
		defer g.mu.Unlock()
		for i, other := range g.waiting {
			if other == turn {
				g.waiting = append(g.waiting[:i], g.waiting[i+1:]...)
				return ctx.Err()
			}
		}
		g.used-- // it was given its turn meanwhile
		g.next()
		return ctx.Err()
	}
}

// leave tells how it went.
func (g *gate) leave(busy bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.used--
	switch {
	case busy:
		g.limit, g.calm = max(1, g.limit/2), 0
	case g.limit < mostAtOnce:
		if g.calm++; g.calm >= calmAfter {
			g.limit, g.calm = g.limit+1, 0
		}
	}
	g.next()
}

func (g *gate) take() {
	g.used++
	g.most = max(g.most, g.used)
}

func (g *gate) next() {
	for g.used < g.limit && len(g.waiting) > 0 {
		g.take()
		g.waiting[0] <- struct{}{}
		g.waiting = g.waiting[1:]
	}
}
