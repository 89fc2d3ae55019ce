package files

import (
	"context"
	"fmt"
	"slices"

	"example.org/backoffice/backoffice"
)

// sweepBatch is how many keys one request asks about.
const sweepBatch = 500

// Limits of an unattended sweep: if more files are lost, an operator must decide.
const (
	mostSwept = 100 // files
	sweptPart = 50  // one in 50, or a single one
)

type Swept struct {
	Seen        int // files in the store
	Orphans     int // of them without a record or an upload in progress
	Quarantined int // set aside by this sweep
	Forgotten   int // of erased records
	Parts       int // removed parts of interrupted uploads
	BroughtBack int // set aside earlier, but named by a record
	Deleted     int // set aside for longer than the quarantine
}

// HeldBack reports that a sweep has set nothing aside.
type HeldBack struct {
	Swept
	Why string
}

func (e *HeldBack) Error() string {
	return fmt.Sprintf("%d of %d stored files belong to no record and were left in place: %s",
		e.Orphans, e.Seen, e.Why)
}

// Sweep sets aside the files that no record names and no upload is writing, deletes those set aside for longer than
// backoffice.QuarantinePeriod, and restores those that a record names after all. It takes nothing if no file is named,
// and unless all is set at most 100 files or 2 % at once (*HeldBack). Only the owner may sweep (ErrNotOwner).
func Sweep(ctx context.Context, register backoffice.FileRegister, store Store, all bool) (swept Swept, err error) {
	if swept.Forgotten, err = RemoveForgotten(ctx, register, store); err != nil {
		return swept, err
	}
	// Files set aside by mistake are restored first, so that they are not deleted.
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
		return swept, &HeldBack{swept, "this database refers to no file at all; check that it is the right one"}
	case !all && (swept.Orphans > mostSwept || swept.Orphans > max(1, swept.Seen/sweptPart)):
		return swept, &HeldBack{swept, "that is more than an automatic sweep removes; if the database is the right one, run backoffice files sweep --yes"}
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

// tidyQuarantine restores what a record names, and deletes what was set aside for long enough.
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

// bringBack records it first: after a crash in between, the file is set aside again, and the next sweep restores it.
func bringBack(ctx context.Context, register backoffice.FileRegister, store Store, keys []string) error {
	if len(keys) == 0 {
		return nil
	}
	if err := register.ReleaseFiles(ctx, keys); err != nil {
		return err
	}
	return store.Move(ctx, quarantine, "", keys)
}

// Restore brings back files from quarantine, all of them when none is named, and protects them from the sweep for a
// QuarantinePeriod. It returns how many; NotFound when a named one is not there.
func Restore(
	ctx context.Context, register backoffice.FileRegister, store Store, keys ...string) (count int, err error) {
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
		return 0, backoffice.Errorf(backoffice.NotFound,
			"%d of these files are not in quarantine; nothing was restored", len(wanted)-len(found))
	}
	for batch := range slices.Chunk(found, sweepBatch) {
		if err := bringBack(ctx, register, store, batch); err != nil {
			return count, err
		}
		count += len(batch)
	}
	return count, nil
}

// Quarantined visits the files in quarantine with when they were set aside, zero if the database has no record of it.
func Quarantined(ctx context.Context, register backoffice.FileRegister, store Store,
	visit func(key string, since backoffice.Instant) error) error {
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
