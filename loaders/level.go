package loaders

import (
	"context"
	"errors"
	"sync"

	"github.com/graph-gophers/dataloader/v7"

	"example.org/backoffice/backoffice"
)

// Level runs the calls of one level of a query and returns when all have returned. The dataloader is flushed when every
// call that still runs waits for it. It uses no timer, and batches are deterministic. last means that no resolver is
// called after these: the query's snapshot ends with what they read.
//
// It is the breadth-first executor's runner. A call must ask its loaders from its own goroutine.
func Level(ctx context.Context, calls []func(context.Context), last bool) {
	l := From(ctx)
	if l == nil {
		l = &Loaders{} // nothing is loaded
	}
	l.mu.Lock()
	l.running, l.last = 1, last
	l.mu.Unlock()
	defer backoffice.TimelineOf(ctx).BeginLevel(len(calls))()
	l.Together(ctx, calls...)
}

// Together runs calls that each ask a loader, and returns when all have returned. A resolver with several questions
// uses it to get them into the batch of its level.
func (l *Loaders) Together(ctx context.Context, calls ...func(context.Context)) {
	if len(calls) == 0 {
		return
	}
	l.mu.Lock()
	l.running += len(calls) - 1
	l.mu.Unlock()
	var others struct {
		sync.WaitGroup
		running int
		fault   any
	}
	others.running = len(calls)
	run := func(call func(context.Context)) {
		defer func() {
			fault := recover()
			l.mu.Lock()
			defer l.mu.Unlock()
			if fault != nil {
				others.fault = fault
			}
			if others.running--; others.running > 0 { // the last one continues as the caller
				l.pause()
			}
		}()
		call(ctx)
	}
	for _, call := range calls[1:] {
		others.Go(func() { run(call) })
	}
	run(calls[0])
	others.Wait()
	if others.fault != nil {
		panic(others.fault)
	}
}

// ExpectMore is for a resolver that asks again after an answer: the level's first batch is not the query's last. Call
// it before the first ask.
func (l *Loaders) ExpectMore() {
	l.mu.Lock()
	l.last = false
	l.mu.Unlock()
}

// pause counts a call that waits or has ended, and sends the loads when no running one can add to them. It is called
// under mu.
func (l *Loaders) pause() {
	if l.running--; l.running == 0 && l.waiting > 0 {
		l.queue.Flush()
	}
}

func (l *Loaders) ask(ctx context.Context, asked load) error {
	answer := l.queue.Load(ctx, asked)
	l.mu.Lock()
	l.waiting++
	l.pause()
	l.mu.Unlock()
	_, err := answer()
	return err
}

// batch is the dataloader's batch function: it gets all loads of a level. Loads of one kind become one read, and
// nothing that the request has read already is read again.
func (l *Loaders) batch(_ context.Context, asked []load) []*dataloader.Result[struct{}] {
	l.reading.Lock()
	defer l.reading.Unlock()
	err := l.send(asked)
	results := make([]*dataloader.Result[struct{}], len(asked))
	for i, a := range asked {
		results[i] = &dataloader.Result[struct{}]{Error: err}
		if err == nil {
			results[i].Error = a.finish()
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting -= len(asked)
	l.running += len(asked) // before any of them continues, so that none flushes without the others
	return results
}

// send reads what is missing, in one batch. A panic in a read is an error of this batch alone.
func (l *Loaders) send(asked []load) (err error) {
	var groups []loads
	for _, a := range asked {
		if g := a.join(); g != nil {
			groups = append(groups, g)
		}
	}
	defer func() {
		if fault := recover(); fault != nil {
			err = backoffice.Fault(backoffice.Recovered(fault), "loading a batch")
		}
		for _, g := range groups {
			g.complete(err)
		}
	}()
	b := &backoffice.Batch{Pooled: true}
	for _, g := range groups {
		g.queue(b)
	}
	if len(b.Queued()) == 0 {
		return nil
	}
	l.mu.Lock()
	over := l.over
	b.Last = l.last
	l.over = l.last
	l.sent = append(l.sent, b)
	l.mu.Unlock()
	if over {
		return backoffice.Fault(errors.New("read after the last level"), "reading at one moment")
	}
	err = l.store.Send(l.ctx, b)
	if errors.Is(err, backoffice.ErrSnapshotChanged) {
		l.mu.Lock()
		l.changed = true
		l.mu.Unlock()
	}
	if b.Err() != nil { // each read has its own error
		return nil
	}
	return err
}
