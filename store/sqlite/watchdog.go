package sqlite

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

const (
	lookEvery = 10 * time.Millisecond // at what runs
	sleepsIn  = time.Second           // in which nothing ran
)

// watchdog interrupts statements that run longer than they may, or whose caller has gone. One goroutine looks at all
// connections now and then, and there is none while nothing runs, so that a statement costs no goroutine, channel or
// timer.
type watchdog struct {
	awake atomic.Bool
	work  sync.WaitGroup

	mu    sync.Mutex
	conns []*conn
	ended bool
}

// running is what a connection runs now.
type running struct {
	dog    *watchdog
	handle uintptr       // SQLite's connection
	limit  time.Duration // of a statement; 0 is none

	mu    sync.Mutex // held while the statement is interrupted, so that it is not the next one
	ctx   context.Context
	until time.Time
}

var errNoHandle = errors.New("this version of the driver does not show its connection, so no statement could be interrupted")

// watch looks at a new connection from now on. The driver interrupts only by a goroutine of its own for each statement,
// and shows its connection to nobody, so its field is read.
func (w *watchdog) watch(c *conn, limit time.Duration) error {
	var handle uintptr
	err := c.sql.Raw(func(raw any) error {
		if of := reflect.Indirect(reflect.ValueOf(raw)); of.Kind() == reflect.Struct {
			if field := of.FieldByName("db"); field.Kind() == reflect.Uintptr {
				handle = uintptr(field.Uint())
			}
		}
		return nil
	})
	if err == nil && handle == 0 {
		err = errNoHandle
	}
	if err != nil {
		return err
	}
	c.running.dog, c.running.handle, c.running.limit = w, handle, limit
	w.mu.Lock()
	w.conns = append(w.conns, c)
	w.mu.Unlock()
	return nil
}

// leave looks at a connection no more.
func (w *watchdog) leave(c *conn) {
	w.mu.Lock()
	w.conns = slices.DeleteFunc(w.conns, func(other *conn) bool { return other == c })
	w.mu.Unlock()
}

func (r *running) begin(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r.mu.Lock()
	r.ctx = ctx
	if r.limit > 0 {
		r.until = time.Now().Add(r.limit)
	}
	r.mu.Unlock()
	if !r.dog.awake.Load() {
		r.dog.wake()
	}
	return nil
}

func (r *running) end() {
	r.mu.Lock()
	r.ctx = nil
	r.mu.Unlock()
}

func (r *running) close() {
	r.mu.Lock()
	r.handle = 0
	r.mu.Unlock()
}

// look interrupts the statement if it has to end, and reports whether there is one. An interruption that comes before
// SQLite has begun with the statement is lost, and repeated at the next look.
func (r *running) look(now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ctx == nil || r.handle == 0 {
		return false
	}
	if r.ctx.Err() != nil || r.limit > 0 && now.After(r.until) {
		thread := libc.NewTLS() // the connection's own is the statement's
		sqlite3.Xsqlite3_interrupt(thread, r.handle)
		thread.Close()
	}
	return true
}

func (w *watchdog) wake() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.ended && w.awake.CompareAndSwap(false, true) {
		w.work.Go(w.run)
	}
}

// run looks until nothing has run for a while.
func (w *watchdog) run() {
	ticks := time.NewTicker(lookEvery)
	defer ticks.Stop()
	last := time.Now()
	for now := range ticks.C {
		if w.look(now) {
			last = now
			continue
		}
		if now.Sub(last) < sleepsIn && !w.isEnded() {
			continue
		}
		w.awake.Store(false)
		// Who began since the look may have seen it awake.
		if !w.look(now) || !w.awake.CompareAndSwap(false, true) {
			return
		}
		last = now
	}
}

func (w *watchdog) look(now time.Time) (any bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.conns {
		any = c.running.look(now) || any
	}
	return any
}

func (w *watchdog) isEnded() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ended
}

// end waits until nothing runs any more and the goroutine has gone.
func (w *watchdog) end() {
	w.mu.Lock()
	w.ended = true
	w.mu.Unlock()
	w.work.Wait()
}
