package postgres_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/postgres"
	"example.org/backoffice/store/postgres/pgtest"
)

// everyConnection makes a pool of four full, and returns what came of as many reads at once.
func everyConnection(t testing.TB, opened *postgres.Store) (failed []error) {
	t.Helper()
	var mu sync.Mutex
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			if err := opened.Snapshot(t.Context(), func(ctx context.Context, reads backoffice.Readers) error {
				time.Sleep(50 * time.Millisecond) // so that each has a connection of its own
				_, err := backoffice.ReadByID(ctx, reads.Labels(), []string{"nothing"}, 0)
				return err
			}); err != nil {
				mu.Lock()
				failed = append(failed, err)
				mu.Unlock()
			}
		})
	}
	readers.Wait()
	return failed
}

func TestConnectionsThatARouterHasForgottenAreReplacedWithoutAnError(t *testing.T) {
	t.Parallel()
	relay := pgtest.NewRelay(t)
	opened := openAt(t, relay.Through(migrated(t)), postgres.Options{MaxConns: 4})
	if failed := everyConnection(t, opened); failed != nil {
		t.Fatal(failed)
	}
	if err := opened.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	time.Sleep(1100 * time.Millisecond) // connections that were used just now are believed
	relay.Forget()
	for _, err := range everyConnection(t, opened) {
		t.Errorf("a read: %v (%v)", err, cause(err))
	}
	if err := opened.Ping(t.Context()); err != nil {
		t.Errorf("readiness: %v (%v)", err, cause(err))
	}
	if _, err := label(t.Context(), opened, "writer", "after"); err != nil {
		t.Errorf("a write: %v (%v)", err, cause(err))
	}
}

func TestConnectionsThatAreForgottenWhileTheyAreUsedMakeRoomAtOnce(t *testing.T) {
	t.Parallel()
	relay := pgtest.NewRelay(t)
	opened := openAt(t, relay.Through(migrated(t)), postgres.Options{MaxConns: 4, StatementTimeout: time.Second})
	if failed := everyConnection(t, opened); failed != nil {
		t.Fatal(failed)
	}
	relay.Forget()
	for _, err := range everyConnection(t, opened) {
		if backoffice.KindOf(err) != backoffice.Unavailable {
			t.Errorf("a read on a forgotten connection: %v (%v)", err, cause(err))
		}
	}
	for _, err := range everyConnection(t, opened) { // pgx takes leave of the old ones for 15 seconds
		t.Errorf("a read after that: %v (%v)", err, cause(err))
	}
}
