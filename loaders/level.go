package loaders

import (
	"context"
	"fmt"
	"sync"

	"example.org/backoffice/backoffice"
)

// Level runs the calls of one level of a query and returns when all have: the asks of all of them are flushed together
// whenever every call that still runs has asked and waits. There is no timer in it, and rounds are deterministic.
//
// It is the runner that the breadth-first executor is given; gqlgen's own executor knows nothing of it, and then the
// dataloaders' short timer closes a batch.
func Level(ctx context.Context, calls []func(context.Context)) {
	if len(calls) == 1 {
		calls[0](context.WithValue(ctx, gateKey{}, &party{}))
		return
	}
	g := &gate{running: len(calls), round: make(chan struct{})}
	if l, ok := ctx.Value(loadersKey{}).(*Loaders); ok {
		g.ctx, g.together = l.ctx, l.store.Together
	}
	run := func(call func(context.Context)) {
		p := &party{gate: g}
		defer p.leave()
		call(context.WithValue(ctx, gateKey{}, p))
	}
	var others sync.WaitGroup
	for _, call := range calls[1:] {
		others.Go(func() { run(call) })
	}
	run(calls[0])
	others.Wait()
}

type gateKey struct{}

// A gate holds the calls of a level until each has asked for what it needs.
type gate struct {
	ctx      context.Context
	together func(context.Context, int) []backoffice.Party

	mu      sync.Mutex
	running int // calls that neither wait nor have returned
	parked  int // calls that wait for the next flush
	round   chan struct{}
	dirty   []flusher
}

type flusher interface {
	waiting() int
	flush([]backoffice.Party)
}

// A party is one call of a level; one without a gate is alone and never waits for others.
type party struct {
	gate  *gate
	round chan struct{} // the round that it waits for, so that it counts once however often it asks
}

// wait returns when the ask that was just queued has been flushed (which does not mean that it is answered).
func wait(ctx context.Context, l flusher) {
	p, ok := ctx.Value(gateKey{}).(*party)
	switch {
	case !ok: // the timer flushes
	case p.gate == nil:
		l.flush(nil)
	default:
		p.park(l)
	}
}

func (p *party) park(l flusher) {
	g := p.gate
	g.mu.Lock()
	known := false
	for _, d := range g.dirty {
		known = known || d == l
	}
	if !known {
		g.dirty = append(g.dirty, l)
	}
	round := g.round
	if p.round != round {
		p.round = round
		g.running--
		g.parked++
	}
	g.fire()
	g.mu.Unlock()
	<-round
}

func (p *party) leave() {
	g := p.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running--
	g.fire()
}

// fire, under mu, flushes when nobody runs any more; all that waited run again before any of them wakes.
func (g *gate) fire() {
	if g.running > 0 || g.parked == 0 {
		return
	}
	statements := 0
	for _, l := range g.dirty {
		statements += l.waiting()
	}
	var places []backoffice.Party
	if statements > 1 && g.together != nil {
		places = g.together(g.ctx, statements)
	}
	for _, l := range g.dirty {
		if places == nil {
			l.flush(nil)
			continue
		}
		n := l.waiting()
		l.flush(places[:n])
		places = places[n:]
	}
	clear(g.dirty)
	g.dirty = g.dirty[:0]
	g.running, g.parked = g.parked, 0
	close(g.round)
	g.round = make(chan struct{})
}

// panicked makes an error of what was recovered; its text is for the log alone.
func panicked(fault any) error {
	if err, ok := fault.(error); ok {
		return fmt.Errorf("panic: %w", err)
	}
	return fmt.Errorf("panic: %v", fault)
}
