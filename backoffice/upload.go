package backoffice

import (
	"context"
	"io"
	"slices"
	"sync"
	"time"
)

const (
	// UploadLease is how long an upload counts as running after its last renewal.
	UploadLease = 10 * time.Minute
	// QuarantinePeriod is how long a file that no record names stays in quarantine before it is deleted.
	QuarantinePeriod = 30 * 24 * time.Hour
)

// Upload is the only way to write files. It is registered in the store before the first byte; its registration ends in
// the transaction whose records name the files. A sweep skips uploads under lease. It ends others before it takes their
// files, and then they cannot commit: no file that a record names is taken, whatever the clocks say.
type Upload struct {
	store  Store
	files  FileStore
	id     string
	cancel context.CancelFunc
	renews sync.WaitGroup

	mu   sync.Mutex
	keys []string // written and not dropped
}

// BeginUpload registers an upload and renews its lease until Close. In a transaction, a single-writer engine deadlocks.
func BeginUpload(ctx context.Context, store Store, files FileStore) (*Upload, error) {
	return beginUpload(ctx, store, files, func(id string) error { return store.BeginUpload(ctx, id, UploadLease) })
}

func beginUpload(ctx context.Context, store Store, files FileStore, register func(id string) error) (*Upload, error) {
	u := &Upload{store: store, files: files, id: NewUploadID()}
	if err := register(u.id); err != nil {
		return nil, err
	}
	renewing, cancel := context.WithCancel(ctx)
	u.cancel = cancel
	u.renews.Go(func() { // the next renewal makes up for a failure, or Commit finds it
		Every(renewing, UploadLease/5, func() { _ = u.store.RenewUpload(renewing, u.id, UploadLease) })
	})
	return u, nil
}

// Put is FileStore.Put under a new key. It is safe for concurrent use.
func (u *Upload) Put(ctx context.Context, r io.Reader, contentType string) (File, error) {
	file, err := u.files.Put(ctx, NewFileKey(u.id), r, contentType)
	if err == nil {
		u.mu.Lock()
		u.keys = append(u.keys, file.Key)
		u.mu.Unlock()
	}
	return file, err
}

// Drop removes the files written so far, when their transaction runs again. No record may name them.
func (u *Upload) Drop(ctx context.Context) {
	u.mu.Lock()
	keys := u.keys
	u.keys = nil
	u.mu.Unlock()
	if len(keys) > 0 {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		_ = u.files.Delete(ctx, keys...) // the sweep removes the rest
	}
}

// Commit ends the registration in the transaction whose records name the files, and checks that the files exist.
// Unavailable when a sweep has ended the registration, or a file is missing.
func (u *Upload) Commit(ctx context.Context, tx Tx) error {
	if err := tx.CommitUpload(ctx, u.id); err != nil {
		return err
	}
	u.mu.Lock()
	keys := slices.Clone(u.keys)
	u.mu.Unlock()
	missing, err := u.files.Missing(ctx, keys)
	if err == nil && len(missing) > 0 {
		err = Errorf(Unavailable, "%d of the files just written are missing; nothing was changed, try again", len(missing))
	}
	return err
}

// Close ends the upload. failed is the transaction's error: unless it is nil the files are removed, except when the
// store knows that the transaction was committed.
func (u *Upload) Close(ctx context.Context, failed error) {
	u.cancel()
	u.renews.Wait()
	if failed == nil {
		return
	}
	// The registration ends once: here, and the transaction can no longer commit, or there, and the records stay.
	if held, err := u.store.EndUpload(ctx, u.id); err == nil && held {
		u.Drop(ctx)
	}
}
