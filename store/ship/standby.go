package ship

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"example.org/backoffice/store/sqlite"
)

// StandBy applies what is shipped to a place to a database of its own, which others read meanwhile. It applies each
// object in one transaction, as it is shipped. Use it from one goroutine.
type StandBy struct {
	Place Place
	Path  string // of the database

	applied *applying
	through object // the last that was applied
	state   sqlite.State
	again   time.Time // a snapshot that failed is not tried before

	last atomic.Int64
	at   atomic.Int64 // all that was shipped before is applied, in Unix milliseconds
}

// ErrNotContinued reports that what was shipped does not continue what the database has: the store was restored, or has
// another schema now. Begin applies it when nobody reads.
var ErrNotContinued = errors.New("the shipped store changed: it was restored, or has another schema")

// ErrWasPromoted reports that the database is no stand-by's any more, but that of the store which is shipped there.
var ErrWasPromoted = errors.New("the stand-by was promoted")

// Last is the number of the last entry of the change log.
func (s *StandBy) Last() int64 { return s.last.Load() }

// Lag is how long ago the database matched the place.
func (s *StandBy) Lag() time.Duration { return time.Since(time.UnixMilli(s.at.Load())) }

// Begin makes the database match the place; no program may have it open.
func (s *StandBy) Begin(ctx context.Context) error {
	at := time.Now()
	is, err := s.exists(ctx)
	if err != nil {
		return err
	}
	c, err := s.Place.choose(ctx, Target{})
	switch {
	case err != nil:
	case is:
		err = s.snapshot(ctx, c, func(sqlite.State, bool) error { return nil })
	default:
		err = s.create(ctx, c)
	}
	if err == nil {
		s.state, err = sqlite.StateOf(ctx, s.Path)
	}
	if err == nil {
		s.reached(at)
	}
	return err
}

// exists rejects a database that is not a stand-by's.
func (s *StandBy) exists(ctx context.Context) (is bool, err error) {
	info, err := os.Stat(s.Path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return false, nil
	}
	if err == nil {
		is, err = sqlite.IsStandBy(ctx, s.Path)
	}
	if err == nil && !is {
		err = s.promoted(ctx)
	}
	return is, err
}

// promoted is ErrWasPromoted for a store that has the promotion of the place, or any while that does not answer: the
// shipper compares them later.
func (s *StandBy) promoted(ctx context.Context) error {
	fingerprint, promotion, err := sqlite.PromotionOf(ctx, s.Path)
	mark, unread := readOwner(ctx, s.Place.From)
	if err == nil && (promotion == "" || unread == nil && mark.store != promoted(fingerprint, promotion)) {
		err = fmt.Errorf("the database %s is not a stand-by's: name one that does not exist with --database", s.Path)
	}
	return cmp.Or(err, ErrWasPromoted)
}

