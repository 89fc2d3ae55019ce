package ship

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/sqlite"
	"example.org/backoffice/store/sqlite/sqlitetest"
)

// standsBy is a stand-by of the office that follows until the test ends; others counts when it began anew.
type standsBy struct {
	*StandBy
	others atomic.Int64
	stop   func()
}

func (o *office) standsBy(t *testing.T, from backoffice.ObjectStore) *standsBy {
	t.Helper()
	place := o.from(t)
	if from != nil {
		place.From = from
	}
	s := &standsBy{StandBy: &StandBy{Place: place, Path: filepath.Join(t.TempDir(), "data", "standby.db")}}
	if err := s.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		backoffice.Every(ctx, 5*time.Millisecond, func() {
			err := s.Next(ctx)
			if errors.Is(err, ErrNotContinued) {
				s.others.Add(1)
				err = s.Begin(ctx)
			}
			if err != nil && ctx.Err() == nil && from == nil {
				t.Error(err)
			}
		})
	})
	s.stop = sync.OnceFunc(func() { cancel(); running.Wait() })
	t.Cleanup(s.stop)
	return s
}

// follows waits until the stand-by has what the store has now.
func (o *office) follows(t *testing.T, s *standsBy) {
	t.Helper()
	last := latest(t, o.path)
	o.wait(t, func() bool { return s.Last() == last })
}

// reads reads whole states from a database until stop.
func reads(t *testing.T, path string) (stop func() map[int64]string) {
	seen, end := map[int64]string{}, make(chan struct{})
	var reading sync.WaitGroup
	reading.Go(func() {
		for {
			select {
			case <-end:
				return
			default:
				last := latest(t, path)
				if of := digest(t, path); latest(t, path) == last { // nothing came between
					seen[last] = of
				}
			}
		}
	})
	return func() map[int64]string { close(end); reading.Wait(); return seen }
}

func TestAStandByHasOneWholeStateOfTheStoreAfterTheOther(t *testing.T) {
	t.Parallel()
	inEachPlace(t, func(t *testing.T, o *office) {
		random := rand.New(rand.NewPCG(3, 4))
		o.label(t, "first")
		s, stop := o.ships(t)
		o.away(t, s)
		standBy := o.standsBy(t, nil)
		o.note(t)
		stopReading := reads(t, standBy.Path)
		for range 3 { // servers, one after the other
			o.history(t, random, 60)
			o.away(t, s)
			o.follows(t, standBy)
			if digest(t, standBy.Path) != digest(t, o.path) {
				t.Fatal("the stand-by is not as the store")
			}
			stop()
			s, stop = o.ships(t)
			o.away(t, s)
		}
		standBy.stop()
		seen := stopReading()
		for last, of := range seen {
			if o.states[last] != of {
				t.Errorf("after change %d it was not as the store", last)
			}
		}
		if len(seen) < 10 || standBy.others.Load() > 0 {
			t.Errorf("%d states were read, and it began anew %d times", len(seen), standBy.others.Load())
		}
		if problems, err := sqlite.Integrity(t.Context(), standBy.Path); err != nil || len(problems) > 0 {
			t.Error(err, problems)
		}
	})
}

