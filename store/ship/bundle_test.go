package ship

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
)

// inSeconds writes states, each of which becomes an object of its own.
func (o *office) inSeconds(t *testing.T, count int) (first, last int64) {
	t.Helper()
	s, stop := o.ships(t)
	defer stop()
	o.away(t, s)
	first = o.note(t)
	for i := range count {
		o.label(t, fmt.Sprint("label ", i, " ", backoffice.NewID()))
		last = o.note(t)
		o.away(t, s)
	}
	return first, last
}

func (o *office) isBefore(t *testing.T, before int64) {
	t.Helper()
	path, r := o.restored(t, Target{Before: before})
	if r.Last != before-1 || digest(t, path) != o.states[before-1] {
		t.Errorf("before %d it is %d, and not as it was", before, r.Last)
	}
}

func (o *office) objectsThere(t *testing.T) []object {
	t.Helper()
	all, err := objects(t.Context(), o.objects(t))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Litestream #1199: whatever a burst of writes looks like, its objects can be put together.
func TestManyObjectsBecomeFewAndEveryStateIsThereAtAnyTime(t *testing.T) {
	t.Parallel()
	inEachPlace(t, func(t *testing.T, o *office) {
		o.label(t, "first")
		_, _ = o.inSeconds(t, 5)
		first, last := o.inSeconds(t, 30)
		if n := len(o.objectsThere(t)); n < 30 {
			t.Fatalf("there are %d objects only", n)
		}
		kills := int64(0)
		for ; ; kills++ {
			s := o.shipper(t)
			s.To = &dying{o.objects(t), 3}
			err := s.bundle(t.Context(), time.Now())
			o.isBefore(t, first+1+kills%(last-first))
			o.isBefore(t, last+1)
			if err == nil {
				break
			}
			if !errors.Is(err, errKilled) {
				t.Fatal(err)
			}
		}
		if kills < 5 {
			t.Errorf("it was killed %d times", kills)
		}
		if all := o.objectsThere(t); len(all) != 4 { // a snapshot and a bundle of each generation
			t.Errorf("there is %v", all)
		}
		for before := first + 1; before <= last+1; before++ {
			o.isBefore(t, before)
		}
		found, err := o.from(t).Verify(t.Context(), t.TempDir(), o.Files)
		if err != nil || found.Last != last {
			t.Errorf("a verification finds %v (%v)", found, err)
		}
	})
}

// cutting is a place that stores half of a bundle, and reports that it has all.
type cutting struct{ backoffice.ObjectStore }

func (c cutting) Put(ctx context.Context, name string, content io.Reader) error {
	if strings.HasSuffix(name, ".tar") {
		text, err := io.ReadAll(content)
		if err != nil {
			return err
		}
		content = strings.NewReader(string(text[:len(text)/2]))
	}
	return c.ObjectStore.Put(ctx, name, content)
}

func TestABundleThatIsNotWholeReplacesNothing(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	_, last := o.inSeconds(t, 6)
	before := len(o.objectsThere(t))
	s := o.shipper(t)
	s.To = cutting{o.objects(t)}
	if err := s.bundle(t.Context(), time.Now()); err == nil {
		t.Error("nothing is noticed")
	}
	if n := len(o.objectsThere(t)); n != before {
		t.Errorf("there are %d objects, not %d", n, before)
	}
	o.isBefore(t, last+1)
}

func TestABundleHidesNoHole(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	first, last := o.inSeconds(t, 9)
	all := o.objectsThere(t)
	missing := all[5]
	name, kept := missing.String(), strings.Builder{}
	reader, err := o.objects(t).Get(t.Context(), name)
	if err == nil {
		_, err = io.Copy(&kept, reader)
	}
	if err != nil {
		t.Fatal(err)
	}
	_ = reader.Close()
	o.remove(t, name) // a place that lists it late
	if err := o.shipper(t).bundle(t.Context(), time.Now()); err != nil {
		t.Fatal(err)
	}
	if n := len(o.objectsThere(t)); n != 3 {
		t.Errorf("there are %d objects", n)
	}
	if err := o.objects(t).Put(t.Context(), name, strings.NewReader(kept.String())); err != nil {
		t.Fatal(err)
	}
	for before := first + 1; before <= last+1; before++ {
		o.isBefore(t, before)
	}
}
