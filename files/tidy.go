package files

import (
	"context"
	"log/slog"
	"time"

	"example.org/backoffice/backoffice"
)

// RemoveForgotten removes the files whose records were erased and that are still there: a crash or a failure came between
// the erasing and the removing. It returns how many it removed.
func RemoveForgotten(ctx context.Context, store backoffice.Store, files backoffice.FileStore) (int, error) {
	for removed := 0; ; {
		keys, err := store.ForgottenFiles(ctx, sweepBatch)
		if err != nil || len(keys) == 0 {
			return removed, err
		}
		if err := files.Delete(ctx, keys...); err != nil {
			return removed, err
		}
		if err := store.FilesRemoved(ctx, keys); err != nil {
			return removed, err
		}
		removed += len(keys)
	}
}

// Tidy clears, at once and then every period until the context ends, what crashes left: forgotten files, and files that no
// record names (Sweep). A failure is logged, and the next round tries again.
func Tidy(ctx context.Context, store backoffice.Store, files backoffice.FileStore, period time.Duration, log *slog.Logger) {
	tick := time.NewTicker(period)
	defer tick.Stop()
	for {
		forgotten, err := RemoveForgotten(ctx, store, files)
		var swept Swept
		if err == nil {
			swept, err = Sweep(ctx, files, store.KnownFiles, Grace)
		}
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			log.ErrorContext(ctx, "clearing stored files", "kind", backoffice.KindOf(err), "error", cause(err))
		case forgotten+swept.Removed > 0:
			log.InfoContext(ctx, "cleared stored files", "forgotten", forgotten, "orphans", swept.Removed)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// cause is what the log may know of an error and its Error method hides.
func cause(err error) error {
	if known, ok := err.(*backoffice.Error); ok && known.Cause != nil {
		return known.Cause
	}
	return err
}
