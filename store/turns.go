package store

import (
	"context"
	"errors"
	"sync"
	"time"

	"example.org/backoffice/backoffice"
)

// Turns hands out the connections of a pool to callers: to each in turn, however many each has asked for, and never more
// than half of them to one. What the process needs for itself has no caller: it is served first, and with as many as
// there are. What one caller asks for is served in the order in which it was asked.
type Turns struct {
	most int           // that one caller has at one time
	wait time.Duration // that one waits at most; 0 is without end

	mu    sync.Mutex
	free  int
	has   map[string]int
	lines map[string][]*turn // those who wait, by caller
	order []string           // the callers who have a line, the next one first
}

// turn is one who waits; its channel is closed when it is its turn.
type turn chan struct{}

// ErrBusy says that no connection was free in time.
var ErrBusy = errors.New("no connection was free in time")

// NewTurns hands out so many connections.
func NewTurns(connections int, wait time.Duration) *Turns {
	return &Turns{most: max(1, connections/2), wait: wait, free: connections, has: map[string]int{}, lines: map[string][]*turn{}}
}

// Stats are how many connections are in use, and how many callers wait for one.
func (t *Turns) Stats() (used, waiting int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, n := range t.has {
		used += n
	}
	for _, line := range t.lines {
		waiting += len(line)
	}
	return used, waiting
}

// Take waits until the caller of a context may have a connection, and returns who that is, for Give. It fails with
// ErrBusy, also when the context's time ends while waiting, or with the context's error.
func (t *Turns) Take(ctx context.Context) (who string, err error) {
	if caller := backoffice.CallerOf(ctx); caller != nil {
		who = caller.ClientID
	}
	if err := ctx.Err(); err != nil {
		return who, err
	}
	t.mu.Lock()
	// When some are free, all who wait have as many as they may have.
	if t.free > 0 && t.may(who) && len(t.lines[who]) == 0 {
		t.free--
		t.has[who]++
		t.mu.Unlock()
		return who, nil
	}
	mine := make(turn)
	if len(t.lines[who]) == 0 {
		t.order = append(t.order, who)
	}
	t.lines[who] = append(t.lines[who], &mine)
	t.mu.Unlock()

	var late <-chan time.Time
	if t.wait > 0 {
		timer := time.NewTimer(t.wait)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case <-mine:
		return who, nil
	case <-ctx.Done():
		if err = ctx.Err(); errors.Is(err, context.DeadlineExceeded) {
			err = ErrBusy
		}
	case <-late:
		err = ErrBusy
	}
	if !t.withdraw(who, &mine) { // it was given just now
		t.Give(who)
	}
	return who, err
}

// Give takes a connection back.
func (t *Turns) Give(who string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.free++
	if t.has[who]--; t.has[who] == 0 {
		delete(t.has, who)
	}
	for t.free > 0 {
		at := t.next()
		if at < 0 {
			return
		}
		t.serve(at)
	}
}

func (t *Turns) may(who string) bool { return who == "" || t.has[who] < t.most }

// next is the place of the caller whose turn it is, -1 when nobody who waits may have more.
func (t *Turns) next() int {
	found := -1
	for at, who := range t.order {
		if who == "" {
			return at
		}
		if found < 0 && t.may(who) {
			found = at
		}
	}
	return found
}

// serve gives the first of a line a connection; its caller's next turn comes after those of all others.
func (t *Turns) serve(at int) {
	who := t.order[at]
	line := t.lines[who]
	first := line[0]
	t.order = append(t.order[:at], t.order[at+1:]...)
	if line[0] = nil; len(line) > 1 {
		t.lines[who] = line[1:]
		t.order = append(t.order, who)
	} else {
		delete(t.lines, who)
	}
	t.free--
	t.has[who]++
	close(*first)
}

// withdraw takes one who waits out of the line; false when it was served.
func (t *Turns) withdraw(who string, one *turn) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	line := t.lines[who]
	for i, other := range line {
		if other != one {
			continue
		}
		if len(line) > 1 {
			t.lines[who] = append(line[:i:i], line[i+1:]...)
			return true
		}
		delete(t.lines, who)
		for at, name := range t.order {
			if name == who {
				t.order = append(t.order[:at], t.order[at+1:]...)
				break
			}
		}
		return true
	}
	return false
}
