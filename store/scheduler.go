package store

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"example.org/backoffice/backoffice"
)

// Scheduler gives the connections of a pool to callers. The next one goes to the caller that used them for the shortest
// time lately (start-time fair queueing), however many it asks for, and one caller never gets more than half of them.
// The process itself has no caller: it is served first, with no limit. The requests of one caller are served in order.
// Some connections are reserved for callers whose recent use was brief: they need not wait for statements of seconds.
type Scheduler struct {
	most int           // of one caller at one time
	kept int           // reserved for brief callers
	wait time.Duration // the longest wait; 0 is no limit

	mu      sync.Mutex
	free    int
	callers map[string]*caller
	order   []*caller     // the waiting callers, in order of arrival
	now     time.Duration // virtual time: the use of the callers served now
	swept   time.Time     // when idle callers were last forgotten
}

// caller has connections, waits for some, or had more than others recently.
type caller struct {
	name    string
	has     int
	waiting []*waiter
	used    time.Duration // virtual time: how long connections were used
	since   time.Time     // used is right up to here
	held    time.Duration // the longest recent use of one connection; new callers must first prove brief
}

// Slot is one caller's use of a connection.
type Slot struct {
	of    *caller
	began time.Time
}

// brief is the longest use of a reserved connection. rememberedFor is how long a caller that has gone is remembered.
const (
	brief         = 20 * time.Millisecond
	rememberedFor = time.Minute
)

// leastCharge is the minimum charge of a use, so that callers with little need alternate, too.
const leastCharge = time.Millisecond

// headStart bounds the lead of callers that were idle, or used little: nobody saves up more.
const headStart = 100 * time.Millisecond

// waiter is a waiting request; its channel is closed when it is served.
type waiter chan struct{}

var ErrBusy = errors.New("no connection was free in time")

// NewScheduler gives out this many connections.
func NewScheduler(connections int, wait time.Duration) *Scheduler {
	return &Scheduler{most: max(1, connections/2), kept: connections / 4, wait: wait, free: connections,
		callers: map[string]*caller{}, swept: time.Now()}
}

// Stats returns how many connections are in use, and how many requests wait for one.
func (t *Scheduler) Stats() (used, waiting int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range t.callers {
		used += c.has
		waiting += len(c.waiting)
	}
	return used, waiting
}

// Acquire waits until the caller of a context may use a connection; Release frees the slot. It fails with ErrBusy, also
// when the context's deadline passes while waiting, or with the context's error.
func (t *Scheduler) Acquire(ctx context.Context) (*Slot, error) {
	who := ""
	if caller := backoffice.SessionOf(ctx); caller != nil {
		who = caller.ClientID
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	t.mu.Lock()
	c := t.callers[who]
	if c == nil {
		c = &caller{name: who, since: time.Now(), held: 2 * brief}
		t.callers[who] = c
	}
	if c.has == 0 && len(c.waiting) == 0 {
		c.used = max(c.used, t.now-headStart)
	}
	// While connections are free, every waiting caller has its maximum.
	if t.free > 0 && t.may(c) && len(c.waiting) == 0 {
		t.give(c)
		t.mu.Unlock()
		return &Slot{c, time.Now()}, nil
	}
	mine := make(waiter)
	if len(c.waiting) == 0 {
		t.order = append(t.order, c)
	}
	c.waiting = append(c.waiting, &mine)
	t.mu.Unlock()

	defer backoffice.Waits(ctx)()
	var late <-chan time.Time
	if t.wait > 0 {
		timer := time.NewTimer(t.wait)
		defer timer.Stop()
		late = timer.C
	}
	if timeline := backoffice.TimelineOf(ctx); timeline != nil {
		began := time.Now()
		defer func() { timeline.Waited(time.Since(began)) }()
	}
	var err error
	select {
	case <-mine:
		return &Slot{c, time.Now()}, nil
	case <-ctx.Done():
		if err = ctx.Err(); errors.Is(err, context.DeadlineExceeded) {
			err = ErrBusy
		}
	case <-late:
		err = ErrBusy
	}
	if !t.withdraw(c, &mine) { // it was served just now
		t.Release(&Slot{c, time.Now()})
	}
	return nil, err
}

func (t *Scheduler) Release(slot *Slot) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := slot.of
	c.count()
	c.held = max(time.Since(slot.began), c.held-c.held/8)
	c.has--
	t.free++
	for t.free > 0 {
		next := t.next()
		if next == nil {
			break
		}
		first := next.waiting[0]
		next.waiting[0] = nil
		if next.waiting = next.waiting[1:]; len(next.waiting) == 0 {
			t.leave(next)
		}
		t.give(next)
		close(*first)
	}
	t.forget()
}

// count charges the time a caller had connections up to now.
func (c *caller) count() {
	now := time.Now()
	c.used += time.Duration(c.has) * now.Sub(c.since)
	c.since = now
}

func (t *Scheduler) give(c *caller) {
	c.count()
	if c.name != "" {
		t.now = max(t.now, c.used)
	}
	c.used += leastCharge
	c.has++
	t.free--
}

func (t *Scheduler) may(c *caller) bool {
	return c.name == "" || c.has < t.most && (t.free > t.kept || c.held <= brief)
}

// next is the caller to serve; nil when no waiting caller may have more.
func (t *Scheduler) next() (found *caller) {
	for _, c := range t.order {
		if c.name == "" {
			return c
		}
		if c.count(); t.may(c) && (found == nil || c.used < found.used) {
			found = c
		}
	}
	return found
}

func (t *Scheduler) leave(c *caller) {
	at := slices.Index(t.order, c)
	t.order = slices.Delete(t.order, at, at+1)
}

// forget drops callers that are no different from new ones, now and then.
func (t *Scheduler) forget() {
	if time.Since(t.swept) < rememberedFor {
		return
	}
	t.swept = time.Now()
	for name, c := range t.callers {
		if c.has == 0 && len(c.waiting) == 0 && c.used <= t.now-headStart && time.Since(c.since) > rememberedFor {
			delete(t.callers, name)
		}
	}
}

// withdraw removes a request from the queue; false when it was served.
func (t *Scheduler) withdraw(c *caller, one *waiter) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := slices.Index(c.waiting, one)
	if at < 0 {
		return false
	}
	if c.waiting = slices.Delete(c.waiting, at, at+1); len(c.waiting) == 0 {
		t.leave(c)
	}
	return true
}
