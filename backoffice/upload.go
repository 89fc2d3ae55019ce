package backoffice

import (
	"context"
	"io"
	"slices"
	"sync"
	"time"
)

const (
	// UploadLease is how long an upload is believed to go on that has not renewed its lease.
	UploadLease = 10 * time.Minute
	// QuarantinePeriod is how long a file that no record names is kept aside before it is deleted.
	QuarantinePeriod = 30 * 24 * time.Hour
)

// Upload is the one way in which files are written: it is registered in the store before their first byte, and its
// registration ends in the transaction whose records name them. A sweep passes over the files of uploads that are
// registered, and takes an upload's registration away before its files: then that transaction cannot be committed any
// more. So no file that a record names is ever taken, whatever clocks say.
type Upload struct {
	store  Store
	files  FileStore
	id     string
	cancel context.CancelFunc
	renews sync.WaitGroup

	mu   sync.Mutex
	keys []string // that were written and not dropped
}

// BeginUpload registers an upload, and renews its lease until Close. It must not be called inside a transaction: an
// engine with a single writer would wait for itself.
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
	u.renews.Go(func() { // a failure is made good the next time, or found when the upload is committed
		Every(renewing, UploadLease/5, func() { _ = u.store.RenewUpload(renewing, u.id, UploadLease) })
	})
	return u, nil
}

// Put writes a file, as FileStore.Put does. It may be called by several at once.
func (u *Upload) Put(ctx context.Context, r io.Reader, contentType string) (File, error) {
	file, err := u.files.Put(ctx, NewFileKey(u.id), r, contentType)
	if err == nil {
		u.mu.Lock()
		u.keys = append(u.keys, file.Key)
		u.mu.Unlock()
	}
	return file, err
}

// Drop removes all files written so far, none of which a record may name: those of a transaction that is run again.
func (u *Upload) Drop(ctx context.Context) {
	u.mu.Lock()
	keys := u.keys
	u.keys = nil
	u.mu.Unlock()
	if len(keys) > 0 {
		_ = u.files.Delete(context.WithoutCancel(ctx), keys...) // what is left is for a sweep
	}
}

// Commit ends the registration in the transaction whose records name the files, and sees that all of them are there.
// Unavailable when a sweep has given the upload up, or a file is gone.
func (u *Upload) Commit(ctx context.Context, tx Tx) error {
	if err := tx.CommitUpload(ctx, u.id); err != nil {
		return err
	}
	u.mu.Lock()
	keys := slices.Clone(u.keys)
	u.mu.Unlock()
	missing, err := u.files.Missing(ctx, keys)
	if err == nil && len(missing) > 0 {
		err = Errorf(Unavailable, "%d of the files that were just written are gone from where files are stored; nothing was changed, try again", len(missing))
	}
	return err
}

// Close ends the upload. failed is what came of the transaction: when it is not nil the files are removed, unless the
// store knows that the transaction was committed all the same.
func (u *Upload) Close(ctx context.Context, failed error) {
	u.cancel()
	u.renews.Wait()
	if failed == nil {
		return
	}
	// The registration ends once: here, and the transaction can be committed no more, or there, and the records are
	// durable.
	if held, err := u.store.EndUpload(context.WithoutCancel(ctx), u.id); err == nil && held {
		u.Drop(ctx)
	}
}
