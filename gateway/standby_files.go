package gateway

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"sync"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/files"
	"example.org/backoffice/store/ship"
	"example.org/backoffice/store/sqlite"
)

// shippedFiles are a stand-by's own files. It copies those of the place, and reads there what it has not copied yet.
type shippedFiles struct {
	files.Store
	from    ship.Files
	records *sqlite.Store

	mu      sync.Mutex
	through int64           // files that entries of the change log up to this one name are copied; 0 is none
	copied  map[string]bool // what it has copied itself, so may delete
}

// Open implements backoffice.FileStore.
func (f *shippedFiles) Open(ctx context.Context, key string, offset, length int64) (io.ReadCloser, error) {
	file, err := f.Store.Open(ctx, key, offset, length)
	if backoffice.KindOf(err) != backoffice.NotFound {
		return file, err
	}
	whole, err := f.from.Open(ctx, key, 0, -1)
	if err != nil {
		return nil, err
	}
	if _, err := io.CopyN(io.Discard, whole, offset); err != nil && !errors.Is(err, io.EOF) {
		return nil, errors.Join(err, whole.Close())
	}
	if length < 0 {
		return whole, nil
	}
	return struct {
		io.Reader
		io.Closer
	}{io.LimitReader(whole, length), whole}, nil
}

// forgetPeriod is how often copies of files whose records are gone are looked for.
const forgetPeriod = time.Hour

// watch copies files as they are named, until ctx ends.
func (f *shippedFiles) watch(ctx context.Context, log *slog.Logger) {
	forget, told := time.Now().Add(forgetPeriod), ""
	for ; ctx.Err() == nil; _ = backoffice.Sleep(ctx, followPeriod) {
		_, err := f.copyNew(ctx)
		if err == nil && time.Now().After(forget) {
			forget = time.Now().Add(forgetPeriod)
			err = f.forget(ctx)
		}
		why := ""
		if err != nil && ctx.Err() == nil {
			why = backoffice.Why(err).Error()
		}
		if why != "" && why != told {
			log.ErrorContext(ctx, "copying stored files; it is tried again", "cause", why)
		}
		told = why
	}
}

// copyNew copies what it has not copied yet, and returns the keys that the place does not have.
func (f *shippedFiles) copyNew(ctx context.Context) (missing []string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	last, err := f.records.LastEntry(ctx)
	if err != nil || last == f.through {
		return nil, err
	}
	var keys []string
	if f.through == 0 {
		f.copied = map[string]bool{}
		err = backoffice.EachStoredFile(ctx, f.records, func(file *backoffice.File) error {
			keys = append(keys, file.Key)
			return nil
		})
	} else {
		keys, err = f.records.ChangedFiles(ctx, f.through)
	}
	for batch := range slices.Chunk(keys, filesAtOnce) {
		if err == nil {
			err = f.copyBatch(ctx, batch, &missing)
		}
	}
	if err == nil {
		f.through = last
	}
	return missing, err
}

const filesAtOnce = 500

func (f *shippedFiles) copyBatch(ctx context.Context, keys []string, missing *[]string) error {
	lacking, err := f.Missing(ctx, keys)
	for _, key := range lacking {
		if err != nil {
			return err
		}
		err = files.Copy(ctx, f.Store, f.from, backoffice.File{Key: key})
		if backoffice.KindOf(err) == backoffice.NotFound { // deleted since, or missing on the server, too
			*missing, err = append(*missing, key), nil
			continue
		}
		f.copied[key] = true
	}
	return err
}

// forget deletes its copies of files that no record names any more.
func (f *shippedFiles) forget(ctx context.Context) error {
	var keys []string
	for key := range f.copied {
		keys = append(keys, key)
	}
	for batch := range slices.Chunk(keys, filesAtOnce) {
		known, err := f.records.KnownFiles(ctx, batch)
		if err != nil {
			return err
		}
		gone := slices.DeleteFunc(batch, func(key string) bool { return known[key] })
		if err := f.Delete(ctx, gone...); err != nil {
			return err
		}
		for _, key := range gone {
			delete(f.copied, key)
		}
	}
	return nil
}
