package ship

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/sqlite"
)

// noted is a state of an office, between two milliseconds with writes.
type noted struct {
	at   time.Time
	last int64
}

func (o *office) stateNow(t *testing.T) noted {
	t.Helper()
	time.Sleep(4 * time.Millisecond) // times in names are whole milliseconds
	defer time.Sleep(4 * time.Millisecond)
	return noted{time.Now(), o.note(t)}
}

// verified notes that the newest generation was restored now.
func (o *office) verified(t *testing.T) {
	t.Helper()
	found, err := o.from(t).Verify(t.Context(), t.TempDir(), o.Files)
	if err == nil {
		err = backoffice.NoteDone(t.Context(), o.store, backoffice.DoneShipVerify, found.Generation, backoffice.InstantOf(time.Now()))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// generationsOf are shipped by that many servers, one after the other. A customer with a document comes with each and
// leaves with the next one.
func (o *office) generationsOf(t *testing.T, count int) (states []noted, keys []string) {
	t.Helper()
	var customer string
	for i := range count {
		s, stop := o.ships(t, func(s *Shipper) { s.Keep = day })
		o.away(t, s)
		states = append(states, o.stateNow(t))
		if customer != "" {
			if _, err := o.DeleteCustomer(t.Context(), operator, customer, nil); err != nil {
				t.Fatal(err)
			}
			states = append(states, o.stateNow(t))
			o.away(t, s)
		}
		customer = o.customer(t, fmt.Sprint("Customer ", i))
		keys = append(keys, o.document(t, customer, fmt.Sprint("document ", i)))
		states = append(states, o.stateNow(t))
		o.away(t, s)
		o.label(t, fmt.Sprint("label ", i))
		states = append(states, o.stateNow(t))
		o.away(t, s)
		stop()
	}
	return states, keys
}

// isWhole restores a state with all files that its records name. It reports false when it was deleted.
func (o *office) isWhole(t *testing.T, state noted) bool {
	t.Helper()
	path := filepath.Join(t.TempDir(), "backoffice.db")
	r, err := o.from(t).Restore(t.Context(), Target{At: state.at}, path)
	if err != nil {
		if !strings.Contains(err.Error(), "the oldest state there is") {
			t.Errorf("the state after %d is neither there nor deleted: %v", state.last, err)
		}
		return false
	}
	if r.Last != state.last || digest(t, path) != o.states[state.last] {
		t.Errorf("it is %d, not %d as it was", r.Last, state.last)
	}
	store, err := sqlite.Open(t.Context(), "sqlite:"+path, sqlite.Options{Readers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	err = backoffice.EachStoredFile(t.Context(), store, func(file *backoffice.File) error {
		reader, err := Files(o.from(t)).Open(t.Context(), file.Key, 0, -1)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, reader)
		return errors.Join(err, reader.Close())
	})
	if err != nil {
		t.Errorf("the state after %d lacks a file: %v", state.last, err)
	}
	return true
}

func (o *office) filesThere(t *testing.T) (keys []string) {
	t.Helper()
	err := o.objects(t).List(t.Context(), shipped, "", func(name string) error {
		keys = append(keys, strings.TrimPrefix(name, shipped+"/"))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// dying is a place at which a program is killed at a deletion.
type dying struct {
	backoffice.ObjectStore
	deletions int // until then
}

var errKilled = errors.New("killed")

func (d *dying) Delete(ctx context.Context, name string) error {
	if d.deletions--; d.deletions < 0 {
		return errKilled
	}
	return d.ObjectStore.Delete(ctx, name)
}

// Litestream #771: what is deleted takes no state away that is not too old.
func TestWhatOnlyOlderStatesNeedIsDeletedAndAllOthersAreWholeAtAnyTime(t *testing.T) {
	t.Parallel()
	inEachPlace(t, func(t *testing.T, o *office) {
		o.label(t, "first")
		states, keys := o.generationsOf(t, 6)
		o.verified(t)
		all := o.generations(t)
		// Three generations are of a time that is over, and a part of the fourth.
		horizon := states[13]
		before, kills := 0, 0
		for {
			to := &dying{o.objects(t), 1}
			s := o.shipper(t)
			now := time.Now()
			s.To, s.Keep = to, now.Sub(horizon.at)
			err := s.drop(t.Context(), now)
			for i, state := range states {
				if (i+kills)%4 == 0 && !o.isWhole(t, state) && !state.at.Before(horizon.at) {
					t.Fatalf("the state after %d is needed, and deleted", state.last)
				}
			}
			if err == nil {
				break
			}
			if !errors.Is(err, errKilled) {
				t.Fatal(err)
			}
			if kills++; kills > 50 {
				t.Fatal("it does not come to an end")
			}
		}
		if kills < 8 {
			t.Errorf("it was killed %d times only", kills)
		}
		for _, state := range states {
			if !o.isWhole(t, state) {
				before++
			}
		}
		if left := o.generations(t); before != 11 || len(left) != 3 || left[0][0] != all[3][0] {
			t.Errorf("%d states are deleted, and %d generations are left", before, len(left))
		}
		// The document of the second generation was deleted in the third, and noted when the fourth began, which stays.
		there := o.filesThere(t)
		if slices.Contains(there, keys[0]) || len(there) != 5 {
			t.Errorf("of %q there is %q", keys, there)
		}
		names, _ := o.contents(t)
		if n := slices.IndexFunc(names, func(name string) bool { return strings.HasPrefix(name, "generations/00000001") }); n >= 0 {
			t.Errorf("%s is left", names[n])
		}
	})
}

func TestAServerDeletesWhatIsOld(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.generationsOf(t, 3)
	s, stop := o.ships(t, func(s *Shipper) { s.Keep, s.tidy = time.Millisecond, s.period })
	o.away(t, s)
	o.wait(t, func() bool { return strings.Contains(o.log.String(), "nobody has restored") })
	if n := len(o.generations(t)); n != 4 {
		t.Errorf("before it was verified there are %d generations", n)
	}
	o.verified(t)
	o.wait(t, func() bool { return strings.Contains(o.log.String(), "deleted what was too old") })
	stop()
	o.isLatest(t)
	if n := len(o.generations(t)); n != 1 {
		t.Errorf("there are %d generations", n)
	}
}

func TestNothingIsDeletedInDoubt(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		doubt func(t *testing.T, o *office, s *Shipper) (now time.Time)
		is    error
	}{
		"it was never verified": {func(_ *testing.T, _ *office, _ *Shipper) time.Time { return time.Now() }, errUnverified},
		"it was verified long ago": {func(t *testing.T, o *office, _ *Shipper) time.Time {
			t.Helper()
			o.verifiedAs(t, o.generations(t)[2][0].generation, time.Now().Add(-mostUnverified-time.Minute))
			return time.Now()
		}, errUnverified},
		"only what is old was verified": {func(t *testing.T, o *office, _ *Shipper) time.Time {
			t.Helper()
			o.verifiedAs(t, o.generations(t)[1][0].generation, time.Now())
			return time.Now()
		}, errUnverified},
		"another place was verified": {func(t *testing.T, o *office, _ *Shipper) time.Time {
			t.Helper()
			o.verifiedAs(t, "99999999-abcdef01", time.Now())
			return time.Now()
		}, errUnverified},
		"the clock jumped": {func(t *testing.T, o *office, s *Shipper) time.Time {
			t.Helper()
			s.Keep = day
			o.verifiedAs(t, o.generations(t)[2][0].generation, time.Now().Add(90*day))
			return time.Now().Add(90 * day)
		}, errClock},
		"the mark is gone": {func(t *testing.T, o *office, _ *Shipper) time.Time {
			t.Helper()
			o.verified(t)
			o.remove(t, ownerName)
			return time.Now()
		}, errUnmarked},
		"the mark is another store's": {func(t *testing.T, o *office, s *Shipper) time.Time {
			t.Helper()
			o.verified(t)
			mark := owner{"another", s.KeyID}
			if err := s.To.Put(t.Context(), ownerName, mark.content()); err != nil {
				t.Fatal(err)
			}
			return time.Now()
		}, nil},
		"the key is another one": {func(t *testing.T, o *office, s *Shipper) time.Time {
			t.Helper()
			o.verified(t)
			s.KeyID = "another"
			return time.Now()
		}, errWrongKey},
		"a record names an old file": {func(t *testing.T, o *office, s *Shipper) time.Time {
			t.Helper()
			o.verified(t)
			key := o.document(t, o.customer(t, "Roos"), "a document")
			rewriteUnnamed(t, s, o.generations(t)[2][0].generation, key+" 00000000-abcdef01")
			return time.Now()
		}, errNamed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t)
			o.generationsOf(t, 3)
			s := o.shipper(t)
			s.Keep = time.Nanosecond
			now := c.doubt(t, o, s)
			names, _ := o.contents(t)
			if err := s.drop(t.Context(), now); err == nil || c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("it ends with %v", err)
			}
			if left, _ := o.contents(t); !slices.Equal(left, names) {
				t.Errorf("of %q there is %q", names, left)
			}
		})
	}
}

func (o *office) verifiedAs(t *testing.T, generation string, at time.Time) {
	t.Helper()
	if err := backoffice.NoteDone(t.Context(), o.store, backoffice.DoneShipVerify, generation, backoffice.InstantOf(at)); err != nil {
		t.Fatal(err)
	}
}

func rewriteUnnamed(t *testing.T, s *Shipper, lines ...string) {
	t.Helper()
	content := sealing(s.Key, unnamedName, func(to io.Writer) error {
		_, err := fmt.Fprintln(to, strings.Join(append([]string{unnamedFormat}, lines...), "\n"))
		return err
	})
	defer content.Close()
	if err := s.To.Put(t.Context(), unnamedName, content); err != nil {
		t.Fatal(err)
	}
}

// A restored store names again what was unnamed; a version that keeps no list of that must not make it wrong.
func TestAFileThatIsNamedAgainStays(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a restore", "an earlier version", "damage"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t)
			states, keys := o.generationsOf(t, 3)
			s := o.shipper(t)
			newest := o.generations(t)[2][0].generation
			noted, err := s.readUnnamed(t.Context(), newest)
			if err != nil || len(noted) != 1 || noted[keys[0]] != newest {
				t.Fatalf("after three generations there is %q (%v)", noted, err)
			}
			switch name {
			case "a restore":
				path, _ := o.restored(t, Target{At: states[2].at}) // with the first document
				again := o.again(t, path)
				s, stop := again.ships(t, func(s *Shipper) { s.Keep = day })
				again.away(t, s)
				stop()
				newest = again.generations(t)[3][0].generation
			case "an earlier version":
				s, stop := o.ships(t) // which keeps all
				o.away(t, s)
				stop()
				newest = o.generations(t)[3][0].generation
			case "damage":
				if err := os.Truncate(filepath.Join(o.place, unnamedName), 60); err != nil {
					t.Fatal(err)
				}
			}
			if noted, err = s.readUnnamed(t.Context(), newest); err != nil || noted[keys[0]] != "" {
				t.Errorf("there is %q (%v)", noted, err)
			}
		})
	}
}

func TestAPlaceWithObjectsButWithoutAMarkIsNotTaken(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.generationsOf(t, 1)
	o.remove(t, ownerName)
	names, _ := o.contents(t)
	_, stop := o.ships(t)
	o.wait(t, func() bool { return strings.Contains(o.log.String(), "but no object owner") })
	stop()
	if left, _ := o.contents(t); !slices.Equal(left, names) {
		t.Errorf("of %q there is %q", names, left)
	}
}
