package ship

import (
	"cmp"
	"context"
	"errors"
	"path"
	"slices"
	"time"

	"example.org/backoffice/backoffice"
)

const (
	tidyEvery = time.Hour
	// mostGap is how far apart objects are at most, unless nothing was shipped for days, or a clock was put forward.
	// Then nothing is deleted for a day, so that a wrong clock can be put right.
	mostGap = 2 * day
	// mostUnverified is how long after the last verification nothing is deleted any more.
	mostUnverified = 2 * day
	askedAtOnce    = 500 // stored files
)

var (
	errClock = errors.New("nothing was shipped for days, or this machine's clock was put forward: what is old there " +
		"is not deleted for a day")
	errNamed      = errors.New("a record names a file noted as unnamed: nothing is deleted")
	errUnverified = errors.New("nobody has restored what was shipped later within two days, so what is old there is " +
		"not deleted: see why in this log, or run backoffice ship verify")
)

// tidies deletes what is old at the place, and bundles the rest, as long as the place is held.
func (s *Shipper) tidies(held context.Context) {
	told := map[string]string{}
	tell := func(problem string, err error) {
		why := ""
		if err != nil {
			why = backoffice.Cause(err).Error()
		}
		if why != "" && why != told[problem] && held.Err() == nil {
			s.Log.WarnContext(held, problem, "cause", why)
		}
		told[problem] = why
	}
	backoffice.Every(held, cmp.Or(s.tidy, tidyEvery), func() {
		if s.Keep > 0 {
			tell("not everything old was deleted at the place of shipping", s.drop(held, time.Now()))
		}
		tell("objects at the place of shipping were not bundled", s.bundle(held, time.Now().Add(-bundleAfter)))
	})
}

// LastCopyDeleted is when no copy of what is erased now is at a place any more, where a server ships and verifies. Its
// day is what people may be told. The database is compacted within an hour; the generation after that, within a day,
// finds which stored files nobody names; the next one needs none of it, and what is old is deleted each hour.
func LastCopyDeleted(erased time.Time, keep time.Duration) time.Time { return erased.Add(keep + 4*day) }

// drop deletes the generations before the oldest one that is needed, and the stored files that no later one names.
func (s *Shipper) drop(ctx context.Context, now time.Time) error {
	there, err := objects(ctx, s.To)
	if err != nil || len(there) == 0 {
		return err
	}
	oldest, steady := oldestNeeded(there, now, now.Add(-s.Keep))
	if oldest == "" {
		return nil
	}
	old := slices.DeleteFunc(slices.Clone(there), func(o object) bool { return o.generation >= oldest })
	files, err := s.oldFiles(ctx, there[len(there)-1].generation, oldest)
	if err != nil || len(old)+len(files) == 0 {
		return err
	}
	if !steady {
		return errClock
	}
	if err := s.verified(ctx, there, oldest, now); err != nil {
		return err
	}
	// The snapshot of a generation goes first: the rest is ignored without it.
	for i, o := range old {
		if i == 0 || o.generation != old[i-1].generation {
			if err := s.owns(ctx); err != nil {
				return err
			}
		}
		if err := s.To.Delete(ctx, o.String()); err != nil {
			return err
		}
	}
	if err := s.deleteAll(ctx, files); err != nil {
		return err
	}
	s.Log.InfoContext(ctx, "deleted what was too old where it was shipped to", "objects", len(old), "files", len(files))
	return nil
}

// oldestNeeded returns the newest generation that begins at a horizon or before: restores to later times need it or a
// later one. "" is all. Objects must be sorted. The times of a clock that was behind or ahead delete nothing that is
// needed: a generation is not older than what was shipped before it. steady is false after a jump of the times.
func oldestNeeded(all []object, now, horizon time.Time) (oldest string, steady bool) {
	var latest, jump time.Time
	for _, o := range all {
		if o.at.After(now) {
			continue
		}
		if !latest.IsZero() && o.at.Sub(latest) > mostGap {
			jump = o.at
		}
		if latest.Before(o.at) {
			latest = o.at
		}
		if o.first == 1 && !latest.After(horizon) {
			oldest = o.generation
		}
	}
	if now.Sub(latest) > mostGap {
		jump = now
	}
	return oldest, now.Sub(jump) >= day
}

// verified fails unless a generation that stays was restored lately.
func (s *Shipper) verified(ctx context.Context, there []object, oldest string, now time.Time) error {
	at, generation, err := backoffice.LastDone(ctx, s.Store, backoffice.DoneShipVerify)
	if err != nil {
		return err
	}
	stays := generation >= oldest && slices.ContainsFunc(there, func(o object) bool {
		return o.first == 1 && o.generation == generation
	})
	if !stays || now.Sub(at.Time()).Abs() > mostUnverified {
		return errUnverified
	}
	return nil
}

// oldFiles returns the stored files that were unnamed before the oldest generation that stays.
func (s *Shipper) oldFiles(ctx context.Context, newest, oldest string) ([]string, error) {
	noted, err := s.readUnnamed(ctx, newest)
	if err != nil {
		return nil, err
	}
	var keys []string
	for key, since := range noted {
		if since < oldest {
			keys = append(keys, key)
		}
	}
	for some := range slices.Chunk(keys, askedAtOnce) {
		known, err := s.Store.KnownFiles(ctx, some)
		if err == nil && len(known) > 0 {
			err = errNamed
		}
		if err != nil {
			return nil, err
		}
	}
	return backoffice.Map(keys, func(key string) string { return path.Join(shipped, key) }), nil
}
