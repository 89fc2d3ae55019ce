package postgres_test

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/postgres"
)

// Not by way of PgBouncer: that of Debian 12 ends for good when it is asked to cancel at the wrong moment.
func TestABatchWhoseRequestIsCancelledOnItsWayFailsAndTheNextOneIsAnswered(t *testing.T) {
	t.Parallel()
	opened := openAt(t, migrated(t), postgres.Options{MaxConns: 4})
	send := func(ctx context.Context) error {
		var b backoffice.Batch
		counts := make([]int, 1)
		for range 3 {
			opened.Labels().Counts(&b, backoffice.Root, backoffice.LabelCriteria{}, nil, counts)
		}
		return opened.Send(ctx, &b)
	}
	failed := 0
	for round := range 200 {
		gone, cancel := context.WithTimeout(t.Context(), time.Duration(rand.N(1500))*time.Microsecond)
		ctx, end := backoffice.BeginSnapshot(gone, opened)
		err := send(ctx)
		if err == nil && round%2 == 0 {
			err = send(ctx)
		}
		// Unavailable is who was still waiting for a connection.
		if kind := backoffice.KindOf(err); err != nil && kind != backoffice.Timeout && kind != backoffice.Unavailable {
			t.Errorf("round %d: %v (%v)", round, err, cause(err))
		}
		if err != nil {
			failed++
		}
		end()
		cancel()
		if round%20 == 0 {
			if err := send(t.Context()); err != nil {
				t.Errorf("after round %d: %v (%v)", round, err, cause(err))
			}
		}
	}
	if failed == 0 {
		t.Error("no batch was cancelled, so nothing was shown")
	}
}

func TestAStatementThatIsCancelledForSomebodyElseIsRunOnceMore(t *testing.T) { //nolint:paralleltest // it holds seconds
	url := migrated(t)
	opened := openAt(t, url, postgres.Options{MaxConns: 4, StatementTimeout: time.Minute})
	other, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close(context.WithoutCancel(t.Context())) }()
	for name, do := range map[string]func(context.Context) error{
		"a read": func(ctx context.Context) error { return read(ctx, opened) },
		"a read at one moment": func(ctx context.Context) error {
			ctx, end := backoffice.BeginSnapshot(ctx, opened)
			defer end()
			return read(ctx, opened)
		},
		"a write": func(ctx context.Context) error {
			_, err := label(ctx, opened, "writer", backoffice.NewID())
			return err
		},
	} {
		for cancels := 1; cancels <= 2; cancels++ {
			lock, err := other.Begin(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := lock.Exec(t.Context(), "lock table labels in access exclusive mode"); err != nil {
				t.Fatal(err)
			}
			done := make(chan error, 1)
			go func() { done <- do(t.Context()) }()
			last := ""
			for range cancels {
				const waiter = "select virtualtransaction, pg_cancel_backend(pid) from pg_locks where not granted and relation = 'labels'::regclass and virtualtransaction <> $1"
				for hit := false; !hit; {
					hit = lock.QueryRow(t.Context(), waiter, last).Scan(&last, &hit) == nil
				}
			}
			if err := lock.Rollback(t.Context()); err != nil {
				t.Fatal(err)
			}
			err = <-done
			if cancels == 1 && err != nil {
				t.Errorf("%s, cancelled once: %v (%v)", name, err, cause(err))
			}
			if cancels == 2 && backoffice.KindOf(err) != backoffice.Timeout {
				t.Errorf("%s, cancelled twice: %v", name, err)
			}
		}
	}
}
