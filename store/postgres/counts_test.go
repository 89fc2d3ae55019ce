package postgres_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/postgres"
	"example.org/backoffice/store/postgres/pgtest"
)

// open opens a store in a schema of its own, with a connection of ours beside it.
func open(t *testing.T) (*postgres.Store, *pgx.Conn) {
	t.Helper()
	url := pgtest.Migrated(t, postgres.Migrate)
	store, err := postgres.Open(t.Context(), url, postgres.Options{MaxConns: 8})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return store, conn
}

func labels(t *testing.T, labels backoffice.Reader[*backoffice.Label, backoffice.LabelCriteria]) int {
	t.Helper()
	counts, err := backoffice.ReadCounts(t.Context(), labels, backoffice.Root, backoffice.LabelCriteria{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return counts[backoffice.NoParent]
}

func TestAWriterIsCountedWithoutWaitingForAnother(t *testing.T) {
	t.Parallel()
	store, _ := open(t)
	err := store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
		if err := tx.Labels().Insert(ctx, &backoffice.Label{ID: "outer", Name: "outer"}); err != nil {
			return err
		}
		// While this transaction is open, others write and commit.
		for i := range 100 {
			err := store.Write(ctx, func(ctx context.Context, tx backoffice.Tx) error {
				return tx.Labels().Insert(ctx, &backoffice.Label{ID: fmt.Sprint(i), Name: fmt.Sprint(i)})
			})
			if err != nil {
				return err
			}
		}
		if n := labels(t, store.Labels()); n != 100 {
			t.Errorf("others count %d labels, want 100", n)
		}
		if n := labels(t, tx.Labels()); n != 101 {
			t.Errorf("the transaction counts %d labels, want 101", n)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := labels(t, store.Labels()); n != 101 {
		t.Errorf("%d labels, want 101", n)
	}
}

func TestTotalsStayExactWhileTheirPartsAreFolded(t *testing.T) {
	t.Parallel()
	store, conn := open(t)
	var all sync.WaitGroup
	for w := range 4 {
		all.Go(func() {
			for i := range 40 {
				err := store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
					id := fmt.Sprintf("%d-%d", w, i)
					if err := tx.Labels().Insert(ctx, &backoffice.Label{ID: id, Name: id}); err != nil {
						return err
					}
					if i%2 == 0 {
						return nil
					}
					_, err := tx.Labels().Delete(ctx, id)
					return err
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 50 {
		if _, err := conn.Exec(t.Context(), "SELECT fold_row_counts('label')"); err != nil {
			t.Fatal(err)
		}
	}
	all.Wait()
	if _, err := conn.Exec(t.Context(), "SELECT fold_row_counts('label')"); err != nil {
		t.Fatal(err)
	}
	var parts, total int
	if err := conn.QueryRow(t.Context(), "SELECT count(*), sum(n) FROM row_counts WHERE noun = 'label'").Scan(&parts, &total); err != nil {
		t.Fatal(err)
	}
	if parts != 1 || total != 80 || labels(t, store.Labels()) != 80 {
		t.Errorf("%d labels in %d parts, and the store counts %d; want 80 in 1", total, parts, labels(t, store.Labels()))
	}
}
