package storetest

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
)

// sweepFileRegister asks everything that the register of files answers.
func sweepFileRegister(t *testing.T, store backoffice.Store) {
	t.Helper()
	ctx := t.Context()
	upload := backoffice.NewUploadID()
	keys := []string{backoffice.NewFileKey(upload), backoffice.NewFileKey(upload)}
	_, err := store.Fingerprint(ctx)
	for _, ask := range []func() error{
		func() error { return err },
		func() error { return store.BeginUpload(ctx, upload, time.Minute) },
		func() error { _, err := store.BeginDocument(ctx, "transcript-1", upload, time.Minute); return err },
		func() error { return store.RenewUpload(ctx, upload, time.Minute) },
		func() error { _, err := store.EndUpload(ctx, upload); return err },
		func() error { _, err := store.NamesFiles(ctx); return err },
		func() error { _, err := store.OrphanFiles(ctx, keys); return err },
		func() error { _, err := store.QuarantineFiles(ctx, keys); return err },
		func() error { _, err := store.QuarantinedFiles(ctx, keys); return err },
		func() error { return store.ReleaseFiles(ctx, keys) },
		func() error { _, err := store.DueFiles(ctx, keys, time.Hour); return err },
	} {
		if err := ask(); err != nil {
			t.Fatalf("%v (%v)", err, errorCause(err))
		}
	}
}

