package ship

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/files"
	"example.org/backoffice/files/s3test"
	"example.org/backoffice/store/sqlite/sqlitetest"
)

// faulty is a place whose writes fail in a way.
type faulty struct {
	backoffice.ObjectStore
	mode atomic.Int32
	puts atomic.Int64
}

const (
	works int32 = iota
	away
	failsAfterwards // it has stored the object
	slow
	stuck // until its context ends
	full  // it takes no snapshot
)

func (f *faulty) Put(ctx context.Context, name string, content io.Reader) error {
	f.puts.Add(1)
	switch f.mode.Load() {
	case away:
		return backoffice.Errorf(backoffice.Unavailable, "it is away")
	case failsAfterwards:
		return errors.Join(errors.New("an answer of 500"), f.ObjectStore.Put(ctx, name, content))
	case full:
		if strings.HasPrefix(name, generations) {
			return errors.New("no space left")
		}
	case stuck:
		<-ctx.Done()
		return ctx.Err()
	case slow:
		time.Sleep(300 * time.Millisecond)
	}
	return f.ObjectStore.Put(ctx, name, content)
}

// isLatest checks that the latest state of the place is that of the store.
func (o *office) isLatest(t *testing.T) {
	t.Helper()
	path, r := o.restored(t, Target{})
	if r.Last != latest(t, o.path) || digest(t, path) != digest(t, o.path) {
		t.Errorf("the latest state that was shipped ends with %d, and the store with %d", r.Last, latest(t, o.path))
	}
}

func (o *office) generations(t *testing.T) []chain {
	t.Helper()
	all, _, err := list(t.Context(), o.objects(t))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestNothingIsLostWhenThePlaceFails(t *testing.T) {
	t.Parallel()
	for name, mode := range map[string]int32{"away": away, "fails after it has stored": failsAfterwards, "slow": slow} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t)
			to := &faulty{ObjectStore: o.objects(t)}
			s, stop := o.ships(t, func(s *Shipper) { s.To = to })
			o.label(t, "before")
			o.away(t, s)
			to.mode.Store(mode)
			from := to.puts.Load()
			for i := range 30 {
				o.label(t, fmt.Sprint("meanwhile ", i))
				o.note(t)
			}
			o.wait(t, func() bool { return to.puts.Load() > from+1 })
			if mode != slow && s.Behind() == 0 {
				t.Error("nothing waits")
			}
			to.mode.Store(works)
			o.label(t, "afterwards")
			o.away(t, s)
			stop()
			o.isLatest(t)
			if n := len(o.generations(t)); n != 1 {
				t.Errorf("it is shipped in %d generations", n)
			}
		})
	}
}

// Otherwise the disk fills with a log that is never written back.
func TestALogThatBecomesTooLongIsCutAndASnapshotFollows(t *testing.T) {
	t.Parallel()
	for name, mode := range map[string]int32{"away": away, "stuck": stuck} {
		t.Run(name, func(t *testing.T) { t.Parallel(); itsLogIsCut(t, mode) })
	}
}

func itsLogIsCut(t *testing.T, mode int32) {
	o := newOffice(t)
	to := &faulty{ObjectStore: o.objects(t)}
	s, stop := o.ships(t, func(s *Shipper) { s.To, s.Most = to, 100<<10 })
	o.away(t, s)
	to.mode.Store(mode)
	for i := range 20 {
		o.label(t, fmt.Sprint("meanwhile ", i))
	}
	o.wait(t, func() bool { return strings.Contains(o.log.String(), "--ship-most") })
	var busy, log, back int
	o.wait(t, func() bool { // nothing keeps the log any more
		withDatabase(t, o.path, func(db *sql.DB) {
			if err := db.QueryRow("PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &log, &back); err != nil {
				t.Fatal(err)
			}
		})
		return busy == 0 && log == 0
	})
	to.mode.Store(works)
	o.wait(t, func() bool { return len(o.generations(t)) == 2 })
	o.away(t, s)
	stop()
	o.isLatest(t)
}

func TestASnapshotIsNotShippedAgainAndAgainWhenThatFails(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	to := &faulty{ObjectStore: o.objects(t)}
	to.mode.Store(full)
	s, stop := o.ships(t, func(s *Shipper) { s.To = to })
	o.wait(t, func() bool { return to.puts.Load() >= 4 }) // the owner, and three snapshots
	stop()
	if s.pause != 7*second {
		t.Errorf("the next one would follow after %v", s.pause)
	}
}

