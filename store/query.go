package store

import (
	"context"
	"errors"

	"example.org/backoffice/backoffice"
)

// Query is a statement that reads, as one of several that are sent together: a read of a backoffice.Batch.
type Query struct {
	Statement
	done func() // called after the last row

	uncounted bool // nothing that a request asked
}

// Err implements backoffice.Queued.
func (q *Query) Err() error { return q.Statement.Err }

// Fail notes why there is no answer, if err is not nil. It is for engines.
func (q *Query) Fail(err error) { q.Statement.Err = err }

// failed is a query that is not sent, and was refused when err is not nil.
func failed(err error) *Query { return &Query{Statement: Statement{Err: err}} }

func queryOf(text string, args []any, each func(*Row) error) *Query {
	return &Query{Statement: Statement{Text: text, Args: args, Each: each}}
}

// source is where queries are answered.
type source interface {
	// Send answers queries that see one moment, or notes with each why it has no answer; last says that no more will be
	// read at that moment.
	Send(ctx context.Context, queries []*Query, last bool)
}

// send answers the reads of a batch.
func send(ctx context.Context, from source, b *backoffice.Batch) error {
	queued := b.Queued()
	queries := make([]*Query, 0, len(queued))
	metering := backoffice.BudgetOf(ctx) != nil
	for _, read := range queued {
		q, ok := read.(*Query)
		if !ok {
			return backoffice.Fault(errForeign, "reading")
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
		queries = append(queries, q)
	}
	if len(queries) > 0 || b.Last {
		from.Send(ctx, queries, b.Last)
	}
	for _, q := range queries {
		if q.Err() == nil && q.done != nil {
			q.done()
		}
	}
	return b.Err()
}

var errForeign = errors.New("a read was queued by the reader of another store")

// charge counts what the query reads in a budget.
func (q *Query) charge(ctx context.Context) {
	each, end := metered(ctx, q.Each)
	done := q.done
	q.Each, q.done = each, func() {
		if q.Fail(end()); q.Err() == nil && done != nil {
			done()
		}
	}
}

// oneByOne runs queries one after the other on a connection whose statements see one moment anyhow.
type oneByOne struct{ conn Conn }

// Send implements source.
func (o oneByOne) Send(ctx context.Context, queries []*Query, _ bool) {
	for _, q := range queries {
		q.Fail(o.conn.Query(ctx, q.Text, q.Args, q.Each))
	}
}

// inTx answers queries within a transaction.
type inTx struct{ conn *txConn }

// Send implements source.
func (i inTx) Send(ctx context.Context, queries []*Query, _ bool) {
	tx := i.conn.tx
	if tx.batchConn == nil || tx.failed != nil {
		oneByOne{i.conn}.Send(ctx, queries, false)
		return
	}
	statements := make([]*Statement, len(queries))
	for at, q := range queries {
		statements[at] = &q.Statement
	}
	tx.trip(ctx, statements)
	for _, q := range queries {
		q.Fail(i.conn.note(q.Err()))
	}
}
