package ship

import (
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/sqlite/sqlitetest"
)

// history makes random writes: single ones and batches, erasures, and some by another process, which has checkpoints of
// its own. It notes every state.
func (o *office) history(t *testing.T, random *rand.Rand, writes int) {
	t.Helper()
	other := *o.Service
	other.Store = o.open(t)
	by := []*backoffice.Service{o.Service, o.Service, o.Service, &other}
	var ids []string
	for i := range writes {
		name, service := fmt.Sprint("N", i, "-", random.Uint32()), by[random.IntN(len(by))]
		var err error
		switch what := random.IntN(10); {
		case what < 4 || len(ids) == 0:
			var made *backoffice.Customer
			if made, err = service.CreateCustomer(t.Context(), operator, backoffice.CustomerFields{
				Type: backoffice.Value(backoffice.Company), Name: backoffice.Value(name)},
				backoffice.Optional[string]{}); err == nil {
				ids = append(ids, made.ID)
			}
		case what < 6:
			_, err = service.CreateLabel(t.Context(), operator, backoffice.LabelDraft{Name: name}, backoffice.Optional[string]{})
		case what < 8:
			_, err = service.UpdateCustomer(t.Context(), operator, ids[random.IntN(len(ids))], backoffice.CustomerFields{
				Address: backoffice.Value(backoffice.AddressFields{Street: backoffice.Value(strings.Repeat(name, 1+random.IntN(10)))})}, nil)
		case what == 8:
			at := random.IntN(len(ids))
			_, err = service.DeleteCustomer(t.Context(), operator, ids[at], nil)
			ids = slices.Delete(ids, at, at+1)
		default:
			sqlitetest.Execute(t, o.path, "PRAGMA wal_checkpoint(TRUNCATE)")
		}
		if err != nil {
			t.Fatal(err)
		}
		o.note(t)
		if random.IntN(4) == 0 {
			time.Sleep(time.Duration(random.IntN(25)) * time.Millisecond)
		}
	}
}

func TestARestoreToAnyChangeIsTheStoreAsItWasThen(t *testing.T) {
	t.Parallel()
	inEachPlace(t, func(t *testing.T, o *office) {
		random := rand.New(rand.NewPCG(1, 2))
		o.label(t, "first")
		from := o.note(t)
		starts := []int64{}
		for range 3 { // servers, one after the other
			s, stop := o.ships(t)
			o.away(t, s)
			starts = append(starts, o.note(t))
			o.history(t, random, 70)
			stop()
		}
		last := o.note(t)
		path, r := o.restored(t, Target{})
		if r.Last != last || digest(t, path) != o.states[last] {
			t.Fatalf("the latest state is %d, not %d", r.Last, last)
		}
		numbers := []int64{from + 1, last, last + 1}
		for _, start := range starts {
			numbers = append(numbers, start, start+1, start+2)
		}
		for range 40 {
			numbers = append(numbers, from+1+random.Int64N(last-from))
		}
		tried := 0
		for _, before := range numbers {
			if before <= from {
				continue
			}
			want := before - 1
			for o.states[want] == "" { // within a transaction of several entries
				want--
			}
			path, r := o.restored(t, Target{Before: before})
			if r.Last != want || digest(t, path) != o.states[want] {
				t.Errorf("before %d it is %d, not %d as it was", before, r.Last, want)
			}
			tried++
		}
		if tried < 45 {
			t.Errorf("only %d states were tried", tried)
		}
		if names, _ := o.contents(t); !slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, "generations/00000003-") }) {
			t.Errorf("it is shipped as %q", names)
		}
	})
}

func TestARestoreToATimeIsTheStoreAsItWasThen(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.label(t, "first")
	s, stop := o.ships(t)
	o.away(t, s)
	type state struct {
		at   time.Time
		last int64
	}
	var states []state
	for i := range 25 {
		o.label(t, fmt.Sprint("label ", i))
		time.Sleep(4 * time.Millisecond) // times are whole milliseconds
		states = append(states, state{time.Now(), o.note(t)})
		time.Sleep(4 * time.Millisecond)
	}
	stop()
	for _, want := range states {
		path, r := o.restored(t, Target{At: want.at})
		if r.Last != want.last || digest(t, path) != o.states[want.last] {
			t.Errorf("then it was %d, not %d", want.last, r.Last)
		}
	}
	_, err := o.from(t).Restore(t.Context(), Target{At: states[0].at.Add(-time.Hour)}, filepath.Join(t.TempDir(), "db"))
	if err == nil || !strings.Contains(err.Error(), "the oldest state there is") {
		t.Errorf("an hour earlier there is %v", err)
	}
}

