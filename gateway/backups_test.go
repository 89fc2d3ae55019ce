package gateway

import (
	"context"
	"errors"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
)

// someLeases has one lease, or fails.
type someLeases struct {
	backoffice.LeaseStore
	lease *backoffice.Lease
	err   error
}

func (s *someLeases) Lease(context.Context, string) (*backoffice.Lease, error) { return s.lease, s.err }

func TestTheAgeOfATaskStaysKnownWhileTheStoreFails(t *testing.T) {
	t.Parallel()
	store := &someLeases{}
	age := ageOf(store, backoffice.DoneBackup)
	if got := age(); got != -1 {
		t.Errorf("of a task that was never done: %d", got)
	}
	store.lease = &backoffice.Lease{Since: backoffice.InstantOf(time.Now().Add(-50 * time.Hour))}
	for _, store.err = range []error{nil, errors.New("the store fails")} {
		if got := age(); got < 180_000 || got > 181_000 {
			t.Errorf("of 50 hours ago, with %v: %d", store.err, got)
		}
	}
	store.lease, store.err = nil, nil
	if got := age(); got != -1 {
		t.Errorf("of another store: %d", got)
	}
}
