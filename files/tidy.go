package files

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"example.org/backoffice/backoffice"
)

// RemoveForgotten removes files that outlived their erased records, after a crash or a failure in between. It returns
// how many it removed. Only the owner of the files may (ErrNotOwner).
func RemoveForgotten(ctx context.Context, register backoffice.FileRegister, store Store) (int, error) {
	if err := checkOwner(ctx, register, store); err != nil {
		return 0, err
	}
	for removed := 0; ; {
		keys, err := register.ForgottenFiles(ctx, sweepBatch)
		if err != nil || len(keys) == 0 {
			return removed, err
		}
		err = cmp.Or(store.Delete(ctx, keys...), store.DeleteIn(ctx, quarantine, keys))
		if err != nil {
			return removed, err
		}
		if err := register.FilesRemoved(ctx, keys); err != nil {
			return removed, err
		}
		removed += len(keys)
	}
}

// Tidy removes, at once and then every period until the context ends, what crashes left: forgotten files, and files
// that no record names (Sweep). A failure is logged, and the next round tries again.
func Tidy(ctx context.Context, register backoffice.FileRegister, store Store, period time.Duration, log *slog.Logger) {
	tidy(ctx, register, store, log)
	backoffice.Every(ctx, period, func() { tidy(ctx, register, store, log) })
}

func tidy(ctx context.Context, register backoffice.FileRegister, store Store, log *slog.Logger) {
	swept, err := Sweep(ctx, register, store, false)
	held := new(HeldBack)
	switch {
	case ctx.Err() != nil:
		return
	case errors.As(err, &held):
		log.WarnContext(ctx, held.Error())
	case err != nil:
		log.ErrorContext(ctx, "clearing stored files", "kind", backoffice.KindOf(err), "error", backoffice.Cause(err))
	}
	if swept.Forgotten+swept.Quarantined+swept.Parts+swept.BroughtBack+swept.Deleted > 0 {
		log.InfoContext(ctx, "cleared stored files", "forgotten", swept.Forgotten, "quarantined", swept.Quarantined,
			"parts", swept.Parts, "broughtBack", swept.BroughtBack, "deleted", swept.Deleted)
	}
}