func TestWhatCannotBeRestoredIsRefusedInOneSentence(t *testing.T) {
	t.Parallel()
	shippedOffice := func(t *testing.T) (*office, []string) {
		t.Helper()
		o := newOffice(t)
		o.label(t, "first")
		s, stop := o.ships(t)
		for i := range 4 {
			o.away(t, s)
			o.label(t, fmt.Sprint("label ", i))
		}
		o.away(t, s)
		stop()
		names, _ := o.contents(t)
		names = slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, generations) })
		if len(names) != 5 {
			t.Fatalf("it is shipped as %q", names)
		}
		slices.Sort(names)
		return o, names
	}
	for name, c := range map[string]struct {
		spoil func(*testing.T, *office, []string)
		says  string
	}{
		"a hole": {func(t *testing.T, o *office, names []string) { o.remove(t, names[2]) }, "has a hole after change"},
		"no snapshot": {func(t *testing.T, o *office, names []string) { o.remove(t, names[0]) },
			"there is no snapshot"},
		"nothing": {func(t *testing.T, o *office, names []string) { o.remove(t, append(names, "owner")...) },
			"no server has shipped"},
		"another's mark": {func(t *testing.T, o *office, _ []string) {
			if err := os.WriteFile(filepath.Join(o.place, "owner"), []byte("somebody\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, "another program's"},
		"another key": {func(t *testing.T, o *office, _ []string) { o.key = newOffice(t).key }, "another shipping keyset"},
		"a flipped byte": {func(t *testing.T, o *office, names []string) {
			sqlitetest.Overwrite(t, filepath.Join(o.place, names[3]), 200, []byte{1, 2, 3})
		}, "is damaged"},
		"a shortened object": {func(t *testing.T, o *office, names []string) {
			if err := os.Truncate(filepath.Join(o.place, names[3]), 300); err != nil {
				t.Fatal(err)
			}
		}, "is damaged"},
		"an object in the place of another": {func(t *testing.T, o *office, names []string) {
			text, err := os.ReadFile(filepath.Join(o.place, names[2]))
			if err == nil {
				err = os.WriteFile(filepath.Join(o.place, names[3]), text, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}, "is damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, names := shippedOffice(t)
			c.spoil(t, o, names)
			_, err := o.from(t).Restore(t.Context(), Target{}, filepath.Join(t.TempDir(), "db"))
			if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
				t.Errorf("it ends with %v", err)
			}
		})
	}
	t.Run("before all", func(t *testing.T) {
		t.Parallel()
		o, _ := shippedOffice(t)
		_, err := o.from(t).Restore(t.Context(), Target{Before: 1}, filepath.Join(t.TempDir(), "db"))
		if err == nil || !strings.Contains(err.Error(), "the oldest state there is that after change") {
			t.Errorf("it ends with %v", err)
		}
	})
}

func TestASnapshotHasNothingThatIsNewerThanItsName(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	s, stop := o.ships(t)
	o.away(t, s)
	stop()
	var before time.Time
	withDatabase(t, o.path, func(db *sql.DB) {
		writes, err := db.Begin()
		if err == nil {
			_, err = writes.Exec("INSERT INTO leases (name, holder, since, until) VALUES ('later', '', 0, 0)")
		}
		if err != nil {
			t.Fatal(err)
		}
		o.ships(t) // which waits for it
		o.wait(t, func() bool {
			_, release, err := o.objects(t).Hold(t.Context())
			if err == nil {
				release()
			}
			return errors.Is(err, backoffice.ErrHeld)
		})
		time.Sleep(100 * time.Millisecond)
		before = time.Now()
		if err := writes.Commit(); err != nil {
			t.Fatal(err)
		}
	})
	o.wait(t, func() bool { return len(o.generations(t)) == 2 })
	if _, r := o.restored(t, Target{At: before}); r.Generation != o.generations(t)[0][0].generation {
		t.Error("it is restored with what was committed later")
	}
}

func TestARestoreToATimeLacksWhatWasCommittedLaterThoughItLogsNoChange(t *testing.T) {
	t.Parallel()
	inEachPlace(t, func(t *testing.T, o *office) {
		o.Trash = time.Millisecond
		customer := o.customer(t, "Zonnebloem")
		s, stop := o.ships(t)
		o.away(t, s)
		o.document(t, customer, "a file")
		o.away(t, s)
		if _, err := o.DeleteCustomer(t.Context(), operator, customer, nil); err != nil {
			t.Fatal(err)
		}
		o.away(t, s)
		then, before := o.stateNow(t), digest(t, o.path)
		o.away(t, s)
		if erased, _, err := o.store.EmptyDueTrash(t.Context()); err != nil || len(erased) != 1 {
			t.Fatal(erased, err)
		}
		o.away(t, s)
		stop()
		last := o.stateNow(t)
		for range 2 { // the second time from a bundle
			for at, want := range map[time.Time]string{then.at: before, last.at: o.states[last.last]} {
				if path, _ := o.restored(t, Target{At: at}); digest(t, path) != want {
					t.Errorf("at %v it is not as it was", at)
				}
			}
			if err := o.shipper(t).bundle(t.Context(), time.Now()); err != nil {
				t.Fatal(err)
			}
		}
		if last.last != then.last || len(o.objectsThere(t)) != 2 {
			t.Errorf("from change %d to %d, %v is shipped", then.last, last.last, o.objectsThere(t))
		}
	})
}
