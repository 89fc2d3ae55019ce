package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store"
)

// writing is a transaction that writes. Its beginning travels with the first statements, and its commit with the last.
type writing struct {
	conn  *pgx.Conn
	limit time.Duration // of a trip
	begun bool
	last  []*store.Statement

	repeats bool // it does no harm when it is run twice
}

var (
	_ store.BatchConn = (*writing)(nil)
	_ store.Copier    = (*writing)(nil)
)

// Query implements store.Conn.
func (w *writing) Query(ctx context.Context, text string, args []any, each func(*store.Row) error) error {
	s := &store.Statement{Text: text, Args: args, Each: each}
	w.Send(ctx, []*store.Statement{s})
	return s.Err
}

// Exec implements store.Conn.
func (w *writing) Exec(ctx context.Context, text string, args []any) (int64, error) {
	s := &store.Statement{Text: text, Args: args}
	w.Send(ctx, []*store.Statement{s})
	return s.Changed, s.Err
}

// Send implements store.BatchConn.
func (w *writing) Send(ctx context.Context, statements []*store.Statement) {
	ctx, cancel := bounded(ctx, w.limit)
	defer cancel()
	answered, err := w.trip(ctx, statements)
	if err != nil {
		err = unanswered(ctx, w.conn, classify(ctx, err))
	}
	for _, s := range statements[answered:] {
		s.Err, err = err, store.ErrNotRun
	}
}

// SendLast implements store.BatchConn.
func (w *writing) SendLast(statements ...*store.Statement) { w.last = append(w.last, statements...) }

// Retryable implements store.BatchConn.
func (w *writing) Retryable() { w.repeats = true }

// Copy implements store.Copier.
func (w *writing) Copy(ctx context.Context, table string, columns []string, n int, row func(i int) []any) error {
	ctx, cancel := bounded(ctx, w.limit)
	defer cancel()
	next := func(i int) ([]any, error) { return row(i), nil }
	_, err := w.trip(ctx, nil)
	if err == nil {
		_, err = w.conn.CopyFrom(ctx, pgx.Identifier{table}, columns, pgx.CopyFromSlice(n, next))
	}
	return unanswered(ctx, w.conn, classify(ctx, err))
}

// trip sends statements, behind the transaction's beginning if they are the first. It returns how many were answered, and
// what became of the next one, in pgx's terms.
func (w *writing) trip(ctx context.Context, statements []*store.Statement) (answered int, err error) {
	var first []string
	if !w.begun {
		first = beginWrite(w.limit)
		if len(statements) > 0 && !w.knows(statements) {
			// Before pgx asks what a statement looks like the limits have to hold: that may wait for the locks of others, too.
			if _, err := w.trip(ctx, nil); err != nil {
				return 0, err
			}
			first = nil
		}
	}
	if len(first)+len(statements) == 0 {
		return 0, nil
	}
	batch := &pgx.Batch{}
	for _, text := range first {
		batch.Queue(text)
	}
	for _, s := range statements {
		batch.Queue(s.Text, s.Args...)
	}
	results := w.conn.SendBatch(ctx, batch)
	defer func() {
		if failed := results.Close(); err == nil && answered == len(statements) {
			answered, err = max(0, answered-1), failed
		}
	}()
	for range first {
		if _, err := results.Exec(); err != nil {
			return 0, err
		}
	}
	w.begun = true
	for _, s := range statements {
		if err := take(results, s); err != nil {
			return answered, err
		}
		answered++
	}
	return answered, nil
}

// take reads the answer to a statement. An error says that the server did not run it; one of Each is the statement's alone.
func take(results pgx.BatchResults, s *store.Statement) error {
	rows, err := results.Query()
	if err != nil {
		rows.Close()
		return err
	}
	err = scan(rows, func(row *store.Row) error {
		if s.Each != nil {
			s.Err = s.Each(row)
		}
		return s.Err
	})
	if s.Changed = rows.CommandTag().RowsAffected(); s.Err != nil {
		return rows.Err()
	}
	return err
}

