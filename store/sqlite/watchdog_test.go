package sqlite

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store"
)

// Statements that run for ever: before their first row, and after it.
var endless = map[string]string{
	"before the first row": "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c",
	"after a row":          "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c WHERE x = 1 OR x < 0",
	"row by row":           "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c",
}

func openEngine(t *testing.T, options Options) *engine {
	t.Helper()
	opened, err := Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "backoffice.db"), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = opened.Close() })
	return opened.engine
}

func nothing(*store.Row) error { return nil }

// answers waits for an answer; the bound is for a hang only.
func answers(t *testing.T, ask func() error) error {
	t.Helper()
	answered := make(chan error, 1)
	go func() { answered <- ask() }()
	select {
	case err := <-answered:
		return err
	case <-time.After(30 * time.Second):
		t.Fatal("a statement runs for ever")
		return nil
	}
}

func TestAStatementThatRunsForEverIsInterrupted(t *testing.T) {
	t.Parallel()
	for name, text := range endless {
		t.Run(name+", by the limit of statements", func(t *testing.T) {
			t.Parallel()
			e := openEngine(t, Options{Readers: 1, StatementTimeout: 500 * time.Millisecond})
			for range 3 {
				err := answers(t, func() error { return (&store.Statement{Text: text, Each: nothing}).Run(t.Context(), e.readers) })
				if backoffice.KindOf(err) != backoffice.Timeout {
					t.Errorf("got %v", err)
				}
			}
			// The connection is as good as before.
			rows := 0
			if err := (&store.Statement{Text: "SELECT 1 UNION ALL SELECT 2", Each: func(*store.Row) error { rows++; return nil }}).Run(t.Context(), e.readers); err != nil || rows != 2 {
				t.Errorf("afterwards %d rows: %v", rows, err)
			}
		})
		t.Run(name+", when its caller goes", func(t *testing.T) {
			t.Parallel()
			e := openEngine(t, Options{Readers: 1})
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			for place, conn := range map[string]store.Sender{"a reader": e.readers, "one of the process's own": e.Primary()} {
				if err := answers(t, func() error { return (&store.Statement{Text: text, Each: nothing}).Run(ctx, conn) }); backoffice.KindOf(err) != backoffice.Timeout {
					t.Errorf("%s: got %v", place, err)
				}
			}
		})
	}
}

func TestAWriteThatRunsForEverIsInterruptedAndUndone(t *testing.T) {
	t.Parallel()
	e := openEngine(t, Options{})
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	err := answers(t, func() error {
		return e.Write(ctx, func(ctx context.Context, tx store.Sender) error {
			if err := (&store.Statement{Text: "INSERT INTO labels (id, name, created_at) VALUES ('early', 'early', 1)"}).Run(ctx, tx); err != nil {
				return err
			}
			return (&store.Statement{Text: `WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)
INSERT INTO labels (id, name, created_at) SELECT 'label', 'label', 1 FROM c WHERE x < 0`}).Run(ctx, tx)
		})
	})
	if backoffice.KindOf(err) != backoffice.Timeout {
		t.Errorf("got %v", err)
	}
	rows := 0
	if err := (&store.Statement{Text: "SELECT id FROM labels", Each: func(*store.Row) error { rows++; return nil }}).Run(t.Context(), e.readers); err != nil || rows > 0 {
		t.Errorf("%d labels are there: %v", rows, err)
	}
	err = e.Write(t.Context(), func(ctx context.Context, tx store.Sender) error {
		return (&store.Statement{Text: "INSERT INTO labels (id, name, created_at) VALUES ('late', 'late', 1)"}).Run(ctx, tx)
	})
	if err != nil {
		t.Errorf("the next write: %v", err)
	}
}

// This one is not parallel: what others run would look like a leak.
func TestNothingWatchesAStoreThatIsClosed(t *testing.T) {
	before := goleak.IgnoreCurrent()
	t.Run("in use", func(t *testing.T) {
		e := openEngine(t, Options{StatementTimeout: 20 * time.Millisecond})
		_ = (&store.Statement{Text: endless["row by row"], Each: nothing}).Run(t.Context(), e.readers)
	})
	goleak.VerifyNone(t, before)
}
