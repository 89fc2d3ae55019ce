package store

import (
	"context"
	"errors"
	"runtime"

	"example.org/backoffice/backoffice"
)

// Statement is one statement for an engine. Parameters are written $1, $2, … and may be used more than once; arguments
// are string, int64, float64, bool, []byte, nil, or a list made by Dialect.List. Changed and Err are its result: Err is
// a *Violation when a constraint failed, else a *backoffice.Error, and contains no argument or value of a row.
type Statement struct {
	Text string
	Args []any
	Each func(*Row) error // for every row, until it fails; the Row is valid during the call only. Nil: it only writes

	Generic bool // it is planned once for all arguments: planning it takes longer than running it

	Changed int64 // rows, of a statement that only writes
	Replica bool  // a replica answered
	Err     error
}

func (s *Statement) Run(ctx context.Context, to Sender) error {
	to.Send(ctx, s)
	return s.Err
}

var ErrNotRun = errors.New("a statement that was sent before this one has failed")

type Sender interface {
	// Send runs statements in order, in one round trip if possible. After the first failure none is run.
	Send(ctx context.Context, statements ...*Statement)
}

// BatchConn is implemented by the Sender of a transaction whose engine is remote, so that round trips can be saved.
type BatchConn interface {
	Sender
	// SendLast keeps statements for the trip that ends the transaction: nobody can look at their answers before it is
	// durable, so what is to keep it from that must be an error of theirs.
	SendLast(statements ...*Statement)
	// Retryable says that the transaction does no harm when it is run again although it is durable already. So its
	// last trip may be its only one.
	Retryable()
}

type Engine interface {
	Dialect() *Dialect

	// Send runs statements that read, in one trip where it can and all of one moment; one that fails leaves the others
	// their answers. They may be answered by a replica, behind a look that began after the request came in. last says
	// that no more will be read in the snapshot of the context.
	Send(ctx context.Context, statements []*Statement, last bool)
	// Primary runs statements that read what was durable when they were asked.
	Primary() Sender
	// Write runs do in a transaction, durable when Write returns nil. do may run again after a serialization failure.
	Write(ctx context.Context, do func(ctx context.Context, tx Sender) error) error

	// Snapshot runs do with a connection that reads the primary at one moment. It keeps no writer waiting.
	Snapshot(ctx context.Context, do func(ctx context.Context, reads Sender) error) error

	// BeginSnapshot makes all that is sent in a context with this snapshot see one moment, that of the first statement,
	// until it is closed; after a Write in it, another one. The connection is taken with the first statement, given
	// back after the last one or by Close, and never held while anything else is waited for.
	BeginSnapshot() backoffice.Snapshot
	// RenewSnapshot lets what is sent next in such a context be of another moment.
	RenewSnapshot(ctx context.Context)

	Ping(ctx context.Context) error
	Close() error
}

// Versioned is an Engine that tells whether anybody has committed for less than it takes to read the end of the change
// log.
type Versioned interface {
	// DataVersion is another number after each commit of anybody, in whichever process.
	DataVersion(ctx context.Context) (int64, error)
}

// Conn asks a Sender one statement at a time, and notes what it reads in the budget of the context.
type Conn struct{ to Sender }

func (c Conn) Query(ctx context.Context, text string, args []any, each func(*Row) error) error {
	each, end := metered(ctx, each)
	if err := (&Statement{Text: text, Args: args, Each: each}).Run(ctx, c.to); err != nil {
		return err
	}
	return end()
}

// Exec returns the number of rows that were changed.
func (c Conn) Exec(ctx context.Context, text string, args []any) (int64, error) {
	s := &Statement{Text: text, Args: args}
	err := s.Run(ctx, c.to)
	return s.Changed, err
}

// counted notes statements in their context's counter, and lets them read what is in view.
type counted struct {
	Sender
	nouns *nouns
}

func (c counted) Send(ctx context.Context, statements ...*Statement) {
	for range statements {
		backoffice.CountStatement(ctx)
	}
	if timeline := backoffice.TimelineOf(ctx); timeline != nil {
		defer timed(timeline, statements)()
	}
	c.nouns.inView(ctx, statements)
	c.Sender.Send(ctx, statements...)
}

// metered notes what is read in the context's budget; end notes the rest.
func metered(ctx context.Context, each func(*Row) error) (noting func(*Row) error, end func() error) {
	budget := backoffice.BudgetOf(ctx)
	if budget == nil {
		return each, func() error { return nil }
	}
	read, rows, told := 0, 0, 0
	return func(row *Row) error {
		if rows++; rows%rowsBetween == 0 {
			runtime.Gosched()
		}
		if read += row.size(); read >= budgetStep {
			if err := budget.Read(rows-told, read); err != nil {
				return err
			}
			read, told = 0, rows
		}
		return each(row)
	}, func() error { return budget.Read(rows-told, read) }
}

// rowsBetween is after how many rows others may run: a goroutine that is not asked to may keep its processor for 10
// ms, and those who want little wait behind it.
const rowsBetween = 512

// budgetStep is how many bytes are read before they are counted: a little more than the longest row.
const budgetStep = 32 << 10