// known is where a connection keeps the texts that it knows.
const known = "known"

// maxKnown is how many statements pgx keeps prepared on a connection.
const maxKnown = 512

// knows says whether statements can be sent as they are, and remembers them: the next time they can.
func (w *writing) knows(statements []*store.Statement) bool {
	if w.conn.Config().DefaultQueryExecMode == pgx.QueryExecModeExec {
		return true
	}
	data := w.conn.PgConn().CustomData()
	texts, _ := data[known].(map[string]bool)
	if texts == nil || len(texts) > maxKnown/2 {
		texts = map[string]bool{}
		data[known] = texts
	}
	all := true
	for _, s := range statements {
		all = all && texts[s.Text]
		texts[s.Text] = true
	}
	return all
}

// rollback does nothing after a commit.
func (w *writing) rollback(ctx context.Context) {
	if conn := w.conn.PgConn(); !conn.IsClosed() && conn.TxStatus() != 'I' {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishTime)
		defer cancel()
		_ = conn.Exec(ctx, "rollback").Close()
	}
}

// leastCommit is how long a commit is waited for when the deadline is near: it needs but one answer.
const leastCommit = time.Second

// warnings is where a connection keeps how many warnings the server sent.
const warnings = "warnings"

func noteWarning(conn *pgconn.PgConn, notice *pgconn.Notice) {
	if notice.SeverityUnlocalized == "WARNING" {
		n, _ := conn.CustomData()[warnings].(int)
		conn.CustomData()[warnings] = n + 1
	}
}

// commit makes a transaction durable, with the statements that were kept for its last trip. It comes with none of the
// first, unless it may run twice: who has had an answer knows that the connection is good. Under synchronous replication a server that is told to wait
// no longer for its standby calls that a success, with a warning: here it is none. Callers who leave do not cut the wait short;
// a deadline does, but for leastCommit.
func (w *writing) commit(ctx context.Context) error {
	conn := w.conn.PgConn()
	switch {
	case !w.begun && len(w.last) == 0: // nothing was asked
		return nil
	case conn.TxStatus() == 'E':
		return backoffice.Fault(errors.New("a failed transaction was to be committed"), "writing to the store")
	case !w.begun && !w.repeats:
		if _, err := w.begin(ctx); err != nil {
			return err
		}
	}
	limit := w.limit
	if deadline, ok := ctx.Deadline(); ok {
		limit = min(limit, max(time.Until(deadline)-cancelTime, leastCommit))
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	before, _ := conn.CustomData()[warnings].(int)
	answered, err := w.trip(ctx, append(w.last, &store.Statement{Text: "commit"}))
	after, _ := conn.CustomData()[warnings].(int)
	switch {
	case err == nil && after > before:
		return unknownOutcome(errors.New("PostgreSQL committed with a warning: no synchronous standby may have it"))
	case err == nil:
		return nil
	}
	switch {
	case isDecided(err, answered < len(w.last)):
		return classify(ctx, err)
	case w.repeats:
		return unanswered(ctx, w.conn, classify(ctx, err))
	}
	return unknownOutcome(fmt.Errorf("the commit was not answered (%T)", err))
}

// begin makes a trip for the beginning alone.
func (w *writing) begin(ctx context.Context) (int, error) {
	ctx, cancel := bounded(ctx, w.limit)
	defer cancel()
	n, err := w.trip(ctx, nil)
	return n, unanswered(ctx, w.conn, classify(ctx, err))
}

// isDecided says that an error in the trip of the commit comes from a server which has not committed: it refused a statement,
// and so did not run those behind it, or the commit itself. A server or a pooler that goes away may have.
func isDecided(err error, before bool) bool {
	switch code := codeOf(err); {
	case code == "":
		return false
	case code == "57014":
		return before
	default:
		return code[:2] != "57" && code[:2] != "08"
	}
}
