package postgres

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store"
)

// OnReplica says where the reads of a context's request go.
func (s *Store) OnReplica(ctx context.Context) bool { return s.engine.reads.at(ctx) != nil }

// KillConnections ends all connections to the primary at the server, as an administrator would.
func (s *Store) KillConnections(t testing.TB) {
	t.Helper()
	var pids []int32
	for _, of := range []*connections{s.engine.reads.primary, s.engine.own} {
		for _, conn := range of.pool.AcquireAllIdle(t.Context()) {
			pids = append(pids, int32(conn.Conn().PgConn().PID()))
			conn.Release()
		}
	}
	conn, err := pgx.ConnectConfig(t.Context(), s.engine.reads.primary.pool.Config().ConnConfig)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	if _, err := conn.Exec(t.Context(), "SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) pid", pids); err != nil {
		t.Fatal(err)
	}
}

// InWrite runs a statement in a transaction as writes have it, which comes to nothing, and returns the first column.
func (s *Store) InWrite(t testing.TB, text string) (lines []string) {
	t.Helper()
	conn, err := s.engine.reads.primary.pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	tx, err := conn.BeginTx(t.Context(), pgx.TxOptions{BeginQuery: strings.Join(beginWrite(s.engine.reads.primary.limit), ";")})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(t.Context()) }()
	rows, err := tx.Query(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	lines, err = pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return lines
}

// Stale are the statements, each the first of a transaction, that the last one takes for prepared and that are not.
func (s *Store) Stale(t testing.TB, texts []string) (stale []string) {
	t.Helper()
	for i, text := range texts {
		err := s.engine.write(t.Context(), func(ctx context.Context, tx store.Sender) error {
			first := &store.Statement{Text: text, Each: func(*store.Row) error { return nil }}
			if err := first.Run(ctx, tx); err != nil || i+1 < len(texts) {
				return err
			}
			conn := tx.(*transaction).conn
			rows, err := conn.Query(ctx, "SELECT statement FROM pg_prepared_statements")
			if err != nil {
				return err
			}
			prepared, err := pgx.CollectRows(rows, pgx.RowTo[string])
			for text := range conn.PgConn().CustomData()[known].(map[string]bool) {
				if !slices.Contains(prepared, text) {
					stale = append(stale, text)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return stale
}

// InRead runs a statement on a connection as reads have it and returns the first column.
func (s *Store) InRead(t testing.TB, text string) []string {
	t.Helper()
	rows, err := s.engine.reads.primary.pool.Query(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return lines
}

// ExamineLocks tells what is wrong with the locks between connections to two databases, "" when nothing is.
func ExamineLocks(t testing.TB, url, other string) (wrong string) {
	t.Helper()
	conn, _, err := connect(t.Context(), url, takesWrites)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	e := &examination{conn: conn, tell: func(f backoffice.Finding) {
		if f.Failed {
			wrong = f.What
		}
	}}
	e.locks(t.Context(), other)
	return wrong
}
