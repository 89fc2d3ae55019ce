package store

import (
	"context"
	"errors"
	"runtime"

	"example.org/backoffice/backoffice"
)

// Statement is one for an engine. Parameters are written $1, $2, … and may be used more than once; arguments
// are string, int64, float64, bool, []byte, nil, or a list made by Dialect.List. Changed and Err are its result: Err is
// a *Violation when a constraint failed, else a *backoffice.Error, and contains no argument or value of a row.
type Statement struct {
	Text    string
	Args    []any
	Each    func(*Row) error // for every row, until it fails; the Row is valid during the call only. Nil to only write
	Generic bool             // it is planned once for all arguments: planning it takes longer than running it

	Changed int64 // rows, of a statement that only writes
	Replica bool  // a replica answered
	Err     error
}

func (s *Statement) Run(ctx context.Context, to Sender) error {
	to.Send(ctx, s)
	return s.Err
}

var ErrNotRun = errors.New("an earlier statement of the batch failed")

type Sender interface {
	// Send runs statements in order, in one round trip if possible. After the first failure none is run.
	Send(ctx context.Context, statements ...*Statement)
}

// BatchConn is implemented by the Sender of a transaction whose engine is remote, so that round trips can be saved.
type BatchConn interface {
	Sender
	// SendLast keeps statements for the round trip that commits: only an error of theirs can still prevent the commit.
	SendLast(statements ...*Statement)
	// Retryable marks a transaction that may run twice even if it is durable: its last round trip may be its only one.
	Retryable()
}

type Engine interface {
	Dialect() *Dialect

	// Send runs statements that read, in one round trip if possible and in one snapshot; if one fails, the others keep
	// their answers. A replica may answer them, after a poll that began after the request came in. last means that no
	// more will be read in the snapshot of the context.
	Send(ctx context.Context, statements []*Statement, last bool)
	// Primary runs statements that read what was durable when they were sent.
	Primary() Sender
	// Write runs do in a transaction, durable when Write returns nil. do may run again after a serialization failure.
	Write(ctx context.Context, do func(ctx context.Context, tx Sender) error) error

	// Snapshot runs do with a connection that reads one snapshot of the primary. It does not block writers.
	Snapshot(ctx context.Context, do func(ctx context.Context, reads Sender) error) error

	// BeginSnapshot makes everything sent in a context with this snapshot see the state at the first statement, until
	// it is closed; after a Write in it, another one. The connection is taken with the first statement, returned after
	// the last one or by Close, and never held while waiting for anything else.
	BeginSnapshot() backoffice.Snapshot
	// RenewSnapshot makes the next statements of such a context use another snapshot.
	RenewSnapshot(ctx context.Context)

	Ping(ctx context.Context) error
	Close() error
}

// Versioned is an Engine that detects commits faster than it reads the end of the change log.
type Versioned interface {
	// DataVersion changes with each commit, of any process.
	DataVersion(ctx context.Context) (int64, error)
}

// Conn sends one statement at a time to a Sender, and charges what it reads to the budget of the context.
type Conn struct{ to Sender }

func (c Conn) Query(ctx context.Context, text string, args []any, each func(*Row) error) error {
	each, end := metered(ctx, each)
	if err := (&Statement{Text: text, Args: args, Each: each}).Run(ctx, c.to); err != nil {
		return err
	}
	return end()
}

func (c Conn) Exec(ctx context.Context, text string, args []any) (int64, error) {
	s := &Statement{Text: text, Args: args}
	err := s.Run(ctx, c.to)
	return s.Changed, err
}

// counted counts statements in their context's counter, and restricts them to what is visible.
type counted struct {
	Sender
	nouns *nouns
}

func (c counted) Send(ctx context.Context, statements ...*Statement) {
	for range statements {
		backoffice.CountStatement(ctx)
	}
	if timeline := backoffice.TimelineOf(ctx); timeline != nil {
		defer timed(timeline, statements, false)()
	}
	c.nouns.restrictAll(ctx, statements)
	c.Sender.Send(ctx, statements...)
}

// metered charges what is read to the context's budget; end charges the rest.
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

// rowsBetween is the number of rows after which others may run: a goroutine that never yields may keep its processor
// for 10 ms, and short requests would wait for it.
const rowsBetween = 512

// budgetStep is how many bytes are read before they are counted: a little more than the longest row.
const budgetStep = 32 << 10
