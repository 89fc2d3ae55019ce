package postgres_test

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

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
		ctx, end := opened.BeginSnapshot(gone)
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
