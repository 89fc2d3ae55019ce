package store

import (
	"context"
	"errors"
	"runtime"

	"example.org/backoffice/backoffice"
)

// Conn runs statements. Parameters are written $1, $2, … and may be used more than once; arguments are string, int64,
// float64, bool, []byte, nil, or a list made by Dialect.List. Errors are *Violation when a constraint stands in the way,
// else *backoffice.Error; none holds an argument or a value of a row.
type Conn interface {
	// Query calls each for every row; the Row is valid during the call only. It stops at the first error of each.
	Query(ctx context.Context, text string, args []any, each func(*Row) error) error
	// Exec returns the number of rows that were changed.
	Exec(ctx context.Context, text string, args []any) (int64, error)
}

// Statement is one of several that travel together. Changed and Err are what became of it.
type Statement struct {
	Text string
	Args []any
	Each func(*Row) error // as in Query; may be nil

	Changed int64
	Err     error
}

// ErrNotRun is what becomes of a statement when one before it has failed.
var ErrNotRun = errors.New("a statement that was sent before this one has failed")

// BatchConn is what a Conn in a transaction also is when its engine is far away, so that trips are to be saved.
type BatchConn interface {
	// Send runs statements in their order, in one trip. After one that the engine refuses none is run.
	Send(ctx context.Context, statements []*Statement)
	// SendLast keeps statements for the trip that ends the transaction: nobody can look at their answers before it is
	// durable, so what is to keep it from that must be an error of theirs.
	SendLast(statements ...*Statement)
	// Retryable says that the transaction does no harm when it is run again although it is durable already. So its last trip
	// may be its only one.
	Retryable()
}

// Engine is an open database.
type Engine interface {
	Dialect() *Dialect

	// Send answers queries, in one trip where it can and all of one moment, and notes with each why it has no answer. They
	// may be answered by a replica. last says that no more will be read in the snapshot of the context.
	Send(ctx context.Context, queries []*Query, last bool)
	// Primary runs statements that read what was durable when they were asked.
	Primary() Conn
	// Write runs do in a transaction, durable when Write returns nil. do may run again after a serialization failure.
	Write(ctx context.Context, do func(ctx context.Context, tx Conn) error) error

	// Snapshot runs do with a connection whose statements all read the primary as it was at one moment. It keeps no
	// writer waiting.
	Snapshot(ctx context.Context, do func(ctx context.Context, reads Conn) error) error

	// BeginSnapshot makes all that is sent in the context that it returns see one moment, that of the first statement, until
	// end is called; after a Write in it, another one. The connection is taken with the first statement, given back after
	// the last one or by end, and never held while anything else is waited for.
	BeginSnapshot(ctx context.Context) (of context.Context, end func())

	Ping(ctx context.Context) error
	Close() error
}

// counted notes every statement in its context's counter.
type counted struct{ Conn }

func (c counted) Query(ctx context.Context, text string, args []any, each func(*Row) error) error {
	backoffice.CountStatement(ctx)
	each, end := metered(ctx, each)
	if err := c.Conn.Query(ctx, text, args, each); err != nil {
		return err
	}
	return end()
}

// metered notes what is read in the context's budget; end notes the rest.
func metered(ctx context.Context, each func(*Row) error) (noting func(*Row) error, end func() error) {
	budget := backoffice.BudgetOf(ctx)
	if budget == nil {
		return each, func() error { return nil }
	}
	read, rows := 0, 0
	return func(row *Row) error {
		if rows++; rows%rowsBetween == 0 {
			runtime.Gosched()
		}
		if read += row.size(); read >= budgetStep {
			if err := budget.Read(read); err != nil {
				return err
			}
			read = 0
		}
		return each(row)
	}, func() error { return budget.Read(read) }
}

// rowsBetween is after how many rows others may run: a goroutine that is not asked to may keep its processor for 10 ms, and those
// who want little wait behind it.
const rowsBetween = 64

// budgetStep is how many bytes are read before they are counted: a little more than the longest row.
const budgetStep = 32 << 10

func (c counted) Exec(ctx context.Context, text string, args []any) (int64, error) {
	backoffice.CountStatement(ctx)
	return c.Conn.Exec(ctx, text, args)
}
