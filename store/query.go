package store

import (
	"context"
	"errors"

	"example.org/backoffice/backoffice"
)

// Query is a read of a backoffice.Batch.
type Query struct {
	Statement
	done func() // called after the last row

	uncounted bool // not asked by a request

	restricted func(*snapshot) *Query // asks the same of visible rows; nil where that is the same statement
	tells      func(*snapshot)        // records which customers the answer shows to be visible; nil where it shows none
}

const (
	maxParameters = 30_000  // SQLite takes 32,766 of one statement, less what views add
	maxText       = 1 << 17 // bytes; 50 alternatives with every condition on customers take less
)

func (q *Query) Err() error { return q.Statement.Err }

// failed is a query that is not sent; it was rejected if err is not nil.
func failed(err error) *Query { return &Query{Statement: Statement{Err: err}} }

func queryOf(text string, args []any, each func(*Row) error) *Query {
	return &Query{Statement: Statement{Text: text, Args: args, Each: each}}
}

// source answers statements in one snapshot, as Engine's Send does.
type source struct {
	send func(ctx context.Context, statements []*Statement, last bool)
	// begun: the snapshot is the one that was begun in the context, if any.
	begun bool
}

// oneSnapshot is for a Sender whose statements always share a snapshot.
func oneSnapshot(to Sender) source {
	return source{send: func(ctx context.Context, statements []*Statement, _ bool) { to.Send(ctx, statements...) }}
}

func send(ctx context.Context, n *nouns, from source, b *backoffice.Batch) error {
	queued := b.Queued()
	statements := make([]*Statement, 0, len(queued))
	metering, restricted := backoffice.BudgetOf(ctx) != nil, n.viewOf(ctx) != nil
	var m *snapshot
	if from.begun && restricted {
		if m = n.snapshotOf(ctx); m != nil {
			m.mu.Lock()
			defer m.mu.Unlock()
		}
	}
	for _, read := range queued {
		q, ok := read.(*Query)
		if !ok {
			return backoffice.Fault(errForeign, "reading")
		}
		for restricted && q.restricted != nil && q.Err() == nil {
			other := q.restricted(m)
			q.Statement, q.done, q.restricted = other.Statement, other.done, other.restricted
		}
		if (len(q.Args) > maxParameters || len(q.Text) > maxText) && q.Err() == nil {
			q.Statement.Err = backoffice.Errorf(backoffice.BadInput, "the filter has too many conditions")
		}
		if q.Err() != nil || q.Text == "" {
			continue
		}
		if !q.uncounted {
			backoffice.CountStatement(ctx)
		}
		if metering && !q.uncounted {
			q.charge(ctx)
		}
		statements = append(statements, &q.Statement)
	}
	n.restrictAll(ctx, statements)
	if len(statements) > 0 || b.Last {
		if timeline := backoffice.TimelineOf(ctx); timeline != nil {
			defer timed(timeline, statements, from.begun)()
		}
		from.send(ctx, statements, b.Last)
	}
	for _, read := range queued {
		q := read.(*Query)
		if q.Err() != nil {
			continue
		}
		if q.tells != nil && m != nil {
			q.tells(m)
		}
		if q.done != nil {
			q.done()
		}
	}
	err := b.Err()
	if m != nil && (b.Last || err != nil) { // the snapshot is over, or may be
		m.known = nil
	}
	return err
}

var errForeign = errors.New("the read was queued by another store's reader")

func (q *Query) charge(ctx context.Context) {
	each, end := metered(ctx, q.Each)
	done := q.done
	q.Each, q.done = each, func() {
		if q.Statement.Err = end(); q.Err() == nil && done != nil {
			done()
		}
	}
}
