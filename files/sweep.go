package files

import (
	"context"
	"fmt"
	"slices"

	"example.org/backoffice/backoffice"
)

// sweepBatch is how many keys are asked about at once.
const sweepBatch = 500

// A sweep by itself takes no more than this: whoever loses more wants to be asked.
const (
	mostSwept = 100 // files
	sweptPart = 50  // one in so many, or a single one
)

type Swept struct {
	Seen        int // files in the store
	Orphans     int // of them without a record or an upload that goes on
	Quarantined int // that were set aside
	Parts       int // beginnings of files whose upload was cut short, which were removed
	BroughtBack int // that were set aside and that a record names
	Deleted     int // that were set aside for longer than the quarantine
}

// HeldBack says that a sweep has set nothing aside.
type HeldBack struct {
	Swept
	Why string
}

func (e *HeldBack) Error() string {
	return fmt.Sprintf("%d of %d stored files are named by no record and were left where they are: %s", e.Orphans, e.Seen, e.Why)
}

// Sweep sets aside the files that no record names and no upload is writing, deletes those that were set aside for
// longer than backoffice.QuarantinePeriod, and brings back those that a record names after all. It takes nothing from
// a store that names no file, and unless all is set no more than 100 files or 2 % at once (*HeldBack). Only the owner
// of the files may sweep them (ErrNotOwner).
func Sweep(ctx context.Context, register backoffice.FileRegister, store Store, all bool) (swept Swept, err error) {
	if err := checkOwner(ctx, register, store); err != nil {
		return swept, err
	}
	// What was taken by mistake comes back first, so that it is not deleted.
	if err := tidyQuarantine(ctx, register, store, &swept); err != nil {
		return swept, err
	}
	err = inBatches(ctx, store.ListParts, func(keys []string) error {
		orphans, err := register.OrphanFiles(ctx, keys)
		if err == nil {
			err = store.DeleteParts(ctx, orphans...)
			swept.Parts += len(orphans)
		}
		return err
	})
	if err != nil {
		return swept, err
	}
	err = inBatches(ctx, in(store, ""), func(keys []string) error {
		orphans, err := register.OrphanFiles(ctx, keys)
		swept.Seen += len(keys)
		swept.Orphans += len(orphans)
		return err
	})
	if err != nil || swept.Orphans == 0 {
		return swept, err
	}
	named, err := register.NamesFiles(ctx)
	switch {
	case err != nil:
		return swept, err
	case !named:
		return swept, &HeldBack{swept, "this database names no file at all; see whether it is the right one"}
	case !all && (swept.Orphans > mostSwept || swept.Orphans > max(1, swept.Seen/sweptPart)):
		return swept, &HeldBack{swept, "that is more than a sweep takes by itself; when the database is the right one, run backoffice files sweep --yes"}
	}
	return swept, inBatches(ctx, in(store, ""), func(keys []string) error {
		taken, err := register.QuarantineFiles(ctx, keys)
		if err == nil {
			err = store.Move(ctx, "", quarantine, taken)
			swept.Quarantined += len(taken)
		}
		return err
	})
}

// tidyQuarantine brings back what a record names, and deletes what was set aside for long enough.
func tidyQuarantine(ctx context.Context, register backoffice.FileRegister, store Store, swept *Swept) error {
	return inBatches(ctx, in(store, quarantine), func(keys []string) error {
		known, err := register.KnownFiles(ctx, keys)
		if err != nil {
			return err
		}
		var named, others []string
		for _, key := range keys {
			if known[key] {
				named = append(named, key)
			} else {
				others = append(others, key)
			}
		}
		if err := bringBack(ctx, register, store, named); err != nil {
			return err
		}
		swept.BroughtBack += len(named)
		due, err := register.DueFiles(ctx, others, backoffice.QuarantinePeriod)
		if err != nil {
			return err
		}
		swept.Deleted += len(due)
		return store.DeleteIn(ctx, quarantine, due)
	})
}

// bringBack notes it first: a crash in between leaves a file that is set aside once more, and brought back by the next.
func bringBack(ctx context.Context, register backoffice.FileRegister, store Store, keys []string) error {
	if len(keys) == 0 {
		return nil
	}
	if err := register.ReleaseFiles(ctx, keys); err != nil {
		return err
	}
	return store.Move(ctx, quarantine, "", keys)
}

// Restore brings back files from quarantine, all of them when none is named, and keeps them from the sweep for a
// QuarantinePeriod. It returns how many; NotFound when a named one is not there.
func Restore(ctx context.Context, register backoffice.FileRegister, store Store, keys ...string) (count int, err error) {
	if err := checkOwner(ctx, register, store); err != nil {
		return 0, err
	}
	wanted := map[string]bool{}
	for _, key := range keys {
		wanted[key] = true
	}
	var found []string
	err = store.List(ctx, quarantine, func(key string) error {
		if len(keys) == 0 || wanted[key] {
			found = append(found, key)
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	if len(keys) > 0 && len(found) < len(wanted) {
		return 0, backoffice.Errorf(backoffice.NotFound, "%d of these files are not in quarantine; nothing was brought back", len(wanted)-len(found))
	}
	for batch := range slices.Chunk(found, sweepBatch) {
		if err := bringBack(ctx, register, store, batch); err != nil {
			return count, err
		}
		count += len(batch)
	}
	return count, nil
}

// Quarantined visits the files in quarantine with when they were set aside, zero when the database has no note of it.
func Quarantined(ctx context.Context, register backoffice.FileRegister, store Store, visit func(key string, since backoffice.Instant) error) error {
	return inBatches(ctx, in(store, quarantine), func(keys []string) error {
		since, err := register.QuarantinedFiles(ctx, keys)
		for _, key := range keys {
			if err == nil {
				err = visit(key, since[key])
			}
		}
		return err
	})
}

type listing = func(ctx context.Context, visit func(key string) error) error

func in(store Store, area string) listing {
	return func(ctx context.Context, visit func(key string) error) error { return store.List(ctx, area, visit) }
}

// inBatches gathers what a listing visits, some hundred at a time.
func inBatches(ctx context.Context, list listing, visit func(keys []string) error) error {
	batch := make([]string, 0, sweepBatch)
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		keys := batch
		batch = make([]string, 0, sweepBatch)
		return visit(keys)
	}
	err := list(ctx, func(key string) error {
		if batch = append(batch, key); len(batch) < sweepBatch {
			return nil
		}
		return flush()
	})
	if err != nil {
		return err
	}
	return flush()
}