func TestAStandByThatWasAwayFindsWhatWasBundledMeanwhile(t *testing.T) {
	t.Parallel()
	inEachPlace(t, func(t *testing.T, o *office) {
		o.label(t, "first")
		s, stop := o.ships(t)
		o.away(t, s)
		standBys := make([]*StandBy, 2)
		for i := range standBys {
			standBys[i] = &StandBy{Place: o.from(t), Path: filepath.Join(t.TempDir(), "standby.db")}
			if err := standBys[i].Begin(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		for i := range 12 {
			o.label(t, backoffice.NewID())
			o.away(t, s)
			for _, standBy := range standBys {
				if i == 4 {
					if err := standBy.Next(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		stop()
		for i, kill := range []int{3, 99} { // deletions until it is killed
			s := o.shipper(t)
			s.To = &dying{o.objects(t), kill}
			if err := s.bundle(t.Context(), time.Now()); err != nil && !errors.Is(err, errKilled) {
				t.Fatal(err)
			}
			if all := o.objectsThere(t); len(all) != []int{11, 2}[i] { // the snapshot, the bundle and the rest
				t.Fatalf("there is %v", all)
			}
			standBy := standBys[i]
			standBy.at.Store(time.Now().Add(-bundleAfter).UnixMilli())
			if err := standBy.Next(t.Context()); err != nil {
				t.Fatal(err)
			}
			if standBy.Last() != latest(t, o.path) || digest(t, standBy.Path) != digest(t, o.path) {
				t.Errorf("the stand-by is at change %d of %d", standBy.Last(), latest(t, o.path))
			}
		}
	})
}

func TestAStandByRefusesEveryWrite(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.label(t, "first")
	s, _ := o.ships(t)
	o.away(t, s)
	standBy := o.standsBy(t, nil)
	store, err := sqlite.Open(t.Context(), "sqlite:"+standBy.Path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	service := *o.Service
	service.Store = store
	_, err = service.CreateLabel(t.Context(), operator, backoffice.LabelDraft{Name: "second"}, backoffice.Optional[string]{})
	if !errors.Is(err, sqlite.ErrStandBy) || !store.StandBy() {
		t.Errorf("a write ends with %v", err)
	}
	if _, err := store.Compact(t.Context()); !errors.Is(err, sqlite.ErrStandBy) {
		t.Errorf("compacting ends with %v", err)
	}
	if _, err := store.Follow(t.Context()); !errors.Is(err, sqlite.ErrStandBy) {
		t.Errorf("shipping ends with %v", err)
	}
	o.label(t, "second")
	o.follows(t, standBy)
	if labels, err := backoffice.ReadCounts(t.Context(), store.Labels(), backoffice.Root, backoffice.LabelCriteria{}, []string{backoffice.NoParent}); err != nil || labels[backoffice.NoParent] != 2 {
		t.Error(labels, err)
	}
	// A copy of it is a store of its own.
	copied := filepath.Join(t.TempDir(), "copy.db")
	if err := store.Backup(t.Context(), copied); err != nil {
		t.Fatal(err)
	}
	if is, err := sqlite.IsStandBy(t.Context(), copied); err != nil || is {
		t.Error("a copy is a stand-by's", err)
	}
	other := &StandBy{Place: o.from(t), Path: copied}
	if err := other.Begin(t.Context()); err == nil {
		t.Error("a stand-by takes a store's own database")
	}
}

// unreachable is a place that cannot be read now and then, also in the midst of an object.
type unreachable struct {
	backoffice.ObjectStore
	away atomic.Bool
	cut  atomic.Int64 // reads until the next one fails
}

func (u *unreachable) List(ctx context.Context, folder, after string, visit func(string) error) error {
	if u.away.Load() {
		return backoffice.Errorf(backoffice.Unavailable, "it is away")
	}
	return u.ObjectStore.List(ctx, folder, after, visit)
}

func (u *unreachable) Get(ctx context.Context, name string) (io.ReadCloser, error) {
	object, err := u.ObjectStore.Get(ctx, name)
	if err != nil || u.cut.Add(-1) != 0 {
		return object, err
	}
	return struct {
		io.Reader
		io.Closer
	}{io.MultiReader(io.LimitReader(object, 700), broken{}), object}, nil
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("the connection broke") }

func TestAStandByGoesOnAfterThePlaceWasAway(t *testing.T) {
	t.Parallel()
	o, random := newOffice(t), rand.New(rand.NewPCG(5, 6))
	o.label(t, "first")
	s, stop := o.ships(t)
	o.away(t, s)
	place := &unreachable{ObjectStore: o.objects(t)}
	standBy := o.standsBy(t, place)
	for round := range 4 {
		place.cut.Store(int64(1 + round)) // an object ends early
		o.history(t, random, 15)
		place.away.Store(true)
		before := standBy.Last()
		o.history(t, random, 15)
		o.away(t, s)
		if round%2 == 1 { // another server begins meanwhile
			stop()
			s, stop = o.ships(t)
			o.away(t, s)
		}
		if standBy.Lag() <= 0 || standBy.Last() > before+40 {
			t.Error("it goes on without the place")
		}
		place.away.Store(false)
		o.follows(t, standBy)
		if digest(t, standBy.Path) != digest(t, o.path) {
			t.Fatal("it is not as the store")
		}
	}
}

func TestAStandByOfARestoredOrCompactedStoreBeginsAnew(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.label(t, "first")
	s, stop := o.ships(t)
	o.away(t, s)
	standBy := o.standsBy(t, nil)
	same := func(times int64) {
		t.Helper()
		o.wait(t, func() bool { return standBy.Last() == latest(t, o.path) && standBy.others.Load() == times })
		if digest(t, standBy.Path) != digest(t, o.path) {
			t.Error("it is not as the store")
		}
	}
	for range 5 {
		o.label(t, "label "+backoffice.NewID())
	}
	if _, err := o.store.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	o.away(t, s)
	same(1)
	stop()
	at := latest(t, o.path) - 2
	if err := o.store.Close(); err != nil {
		t.Fatal(err)
	}
	path, _ := o.restored(t, Target{Before: at})
	for _, suffix := range []string{"-wal", "-shm"} {
		_ = os.Remove(o.path + suffix)
	}
	if err := os.Rename(path, o.path); err != nil {
		t.Fatal(err)
	}
	o.store = o.open(t)
	o.Service.Store = o.store
	if err := o.store.RenewHistory(t.Context(), "", "restore", backoffice.InstantOf(time.Now())); err != nil {
		t.Fatal(err)
	}
	for range 9 { // more than the stand-by has
		o.label(t, "again "+backoffice.NewID())
	}
	s, _ = o.ships(t)
	o.away(t, s)
	same(2)
}

func TestAStandByThatStartsAgainWritesOnlyWhatDiffers(t *testing.T) {
	t.Parallel()
	o, random := newOffice(t), rand.New(rand.NewPCG(7, 8))
	o.label(t, "first")
	s, _ := o.ships(t)
	o.away(t, s)
	standBy := o.standsBy(t, nil)
	o.history(t, random, 20)
	standBy.stop()
	o.history(t, random, 20)
	o.away(t, s)
	// What another program has spoiled meanwhile is put right.
	sqlitetest.Execute(t, standBy.Path, "DELETE FROM labels")
	again := &StandBy{Place: o.from(t), Path: standBy.Path}
	if err := again.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	if digest(t, again.Path) != digest(t, o.path) || again.Last() != latest(t, o.path) {
		t.Error("it is not as the store")
	}
	if problems, err := sqlite.Integrity(t.Context(), again.Path); err != nil || len(problems) > 0 {
		t.Error(err, problems)
	}
}

func TestPagesThatGrowAndShrinkInOneTransactionAreApplied(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.label(t, "first")
	s, _ := o.ships(t, func(s *Shipper) { s.period = 300 * time.Millisecond })
	o.away(t, s)
	standBy := o.standsBy(t, nil)
	for round := range 3 {
		withDatabase(t, o.path, func(db *sql.DB) {
			for _, text := range []string{
				"CREATE TABLE IF NOT EXISTS large (content BLOB)",
				"INSERT INTO large SELECT randomblob(3000) FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 400) SELECT i FROM n)",
				"DELETE FROM large", "VACUUM",
			} {
				if _, err := db.Exec(text); err != nil {
					t.Fatal(err)
				}
			}
		})
		o.label(t, "round "+string(rune('a'+round)))
		o.away(t, s)
		o.follows(t, standBy)
		if digest(t, standBy.Path) != digest(t, o.path) {
			t.Fatal("it is not as the store")
		}
	}
	standBy.stop()
	if problems, err := sqlite.Integrity(t.Context(), standBy.Path); err != nil || len(problems) > 0 {
		t.Error(err, problems)
	}
}
