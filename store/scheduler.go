package store

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"example.org/backoffice/backoffice"
)

// Scheduler hands out the connections of a pool to callers: the next one to who had them for the shortest time lately
// (start-time fair queueing), however many each has asked for, and never more than half of them to one. What the
// process needs for itself has no caller: it is served first, and with as many as there are. What one caller asks for
// is served in the order in which it was asked. Some connections are kept for callers who have had them briefly of
// late: the statements of others may take seconds, and who wants little need not wait for their end.
type Scheduler struct {
	most int           // that one caller has at one time
	kept int           // for those who are brief
	wait time.Duration // that one waits at most; 0 is without end

	mu      sync.Mutex
	free    int
	callers map[string]*caller
	order   []*caller     // those who wait, in the order in which they began to
	now     time.Duration // virtual time: what those who are served now were given
	swept   time.Time     // when callers were forgotten
}

// caller is who has connections, waits for some, or had more than others not long ago.
type caller struct {
	name    string
	has     int
	waiting []*turn
	used    time.Duration // virtual time: how long connections were had
	since   time.Time     // used is right up to here
	held    time.Duration // how long one was had at most, of late; who is new has to show that it is brief
}

// Turn is somebody's time with a connection.
type Turn struct {
	of    *caller
	began time.Time
}

// brief is how long callers may have connections, each time, who get those that are kept for them. rememberedFor is
// how long it is known of somebody who has gone.
const (
	brief         = 20 * time.Millisecond
	rememberedFor = time.Minute
)

// leastTurn is what a turn counts at least, so that those who need little come in turn.
const leastTurn = time.Millisecond

// headStart is how much those who were away, or took little, are ahead of the others at most: nobody saves up more.
const headStart = 100 * time.Millisecond

// turn is one who waits; its channel is closed when it is its turn.
type turn chan struct{}

var ErrBusy = errors.New("no connection was free in time")

// NewScheduler hands out so many connections.
func NewScheduler(connections int, wait time.Duration) *Scheduler {
	return &Scheduler{most: max(1, connections/2), kept: connections / 4, wait: wait, free: connections, callers: map[string]*caller{}, swept: time.Now()}
}

// Stats are how many connections are in use, and how many callers wait for one.
func (t *Scheduler) Stats() (used, waiting int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range t.callers {
		used += c.has
		waiting += len(c.waiting)
	}
	return used, waiting
}

// Take waits until the caller of a context may have a connection; Give ends the turn. It fails with ErrBusy, also when
// the context's time ends while waiting, or with the context's error.
func (t *Scheduler) Take(ctx context.Context) (*Turn, error) {
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
	// When some are free, all who wait have as many as they may have.
	if t.free > 0 && t.may(c) && len(c.waiting) == 0 {
		t.give(c)
		t.mu.Unlock()
		return &Turn{c, time.Now()}, nil
	}
	mine := make(turn)
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
		return &Turn{c, time.Now()}, nil
	case <-ctx.Done():
		if err = ctx.Err(); errors.Is(err, context.DeadlineExceeded) {
			err = ErrBusy
		}
	case <-late:
		err = ErrBusy
	}
	if !t.withdraw(c, &mine) { // it was given just now
		t.Give(&Turn{c, time.Now()})
	}
	return nil, err
}

// Give takes a connection back.
func (t *Scheduler) Give(turn *Turn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := turn.of
	c.count()
	c.held = max(time.Since(turn.began), c.held-c.held/8)
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

// count brings the time that a caller had connections up to now.
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
	c.used += leastTurn
	c.has++
	t.free--
}

func (t *Scheduler) may(c *caller) bool {
	return c.name == "" || c.has < t.most && (t.free > t.kept || c.held <= brief)
}

// next is the caller whose turn it is, nil when nobody who waits may have more.
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

// leave takes a caller out of those who wait.
func (t *Scheduler) leave(c *caller) {
	at := slices.Index(t.order, c)
	t.order = slices.Delete(t.order, at, at+1)
}

// forget drops callers who are no different from new ones, now and then.
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

// withdraw takes one who waits out of the line; false when it was served.
func (t *Scheduler) withdraw(c *caller, one *turn) bool {
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
