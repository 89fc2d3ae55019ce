package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
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
	lacking map[string]bool // what the place did not have
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
		err := f.copyNew(ctx)
		if err == nil && time.Now().After(forget) {
			forget = time.Now().Add(forgetPeriod)
			err = f.forget(ctx)
		}
		why := ""
		if err != nil && ctx.Err() == nil {
			why = backoffice.Cause(err).Error()
		}
		if why != "" && why != told {
			log.ErrorContext(ctx, "cannot copy stored files; retrying", "cause", why)
		}
		told = why
	}
}

// copyNew copies what records name that it has not copied yet.
func (f *shippedFiles) copyNew(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	last, err := f.records.LastEntry(ctx)
	if err != nil || last == f.through {
		return err
	}
	var keys []string
	if f.through == 0 {
		f.lacking = map[string]bool{}
		_, own := f.Store.(*files.Folder) // a bucket may be that of the server
		err = backoffice.EachStoredFile(ctx, f.records, func(file *backoffice.File) error {
			keys = append(keys, file.Key)
			if own {
				f.copied[file.Key] = true // perhaps before a restart
			}
			return nil
		})
	} else {
		keys, err = f.records.ChangedFiles(ctx, f.through)
	}
	if err == nil {
		err = f.copy(ctx, keys)
	}
	if err == nil {
		f.through = last
	}
	return err
}

const filesAtOnce = 500

func (f *shippedFiles) copy(ctx context.Context, keys []string) error {
	for batch := range slices.Chunk(keys, filesAtOnce) {
		missing, err := f.Missing(ctx, batch)
		if err != nil {
			return err
		}
		for _, key := range missing {
			switch err := files.Copy(ctx, f.Store, f.from, backoffice.File{Key: key}); {
			case backoffice.KindOf(err) == backoffice.NotFound: // deleted since, or missing on the server, too
				if err := ship.Place(f.from).Check(ctx); err != nil { // the disk of the place is not mounted
					return err
				}
				f.lacking[key] = true
			case err != nil:
				return err
			default:
				f.copied[key] = true
				delete(f.lacking, key)
			}
		}
	}
	return nil
}

// copyLast is copyNew, and tries again to copy what was lacking. It returns whose files still are.
func (f *shippedFiles) copyLast(ctx context.Context) (missing []string, err error) {
	if err := f.copyNew(ctx); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.copy(ctx, slices.Collect(maps.Keys(f.lacking))); err != nil || len(f.lacking) == 0 {
		return nil, err
	}
	err = backoffice.EachStoredFile(ctx, f.records, func(file *backoffice.File) error {
		if f.lacking[file.Key] {
			missing = append(missing, fmt.Sprintf("the file of the %s %s", file.Owner.Kind, file.Owner.ID))
		}
		return nil
	})
	return missing, err
}

// forget deletes its copies of files that no record names any more, as their server does at once.
func (f *shippedFiles) forget(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for batch := range slices.Chunk(slices.Collect(maps.Keys(f.copied)), filesAtOnce) {
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
