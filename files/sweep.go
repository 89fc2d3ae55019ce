package files

import (
	"context"
	"time"

	"example.org/backoffice/backoffice"
)

// Grace is how long a file may be without a record: a file is written before its record is committed.
const Grace = time.Hour

// sweepBatch is how many keys are asked about at once.
const sweepBatch = 500

// Swept counts what a sweep found.
type Swept struct {
	Seen    int // files in the store
	Removed int // files without a record, older than the grace
}

// Sweep removes the files that no record names and that are older than olderThan (Grace, unless there is a reason):
// those of writes that were cut short, and of records that were erased just before a crash. known returns, of the keys
// it is given, those that a record names; an error of it ends the sweep before anything of that batch is removed.
func Sweep(ctx context.Context, store backoffice.FileStore, known func(ctx context.Context, keys []string) (map[string]bool, error), olderThan time.Duration) (Swept, error) {
	var swept Swept
	before := time.Now().Add(-olderThan)
	batch := make([]string, 0, sweepBatch)
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		kept, err := known(ctx, batch)
		if err != nil {
			return err
		}
		orphans := make([]string, 0, len(batch))
		for _, key := range batch {
			if !kept[key] {
				orphans = append(orphans, key)
			}
		}
		batch = batch[:0]
		if err := store.Delete(ctx, orphans...); err != nil {
			return err
		}
		swept.Removed += len(orphans)
		return nil
	}
	err := store.List(ctx, func(key string, modified time.Time) error {
		swept.Seen++
		if !modified.Before(before) {
			return nil
		}
		batch = append(batch, key)
		if len(batch) < sweepBatch {
			return nil
		}
		return flush()
	})
	if err != nil {
		return swept, err
	}
	return swept, flush()
}
