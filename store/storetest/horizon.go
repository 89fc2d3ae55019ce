package storetest

import (
	"context"
	"slices"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	stores "example.org/backoffice/store"
)

func testHorizon(t *testing.T, newStore func(t testing.TB) backoffice.Store) {
	all := func(t testing.TB, store backoffice.Store, after int64) (*backoffice.ChangePage, error) {
		t.Helper()
		return backoffice.ReadChangePage(t.Context(), store, backoffice.ChangeQuery{After: after, First: 100, Kinds: kindsFor(mayAll)})
	}
	remove := func(t testing.TB, store backoffice.Store, before backoffice.Instant, limit int) (more bool) {
		t.Helper()
		more, err := store.RemoveChanges(t.Context(), before, limit)
		if err != nil {
			t.Fatal(err)
		}
		return more
	}
	const later = backoffice.Instant(1) << 50

	t.Run("entries that are removed are gone, and whoever stands before them is told so", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		logged(t, store, backoffice.NounLabel, backoffice.NounLabel, backoffice.NounLabel)
		entries, err := store.Changes(t.Context(), 0, 10)
		if err != nil {
			t.Fatal(err)
		}
		cut := entries[2].VisibleAt + 1
		time.Sleep(5 * time.Millisecond)
		logged(t, store, backoffice.NounLabel, backoffice.NounLabel)
		if remove(t, store, 1, 100) {
			t.Error("nothing is as old")
		}
		for remove(t, store, cut, 2) {
		}
		for after, want := range map[int64][]int64{backoffice.FromOldest: {4, 5}, 3: {4, 5}, 4: {5}, 5: nil} {
			if page, err := all(t, store, after); err != nil || !slices.Equal(numbersOf(page), want) || page.Removed != 3 || page.Latest != 5 {
				t.Errorf("after %d: %+v, %v", after, page, err)
			}
		}
		for _, after := range []int64{0, 1, 2, 6} {
			if _, err := all(t, store, after); backoffice.KindOf(err) != backoffice.CursorExpired {
				t.Errorf("after %d: %v", after, err)
			}
		}
		if entries, err := store.Changes(t.Context(), 0, 10); err != nil || len(entries) != 2 || entries[0].Sequence != 4 {
			t.Errorf("%d entries, %v", len(entries), err)
		}
	})

	t.Run("the place at the end stays good when all before it was removed, and numbers go on behind it", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		logged(t, store, backoffice.NounLabel, backoffice.NounLabel, backoffice.NounLabel)
		last, err := store.Changes(t.Context(), 2, 10)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			for remove(t, store, later, 2) {
			}
		}
		if page, err := all(t, store, 3); err != nil || page.Changes != nil || page.Removed != 3 || page.Latest != 3 {
			t.Errorf("%+v, %v", page, err)
		}
		if page, err := all(t, store, backoffice.FromOldest); err != nil || page.Changes != nil {
			t.Errorf("%+v, %v", page, err)
		}
		logged(t, store, backoffice.NounLabel)
		if page, err := all(t, store, 3); err != nil || !slices.Equal(numbersOf(page), []int64{4}) || page.Changes[0].VisibleAt < last[0].VisibleAt {
			t.Errorf("%+v, %v", page, err)
		}
	})

	t.Run("whoever knows the log up to its horizon still finds the entry that it knows last", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		polled, ok := store.(interface {
			Listen(to stores.Listener) (stop func())
			Poll(ctx context.Context) error
		})
		if !ok {
			t.Skip("nobody polls the end of this log")
		}
		logged(t, store, backoffice.NounLabel, backoffice.NounLabel, backoffice.NounLabel)
		for remove(t, store, later, 100) {
		}
		logged(t, store, backoffice.NounLabel)
		var heard knowsThree
		defer polled.Listen(&heard)()
		if err := polled.Poll(t.Context()); err != nil || !slices.Equal(heard, []int64{4, 3}) {
			t.Errorf("%v, %v", heard, err)
		}
	})
}

// knowsThree are the numbers that a poll tells who knows the log up to the third entry.
type knowsThree []int64

func (k *knowsThree) BeginPoll() (from int64, behind *stores.Statement, heard func(ctx context.Context, entries []*backoffice.Change, err error)) {
	return 3, nil, func(_ context.Context, entries []*backoffice.Change, _ error) {
		for _, c := range entries {
			*k = append(*k, c.Sequence)
		}
	}
}