func testFileRegister(t *testing.T, newStore func(t testing.TB) backoffice.Store) {
	t.Run("a store has one name for good", func(t *testing.T) {
		t.Parallel()
		store, other := newStore(t), newStore(t)
		names := make(chan string, 8)
		for range cap(names) {
			go func() {
				name, err := store.Fingerprint(t.Context())
				if err != nil {
					t.Error(err)
				}
				names <- name
			}()
		}
		first := <-names
		for range cap(names) - 1 {
			if name := <-names; name != first {
				t.Errorf("it is called %s and %s", first, name)
			}
		}
		if name, err := other.Fingerprint(t.Context()); err != nil || name == first || name == "" {
			t.Errorf("another store is called %q, as this one (%v)", name, err)
		}
	})
	t.Run("a file of an upload is no orphan until its lease runs out", func(t *testing.T) {
		t.Parallel()
		r := register{t, newStore(t)}
		live, late, ended := backoffice.NewUploadID(), backoffice.NewUploadID(), backoffice.NewUploadID()
		r.begin(live, time.Hour)
		r.begin(late, -time.Hour) // as another clock would see it
		r.begin(ended, time.Hour)
		if held, err := r.EndUpload(t.Context(), ended); err != nil || !held {
			t.Errorf("%t %v", held, err)
		}
		if held, err := r.EndUpload(t.Context(), ended); err != nil || held {
			t.Errorf("an upload ended twice: %t %v", held, err)
		}
		keys := []string{backoffice.NewFileKey(live), backoffice.NewFileKey(late), backoffice.NewFileKey(ended), backoffice.NewFileKey(backoffice.NewUploadID())}
		r.orphans(keys, keys[1:]...)
		if err := r.RenewUpload(t.Context(), late, time.Hour); err != nil {
			t.Fatal(err)
		}
		r.orphans(keys, keys[2:]...)
		if taken, err := r.QuarantineFiles(t.Context(), keys); err != nil || !slices.Equal(taken, keys[2:]) {
			t.Errorf("taken were %v (%v)", taken, err)
		}
		r.commits(late, true)
		r.commits(late, false)
		r.commits(live, true)
	})
	t.Run("an upload is committed or given up, never both", func(t *testing.T) {
		t.Parallel()
		r := register{t, newStore(t)}
		upload := backoffice.NewUploadID()
		r.begin(upload, -time.Hour)
		key := backoffice.NewFileKey(upload)
		if taken, err := r.QuarantineFiles(t.Context(), []string{key}); err != nil || len(taken) != 1 {
			t.Errorf("taken were %v (%v)", taken, err)
		}
		r.commits(upload, false)
		if held, err := r.EndUpload(t.Context(), upload); err != nil || held {
			t.Errorf("%t %v", held, err)
		}
	})
	t.Run("a file whose record is committed while a sweep waits for it is not taken", func(t *testing.T) {
		t.Parallel()
		r := register{t, newStore(t)}
		fullOffice().insert(t, r.Store)
		upload := backoffice.NewUploadID()
		r.begin(upload, -time.Hour)
		key := backoffice.NewFileKey(upload)
		committing, taken := make(chan struct{}), make(chan []string)
		go func() {
			<-committing
			keys, err := r.QuarantineFiles(t.Context(), []string{key})
			if err != nil {
				t.Error(err)
			}
			taken <- keys
		}()
		write(t, r.Store, func(ctx context.Context, tx backoffice.Tx) error {
			if err := tx.CommitUpload(ctx, upload); err != nil {
				return err
			}
			close(committing)
			time.Sleep(50 * time.Millisecond) // so that the sweep most often waits
			return tx.Documents().Insert(ctx, &backoffice.CustomerDocument{ID: "late", Name: "x", CustomerID: "customer-1", File: &backoffice.File{Key: key}})
		})
		if keys := <-taken; len(keys) != 0 {
			t.Errorf("a record names what was taken: %v", keys)
		}
	})
	t.Run("files are due when they were set aside for long enough", func(t *testing.T) {
		t.Parallel()
		r := register{t, newStore(t)}
		keys := []string{backoffice.NewFileKey("aaaaaaaaaaaaa"), backoffice.NewFileKey("aaaaaaaaaaaaa"), backoffice.NewFileKey("aaaaaaaaaaaaa")}
		if taken, err := r.QuarantineFiles(t.Context(), keys[:2]); err != nil || len(taken) != 2 {
			t.Errorf("taken were %v (%v)", taken, err)
		}
		if since, err := r.QuarantinedFiles(t.Context(), keys); err != nil || len(since) != 2 || since[keys[0]].IsZero() {
			t.Errorf("they are set aside since %v (%v)", since, err)
		}
		due := func(period time.Duration, want ...string) {
			t.Helper()
			got, err := r.DueFiles(t.Context(), keys, period)
			slices.Sort(got)
			slices.Sort(want)
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("due are %v (%v), want %v", got, err, want)
			}
		}
		due(time.Hour)
		due(-time.Hour, slices.Clone(keys)...) // as of an hour from now; the third was noted by the first question
		due(time.Hour)
		if err := r.ReleaseFiles(t.Context(), keys[:1]); err != nil {
			t.Fatal(err)
		}
		r.orphans(keys, keys[1:]...)
	})
	t.Run("a store tells whether it names a file", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		for _, want := range []bool{false, true} {
			if named, err := store.NamesFiles(t.Context()); err != nil || named != want {
				t.Errorf("%t (%v), want %t", named, err, want)
			}
			if !want {
				fullOffice().insert(t, store)
			}
		}
	})
}

// register is a store whose register of files is tested.
type register struct {
	testing.TB
	backoffice.Store
}

func (r register) begin(upload string, lease time.Duration) {
	r.Helper()
	if err := r.BeginUpload(r.TB.Context(), upload, lease); err != nil {
		r.Fatal(err)
	}
}

func (r register) orphans(keys []string, want ...string) {
	r.Helper()
	got, err := r.OrphanFiles(r.TB.Context(), keys)
	if err != nil || !slices.Equal(got, want) {
		r.Errorf("orphans are %v (%v), want %v", got, err, want)
	}
}

// commits tries to commit an upload.
func (r register) commits(upload string, want bool) {
	r.Helper()
	err := r.Write(r.TB.Context(), func(ctx context.Context, tx backoffice.Tx) error { return tx.CommitUpload(ctx, upload) })
	var known *backoffice.Error
	if want != (err == nil) || err != nil && (!errors.As(err, &known) || known.Kind != backoffice.Unavailable) {
		r.Errorf("committing an upload ends with %v", err)
	}
}
