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
	checkEvery = 10 * time.Millisecond // between checks of running statements
	sleepsIn   = time.Second           // without statements until it stops
)

// watchdog interrupts statements that exceed their time limit, or whose caller has gone. One goroutine checks all
// connections periodically, and stops when nothing runs, so that a statement costs no goroutine, channel or timer.
type watchdog struct {
	awake atomic.Bool
	work  sync.WaitGroup

	mu    sync.Mutex
	conns []*conn
	ended bool
}

type running struct {
	dog    *watchdog
	handle uintptr       // SQLite's connection
	limit  time.Duration // of a statement; 0 is none

	mu    sync.Mutex // held while the statement is interrupted, so that the next one is not
	ctx   context.Context
	began time.Time
}

var errNoHandle = errors.New("this version of the driver does not expose its connection, so statements could not be interrupted")

// watch adds a connection. The driver interrupts only by a goroutine per statement, so its unexported handle is read.
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
	r.ctx, r.began = ctx, time.Now()
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

// check interrupts the statement if it must end, and reports whether one runs. An interruption before SQLite has begun
// with the statement is lost; the next check repeats it.
func (r *running) check(now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ctx == nil || r.handle == 0 {
		return false
	}
	if r.ctx.Err() != nil || r.limit > 0 && now.Sub(r.began) > r.limit {
		thread := libc.NewTLS() // the connection's own is in use by the statement
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

// run checks until nothing has run for a while.
func (w *watchdog) run() {
	ticks := time.NewTicker(checkEvery)
	defer ticks.Stop()
	last := time.Now()
	for now := range ticks.C {
		if w.check(now) {
			last = now
			continue
		}
		if now.Sub(last) < sleepsIn && !w.isEnded() {
			continue
		}
		w.awake.Store(false)
		// A statement that began since the last check may have seen it awake.
		if !w.check(now) || !w.awake.CompareAndSwap(false, true) {
			return
		}
		last = now
	}
}

func (w *watchdog) check(now time.Time) (any bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.conns {
		any = c.running.check(now) || any
	}
	return any
}

func (w *watchdog) isEnded() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ended
}

// end waits until nothing runs and the goroutine has ended.
func (w *watchdog) end() {
	w.mu.Lock()
	w.ended = true
	w.mu.Unlock()
	w.work.Wait()
}