// create writes the database next to its place first.
func (s *StandBy) create(ctx context.Context, c chain) error {
	fresh := s.Path + ".following"
	if err := os.MkdirAll(filepath.Dir(fresh), 0o700); err != nil {
		return err
	}
	if log, err := os.Stat(s.Path + "-wal"); err == nil && log.Size() > 0 {
		return fmt.Errorf("the log %s-wal has no database, and may hold the last writes of one: put its database back "+
			"beside it, or move it away if that was a stand-by's", s.Path)
	}
	// What is left would be applied to the new database.
	for _, left := range []string{s.Path + "-wal", s.Path + "-shm", fresh + "-wal", fresh + "-shm"} {
		if err := os.Remove(left); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	file, err := os.OpenFile(fresh, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	a := s.applyingTo(file)
	err = a.chain(ctx, c)
	if err = errors.Join(err, file.Close()); err == nil {
		err = sqlite.MarkStandBy(ctx, fresh)
	}
	if err == nil {
		err = os.Rename(fresh, s.Path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(fresh))
	}
	s.applied, s.through = a, c[len(c)-1]
	return nil
}

func (s *StandBy) applyingTo(to pageWriter) *applying {
	return &applying{place: s.Place, to: to, pages: newPages(), last: math.MaxUint64}
}

func (a *applying) chain(ctx context.Context, c chain) error {
	for _, o := range c {
		if _, err := a.object(ctx, o, nil); err != nil {
			return err
		}
	}
	return nil
}

// snapshot applies a generation. It writes the pages that differ.
func (s *StandBy) snapshot(ctx context.Context, c chain, keep func(sqlite.State, bool) error) error {
	a := s.applyingTo(nil)
	err := sqlite.Apply(ctx, s.Path, func(to *sqlite.Pages) error { a.to = to; return a.chain(ctx, c) }, keep)
	if err == nil {
		s.applied, s.through = a, c[len(c)-1]
	}
	return err
}

// retrySnapshot is how long it waits after a generation that could not be applied: a snapshot is large.
const retrySnapshot = time.Minute

// Next applies what was shipped since. After an error the database is as it was, or as some object has left it; the
// next call tries again.
func (s *StandBy) Next(ctx context.Context) error {
	at := time.Now()
	added, err := s.added(ctx)
	if err == nil && len(added) == 0 { // nor is anything in the folder on which a disk is not mounted
		err = s.Place.Check(ctx)
	}
	if err != nil {
		return err
	}
	newer := func(o object) bool { return o.generation > s.through.generation && o.first == 1 }
	hole := len(added) > 0 && added[0].generation == s.through.generation && added[0].first > s.applied.done+1
	if hole || slices.ContainsFunc(added, newer) {
		if at.Before(s.again) {
			return fmt.Errorf("what was shipped cannot be applied; it is tried again at %s",
				s.again.UTC().Format(time.TimeOnly))
		}
		c, err := s.Place.choose(ctx, Target{})
		if err == nil {
			err = s.snapshot(ctx, c, s.continues)
		}
		if err != nil && !errors.Is(err, ErrNotContinued) {
			s.again = time.Now().Add(retrySnapshot)
		}
		if err == nil {
			s.reached(at)
		}
		return err
	}
	for _, o := range added {
		if o.generation != s.through.generation { // whose snapshot is not there yet
			break
		}
		if err := s.object(ctx, o); err != nil {
			return err
		}
		s.last.Store(s.state.Last)
	}
	s.reached(at)
	return nil
}

func (s *StandBy) reached(at time.Time) {
	s.last.Store(s.state.Last)
	s.at.Store(at.UnixMilli())
}

// continues lets a transaction through after which those who read see the same store, later.
func (s *StandBy) continues(after sqlite.State, schema bool) error {
	if schema || !after.Continues(s.state) {
		return ErrNotContinued
	}
	s.state = after
	return nil
}

func (s *StandBy) object(ctx context.Context, o object) error {
	a := *s.applied
	a.pages = a.pages.clone()
	err := sqlite.Apply(ctx, s.Path, func(to *sqlite.Pages) error {
		a.to = to
		_, err := a.object(ctx, o, nil)
		return err
	}, s.continues)
	if err == nil {
		s.applied, s.through = &a, o
	}
	return err
}

// added are the objects after the last one, in order. Once it was away for long, it looks at all: what it lacks may be in
// a bundle, which has the name of what that begins with.
func (s *StandBy) added(ctx context.Context) (added []object, err error) {
	visit := func(name string) error {
		o, ok := parseObject(name)
		same := o.generation == s.through.generation
		if ok && (o.generation > s.through.generation || same && max(o.first+1, o.after) > s.applied.done+1) {
			added = append(added, o)
		}
		return nil
	}
	after := ""
	if s.Lag() < bundleAfter/2 {
		after = s.through.String()
	}
	err = s.Place.From.List(ctx, generations, after, visit)
	sortObjects(added)
	return chain(added).bundled(), err
}
