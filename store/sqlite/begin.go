package sqlite

import (
	"context"
	"errors"
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store"
)

const (
	// lockPoll is how long SQLite itself waits for another process's writer; it ignores the caller's context meanwhile.
	lockPoll = 100 * time.Millisecond
	// lockPatience is the wait without a deadline: longer than the largest import takes for its longest file.
	lockPatience = 10 * time.Minute
)

// beginWrite returns the writer's connection in a transaction. It waits for the other writers of this process and of
// others, such as the import of a folder, but stops before the caller's deadline, in time to report a busy store.
func (e *engine) beginWrite(ctx context.Context) (*lease, error) {
	if e.standBy {
		return nil, ErrStandBy
	}
	patience := lockPatience
	if deadline, ok := ctx.Deadline(); ok {
		patience = time.Until(deadline) * 9 / 10
	}
	until := time.Now().Add(patience)
	waiting, cancel := context.WithDeadline(ctx, until)
	c, err := e.writer.acquire(waiting)
	cancel()
	switch {
	case err != nil && ctx.Err() == nil && (errors.Is(err, context.DeadlineExceeded) || errors.Is(err, store.ErrBusy)):
		return nil, ErrBusy
	case err != nil:
		return nil, classify(ctx, err)
	}
	for err = ErrBusy; time.Now().Before(until); {
		var busy bool
		if busy, err = c.begin(ctx); err == nil {
			return c, nil
		}
		_ = c.exec(context.WithoutCancel(ctx), "ROLLBACK") // it may have begun although its caller has gone
		if !busy || ctx.Err() != nil {
			break
		}
		err = ErrBusy
	}
	e.writer.release(c)
	return nil, err
}

// begin begins a transaction that writes, and reports whether another process has one.
func (c *conn) begin(ctx context.Context) (busy bool, err error) {
	err = c.exec(ctx, "BEGIN IMMEDIATE")
	var known *backoffice.Error
	var of resultCode
	return errors.As(err, &known) && errors.As(known.Cause, &of) && of&0xff == sqlite3.SQLITE_BUSY, err
}

// ErrBusy reports a write that waited too long for others. Nothing of it was done.
var ErrBusy = &backoffice.Error{
	Kind:    backoffice.Unavailable,
	Message: "the store is busy: others are writing to it; try again later",
	Cause:   errors.New("the write lock was not free in time"),
}