func TestAnIdleStoreIsAwayHoweverLongItsLogIs(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	s, stop := o.ships(t, func(s *Shipper) { s.renewAt = 1 })
	for i := range 5 {
		o.away(t, s)
		o.away(t, s)
		o.label(t, fmt.Sprint("label ", i))
	}
	stop()
	o.isLatest(t)
}

func TestAnotherShipperWaitsAndBeginsAGenerationOfItsOwn(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	first, stop := o.ships(t)
	o.away(t, first)
	second, stopSecond := o.ships(t)
	o.wait(t, func() bool { return strings.Contains(o.log.String(), "another program holds it") })
	o.label(t, "one")
	o.away(t, first)
	if second.Last() >= 0 || len(o.generations(t)) != 1 {
		t.Error("two ship at one time")
	}
	stop()
	o.away(t, second)
	o.label(t, "two")
	o.away(t, second)
	stopSecond()
	o.isLatest(t)
	if n := len(o.generations(t)); n != 2 {
		t.Errorf("there are %d generations", n)
	}
}

func TestWhatAKillHasLeftOfAnObjectIsDeletedAtThePlaceOfTheStoreAlone(t *testing.T) {
	t.Parallel()
	o, another := newOffice(t), newOffice(t)
	s, stop := o.ships(t)
	o.away(t, s)
	stop()
	part := filepath.Join(o.place, backoffice.Unfinished, "a-part")
	if err := os.WriteFile(part, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	another.place, another.url = o.place, o.url
	another.ships(t)
	another.wait(t, func() bool { return strings.Contains(another.log.String(), "another store is shipped") })
	if _, err := os.Stat(part); err != nil {
		t.Error(err)
	}
	s, _ = o.ships(t)
	o.away(t, s)
	if _, err := os.Stat(part); !errors.Is(err, fs.ErrNotExist) {
		t.Error("it is still there", err)
	}
}

func TestAPromotionWhoseAnswerIsLostIsOne(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	s, stop := o.ships(t)
	o.away(t, s)
	stop()
	to := &faulty{ObjectStore: o.objects(t)}
	for mode, want := range map[int32]bool{away: false, failsAfterwards: true} {
		to.mode.Store(mode)
		if err := (Place{From: to}).Promote(t.Context(), fmt.Sprint(mode)); (err == nil) != want {
			t.Errorf("it ends with %v", err)
		}
	}
}

func TestAnEmptyFolderWhereThePlaceWasIsLeftAlone(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	s, _ := o.ships(t)
	o.away(t, s)
	if err := errors.Join(os.Rename(o.place, o.place+".unmounted"), os.Mkdir(o.place, 0o700)); err != nil {
		t.Fatal(err)
	}
	o.wait(t, func() bool { return strings.Contains(o.log.String(), "mount its disk") })
	o.label(t, "meanwhile")
	if there, _ := o.contents(t); !slices.Equal(there, []string{"lease"}) {
		t.Errorf("there is %q", there)
	}
	if err := errors.Join(os.RemoveAll(o.place), os.Rename(o.place+".unmounted", o.place)); err != nil {
		t.Fatal(err)
	}
	o.away(t, s)
	o.isLatest(t)
}

func TestAnotherStoresPlaceIsLeftAlone(t *testing.T) {
	t.Parallel()
	o, other := newOffice(t), newOffice(t)
	o.label(t, "one")
	s, stop := o.ships(t)
	o.away(t, s)
	stop()
	names, _ := o.contents(t)
	for says, o := range map[string]*office{
		"another store is shipped": {store: other.store, Service: other.Service, url: o.url, key: o.key, log: other.log},
		"another shipping keyset":  {store: o.store, Service: o.Service, url: o.url, key: other.key, log: &lines{}},
	} {
		s, stop := o.ships(t)
		o.wait(t, func() bool { return strings.Contains(o.log.String(), says) })
		stop()
		if s.Last() >= 0 {
			t.Error("it is shipped all the same")
		}
	}
	if now, _ := o.contents(t); !slices.Equal(now, names) {
		t.Errorf("there is %q now", now)
	}
}

func TestNothingLeavesUnsealed(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	customer := o.customer(t, "Zonnebloem Canary")
	keys := []string{o.document(t, customer, "canary file, before the snapshot")}
	s, stop := o.ships(t)
	o.away(t, s)
	o.label(t, "Canary label")
	keys = append(keys, o.document(t, customer, "canary file, after the snapshot"))
	o.away(t, s)
	stop()
	names, all := o.contents(t)
	for _, secret := range []string{"Zonnebloem", "Canary", "canary", "customers", "SQLite", "LTX1", customer} {
		if strings.Contains(all, secret) || strings.Contains(strings.Join(names, " "), secret) {
			t.Errorf("%q can be read", secret)
		}
	}
	for i, want := range []string{"canary file, before the snapshot", "canary file, after the snapshot"} {
		file, err := Files(o.from(t)).Open(t.Context(), keys[i], 0, -1)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(file); err != nil || string(got) != want {
			t.Errorf("the file is %q (%v)", got, err)
		}
		_ = file.Close()
	}
	found, err := o.from(t).Verify(t.Context(), t.TempDir(), o.Files)
	if err != nil || found.Files != 2 || found.Last != latest(t, o.path) {
		t.Errorf("a verification finds %v (%v)", found, err)
	}
	o.remove(t, filepath.Join(shipped, keys[1]))
	if _, err := o.from(t).Verify(t.Context(), t.TempDir(), o.Files); err == nil || err.Error() != "1 of 2 stored files were not shipped" {
		t.Errorf("a verification without a file ends with %v", err)
	}
}

func TestABucketHasOneHolderAtATime(t *testing.T) {
	t.Parallel()
	server := s3test.Start(t, "ship")
	place := func() backoffice.ObjectStore {
		to, err := files.OpenObjects(server.URL("office"))
		if err != nil {
			t.Fatal(err)
		}
		return to
	}
	held, release, err := place().Hold(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := place().Hold(t.Context()); !errors.Is(err, backoffice.ErrHeld) {
		t.Errorf("another one gets %v", err)
	}
	if held.Err() != nil {
		t.Error("the holder has lost it")
	}
	release()
	o := newOffice(t)
	o.customer(t, "Zonnebloem")
	s, stop := o.ships(t, func(s *Shipper) { s.To = place() })
	o.away(t, s)
	o.document(t, o.customer(t, "Roos"), "a file")
	o.away(t, s)
	stop()
	found, err := Place{From: place(), Key: o.key, KeyID: o.key.ID}.Verify(t.Context(), t.TempDir(), o.Files)
	if err != nil || found.Files != 1 || found.Last != latest(t, o.path) {
		t.Errorf("a verification finds %v (%v)", found, err)
	}
	held, release, err = place().Hold(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	server.Fail(true) // longer than a lease
	select {
	case <-held.Done():
	case <-time.After(20 * time.Second):
		t.Error("it holds what it cannot renew")
	}
}

// Litestream #752: what was written while nobody shipped, and a log that another process has started anew, make
// no hole in what is shipped afterwards.
func TestWhatWasWrittenWhileNobodyShippedIsInTheNextSnapshot(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for i := range 4 {
		s, stop := o.ships(t)
		o.away(t, s)
		stop()
		o.label(t, fmt.Sprint("meanwhile ", i))
		sqlitetest.Execute(t, o.path, "PRAGMA wal_checkpoint(TRUNCATE)")
		o.label(t, fmt.Sprint("and then ", i))
	}
	s, stop := o.ships(t)
	o.away(t, s)
	stop()
	o.isLatest(t)
	if n := len(o.generations(t)); n != 5 {
		t.Errorf("there are %d generations", n)
	}
}

// Litestream #781: a restored store is shipped from its first write on, although the place has higher numbers.
func TestARestoredStoreIsShippedThoughThePlaceHasHigherNumbers(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	first, last := o.inSeconds(t, 12)
	path, _ := o.restored(t, Target{Before: first + 3})
	again := o.again(t, path)
	s, stop := again.ships(t)
	again.label(t, "after the restore")
	again.away(t, s)
	stop()
	again.isLatest(t)
	if now := latest(t, path); now >= last {
		t.Errorf("the restored store has %d entries, and %d were shipped before", now, last)
	}
}
