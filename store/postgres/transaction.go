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

// transaction is on the primary. Its beginning is sent with the first statements, its commit with the last.
type transaction struct {
	conn  *pgx.Conn
	limit time.Duration // of a round trip
	begin []string
	begun bool
	last  []*store.Statement

	repeats bool // it may be run twice
}

var (
	_ store.BatchConn = (*transaction)(nil)
	_ store.Copier    = (*transaction)(nil)
)

func (t *transaction) Send(ctx context.Context, statements ...*store.Statement) {
	ctx, cancel := bounded(ctx, t.limit)
	defer cancel()
	answered, err := t.trip(ctx, statements)
	if err != nil {
		fail(statements[answered:], unanswered(ctx, t.conn, classify(ctx, err)))
	}
}

func (t *transaction) SendLast(statements ...*store.Statement) {
	t.last = append(t.last, statements...)
}

func (t *transaction) Retryable() { t.repeats = true }

func (t *transaction) Copy(ctx context.Context, table string, columns []string, n int, row func(i int) []any) error {
	if err := t.ready(ctx); err != nil {
		return err
	}
	ctx, cancel := bounded(ctx, t.limit)
	defer cancel()
	next := func(i int) ([]any, error) { return row(i), nil }
	_, err := t.conn.CopyFrom(ctx, pgx.Identifier{table}, columns, pgx.CopyFromSlice(n, next))
	return unanswered(ctx, t.conn, classify(ctx, err))
}

// ready makes a round trip for the beginning alone.
func (t *transaction) ready(ctx context.Context) error {
	ctx, cancel := bounded(ctx, t.limit)
	defer cancel()
	_, err := t.trip(ctx, nil)
	return unanswered(ctx, t.conn, classify(ctx, err))
}

// trip sends statements, after the transaction's beginning if they are the first. It returns how many were answered,
// and the error of the next one, in pgx's terms.
func (t *transaction) trip(ctx context.Context, statements []*store.Statement) (answered int, err error) {
	var first []string
	if !t.begun {
		first = t.begin
		if len(statements) > 0 && !t.knows(statements) {
			// The limits must be set before pgx asks for the description of a statement: that may wait for locks, too.
			if _, err := t.trip(ctx, nil); err != nil {
				return 0, err
			}
			first = nil
		}
	}
	if len(first)+len(statements) == 0 {
		return 0, nil
	}
	sent, err := pipeline(ctx, t.conn, first, statements)
	t.begun = t.begun || sent.begun
	return sent.answered, err
}

// known is the key under which a connection records the texts that it knows.
const known = "known"

// knows reports whether statements can be sent as they are, and remembers them for the next time.
func (t *transaction) knows(statements []*store.Statement) bool {
	config := t.conn.Config()
	if config.DefaultQueryExecMode == pgx.QueryExecModeExec {
		return true
	}
	data := t.conn.PgConn().CustomData()
	texts, _ := data[known].(map[string]bool)
	if texts == nil || len(texts) > config.StatementCacheCapacity/2 { // pgx may keep no more
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

func (t *transaction) rollback(ctx context.Context) {
	if conn := t.conn.PgConn(); !conn.IsClosed() && conn.TxStatus() != 'I' {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishTime)
		defer cancel()
		_ = conn.Exec(ctx, "rollback").Close()
	}
}

// leastCommit is how long a commit is waited for when the deadline is near: it needs but one answer.
const leastCommit = time.Second

// warnings is the key under which a connection counts the server's warnings.
const warnings = "warnings"

func noteWarning(conn *pgconn.PgConn, notice *pgconn.Notice) {
	if notice.SeverityUnlocalized == "WARNING" {
		n, _ := conn.CustomData()[warnings].(int)
		conn.CustomData()[warnings] = n + 1
	}
}

// commit makes a transaction durable, with the statements kept for its last round trip. These are not the transaction's
// first statements, unless it may run twice: an earlier answer shows that the connection works. Under synchronous
// replication, a server that stops waiting for its standby reports success with a warning; here that is a failure.
// Callers who leave do not cut the wait short; a deadline does, after at least leastCommit.
func (t *transaction) commit(ctx context.Context) error {
	conn := t.conn.PgConn()
	switch {
	case !t.begun && len(t.last) == 0: // nothing was sent
		return nil
	case conn.TxStatus() == 'E':
		return backoffice.Fault(errors.New("commit of a failed transaction"), "writing to the store")
	case !t.begun && !t.repeats:
		if err := t.ready(ctx); err != nil {
			return err
		}
	}
	limit := t.limit
	if deadline, ok := ctx.Deadline(); ok {
		limit = min(limit, max(time.Until(deadline)-cancelTime, leastCommit))
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	before, _ := conn.CustomData()[warnings].(int)
	answered, err := t.trip(ctx, append(t.last, &store.Statement{Text: "commit"}))
	after, _ := conn.CustomData()[warnings].(int)
	switch {
	case err == nil && after > before:
		return unknownOutcome(errors.New("PostgreSQL committed with a warning: a synchronous standby may not have it"))
	case err == nil:
		return nil
	case isDecided(err, answered < len(t.last)):
		return classify(ctx, err)
	case t.repeats:
		return unanswered(ctx, t.conn, classify(ctx, err))
	}
	return unknownOutcome(fmt.Errorf("no answer to the commit (%s)", how(err)))
}

// isDecided reports that an error in the round trip of the commit comes from a server that has not committed: it
// rejected a statement, or the commit, and ran nothing after it. A server or pooler that goes away may have committed.
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
