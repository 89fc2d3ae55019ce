package sqlite

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
)

// twoProcesses are two stores over one file, as two processes have them.
func twoProcesses(t *testing.T) (one, other *Store) {
	t.Helper()
	url := "sqlite:" + filepath.Join(t.TempDir(), "test.db")
	open := func() *Store {
		store, err := Open(t.Context(), url, Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = store.Close() })
		return store
	}
	return open(), open()
}

// keepLock keeps the lock for writing until the function that it returns is called.
func keepLock(t *testing.T, store *Store) (release func()) {
	t.Helper()
	locked, ended := make(chan struct{}), make(chan struct{})
	var writing sync.WaitGroup
	writing.Go(func() {
		err := store.Write(t.Context(), func(context.Context, backoffice.Tx) error { close(locked); <-ended; return nil })
		if err != nil {
			t.Error(err)
		}
	})
	<-locked
	return func() { close(ended); writing.Wait() }
}

func insertLabel(id string) func(context.Context, backoffice.Tx) error {
	return func(ctx context.Context, tx backoffice.Tx) error {
		return tx.Labels().Insert(ctx, &backoffice.Label{ID: id, Name: id, CreatedAt: 1})
	}
}

func TestAWriteWaitsForThatOfAnotherProcessHoweverLongItTakes(t *testing.T) {
	t.Parallel()
	server, importing := twoProcesses(t)
	release := keepLock(t, importing)
	done := make(chan error, 2)
	for _, id := range []string{"a", "b"} {
		go func() { done <- server.Write(t.Context(), insertLabel(id)) }()
	}
	time.Sleep(6 * time.Second) // longer than the driver's own patience
	release()
	for range 2 {
		if err := <-done; err != nil {
			t.Errorf("%v (%v)", err, errors.Unwrap(err))
		}
	}
}

func TestAWriteWithADeadlineSaysBeforeItThatTheStoreIsBusy(t *testing.T) {
	t.Parallel()
	server, importing := twoProcesses(t)
	release := keepLock(t, importing)
	defer release()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second) // of which it leaves a tenth
	defer cancel()
	answers := make(chan error, 3)
	for _, id := range []string{"a", "b", "c"} { // one waits for the other process, the others for this one
		go func() { answers <- server.Write(ctx, insertLabel(id)) }()
	}
	for range 3 {
		if err := <-answers; backoffice.KindOf(err) != backoffice.Unavailable || ctx.Err() != nil || err.Error() != ErrBusy.Message {
			t.Errorf("%v (%v), and the deadline is %v", err, errors.Unwrap(err), ctx.Err())
		}
	}
}

func TestWhoEndsDoesNotWaitForAnotherProcessThatWrites(t *testing.T) {
	t.Parallel()
	server, importing := twoProcesses(t)
	release := keepLock(t, importing)
	defer release()
	gone, leave := context.WithCancel(t.Context())
	leave()
	ended := make(chan error, 2)
	go func() { ended <- server.EndLease(gone, "work", "a") }()
	go func() { _, err := server.EndUpload(gone, "upload"); ended <- err }()
	for range 2 {
		select {
		case err := <-ended:
			if err == nil || err.Error() != ErrBusy.Message {
				t.Errorf("%v (%v)", err, errors.Unwrap(err))
			}
		case <-time.After(time.Minute):
			t.Fatal("it waits")
		}
	}
}
