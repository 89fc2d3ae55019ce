package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.org/backoffice/backoffice"
)

var mayAll = &backoffice.Principal{Scopes: backoffice.AllScopes}

// kindsFor are the kinds of entries of nouns, of all when none is named, that a caller may see.
func kindsFor(by *backoffice.Principal, nouns ...backoffice.Noun) backoffice.ChangeKinds {
	return backoffice.ChangesVisibleTo(by, nouns)
}

// sweepFeed asks for every kind of page.
func sweepFeed(t *testing.T, store backoffice.Store) {
	t.Helper()
	for _, q := range FeedPages(t) {
		if _, err := backoffice.ReadChangePage(t.Context(), store, q); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := store.RemoveChanges(t.Context(), 1, 100); err != nil {
		t.Fatal(err)
	}
}

// FeedPages are pages of the feed: of one noun, of all that anybody may read, and of all.
func FeedPages(t testing.TB) []backoffice.ChangeQuery {
	t.Helper()
	return []backoffice.ChangeQuery{
		{After: backoffice.FromOldest, First: 100, Kinds: kindsFor(nil, backoffice.NounLabel)},
		{After: 0, First: 100, Kinds: kindsFor(nil)},
		{After: 1, First: 100, Kinds: kindsFor(mayAll)},
	}
}

// logged writes an entry for each of the nouns.
func logged(t testing.TB, store backoffice.Store, nouns ...backoffice.Noun) {
	t.Helper()
	for i, noun := range nouns {
		write(t, store, func(ctx context.Context, tx backoffice.Tx) error {
			return tx.LogChanges(ctx, &backoffice.Change{At: backoffice.Instant(i), Action: "a", Noun: noun, ObjectID: fmt.Sprint("o-", i)})
		})
	}
}

func numbersOf(page *backoffice.ChangePage) (numbers []int64) {
	for _, c := range page.Changes {
		numbers = append(numbers, c.Sequence)
	}
	return numbers
}

func testFeed(t *testing.T, newStore func(t testing.TB) backoffice.Store) {
	read := func(t testing.TB, store backoffice.Store, q backoffice.ChangeQuery) *backoffice.ChangePage {
		t.Helper()
		page, err := backoffice.ReadChangePage(t.Context(), store, q)
		if err != nil {
			t.Fatal(err)
		}
		return page
	}

	t.Run("a page has the entries of its kinds in order, and tells where the log ends", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		l, c, m := backoffice.NounLabel, backoffice.NounCustomer, backoffice.NounMinfin
		logged(t, store, l, c, m, "nothing that is shown", l, c, l)
		for _, want := range []struct {
			after   int64
			first   int
			kinds   backoffice.ChangeKinds
			numbers []int64
			more    bool
		}{
			{backoffice.FromOldest, 10, kindsFor(mayAll), []int64{1, 2, 3, 5, 6, 7}, false},
			{0, 10, kindsFor(nil), []int64{1, 2, 5, 6, 7}, false},
			{1, 2, kindsFor(nil), []int64{2, 5}, true},
			{0, 3, kindsFor(nil, l), []int64{1, 5, 7}, false},
			{0, 2, kindsFor(nil, l), []int64{1, 5}, true},
			{0, 0, kindsFor(nil, l), nil, true},
			{7, 2, kindsFor(nil), nil, false},
			{0, 2, kindsFor(nil, backoffice.NounUser), nil, false},
			{0, 2, 0, nil, false},
		} {
			page := read(t, store, backoffice.ChangeQuery{After: want.after, First: want.first, Kinds: want.kinds})
			if !slices.Equal(numbersOf(page), want.numbers) || page.More != want.more || page.Latest != 7 || page.Removed != 0 {
				t.Errorf("after %d, %d of %v: %v %+v", want.after, want.first, want.kinds.Names(), numbersOf(page), page)
			}
		}
	})

	t.Run("the position of an instant has all entries behind it that became visible then or later", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		for range 20 {
			logged(t, store, backoffice.NounLabel, backoffice.NounCustomer)
			time.Sleep(2 * time.Millisecond) // so that some have another instant
		}
		check := func() {
			t.Helper()
			all := read(t, store, backoffice.ChangeQuery{After: backoffice.FromOldest, First: 100, Kinds: kindsFor(nil)})
			for _, entry := range all.Changes {
				for _, at := range []backoffice.Instant{entry.VisibleAt - 1, entry.VisibleAt, entry.VisibleAt + 1} {
					first := slices.IndexFunc(all.Changes, func(c *backoffice.Change) bool { return c.VisibleAt >= at })
					want := all.Latest
					if first >= 0 {
						want = all.Changes[first].Sequence - 1
					}
					if first == 0 { // all that are retained
						continue
					}
					if got, err := store.ChangesBefore(t.Context(), at); err != nil || got != want {
						t.Fatalf("before %d: %d %v, want %d", at.Milliseconds(), got, err, want)
					}
				}
			}
			if len(all.Changes) < 10 {
				t.Errorf("only %d entries", len(all.Changes))
			}
		}
		check()
		if got, err := store.ChangesBefore(t.Context(), backoffice.InstantAt(1)); err != nil || got != 0 {
			t.Errorf("before all: %d %v", got, err)
		}
		if _, err := store.RemoveChanges(t.Context(), backoffice.InstantAt(1<<50), 20); err != nil {
			t.Fatal(err)
		}
		check()
		early, err := store.ChangesBefore(t.Context(), backoffice.InstantAt(1))
		if err == nil {
			_, err = backoffice.ReadChangePage(t.Context(), store, backoffice.ChangeQuery{After: early, First: 10})
		}
		if backoffice.KindOf(err) != backoffice.CursorExpired {
			t.Errorf("before what is retained: %d %v", early, err)
		}
	})

	t.Run("the oldest entries of a view say who left it", func(t *testing.T) {
		t.Parallel()
		testFeedOfView(t, newStore(t))
	})

	t.Run("all of a long transaction becomes visible at its end", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		var between backoffice.Instant
		write(t, store, func(ctx context.Context, tx backoffice.Tx) error {
			entries := make([]*backoffice.Change, 1001)
			for i := range entries {
				entries[i] = &backoffice.Change{At: 1, Action: "a", Noun: backoffice.NounLabel, ObjectID: fmt.Sprint(i)}
			}
			err := tx.LogChanges(ctx, entries[:1000]...)
			time.Sleep(5 * time.Millisecond)
			between = backoffice.InstantOf(time.Now())
			time.Sleep(5 * time.Millisecond)
			return errors.Join(err, tx.LogChanges(ctx, entries[1000]))
		})
		if got, err := store.ChangesBefore(t.Context(), between); err != nil || got != 0 {
			t.Errorf("%d entries were visible before the transaction ended (%v)", got, err)
		}
	})

	t.Run("an empty log has an end too", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		for _, after := range []int64{backoffice.FromOldest, 0} {
			if page := read(t, store, backoffice.ChangeQuery{After: after, First: 10, Kinds: kindsFor(nil)}); page.Latest != 0 || page.Changes != nil || page.More {
				t.Errorf("%+v", page)
			}
		}
		if _, err := backoffice.ReadChangePage(t.Context(), store, backoffice.ChangeQuery{After: 1, First: 10}); backoffice.KindOf(err) != backoffice.CursorExpired {
			t.Errorf("beyond the end: %v", err)
		}
	})

	t.Run("entries of nothing but registration numbers are a kind of their own, in the store as in the domain", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		for _, fields := range [][]string{{"registrationNumber"}, {"registrationNumber", "spouseRegistrationNumber"}, {"spouseRegistrationNumber"}, {"email", "registrationNumber"}, {"email"}, nil} {
			write(t, store, func(ctx context.Context, tx backoffice.Tx) error {
				return tx.LogChanges(ctx,
					&backoffice.Change{Action: "a", Noun: backoffice.NounCustomer, ObjectID: "o", Fields: fields},
					&backoffice.Change{Action: "a", Noun: backoffice.NounUser, ObjectID: "u", Fields: fields})
			})
		}
		all := read(t, store, backoffice.ChangeQuery{First: 100, Kinds: kindsFor(mayAll)})
		for _, by := range []*backoffice.Principal{nil, mayAll} {
			for _, nouns := range [][]backoffice.Noun{nil, {backoffice.NounCustomer}, {backoffice.NounUser}} {
				kinds := backoffice.ChangesVisibleTo(by, nouns)
				want := all.Show(kinds)
				got := read(t, store, backoffice.ChangeQuery{First: 100, Kinds: kinds})
				if diff := cmp.Diff(want, got.Show(kinds)); diff != "" || len(want) != len(got.Changes) || len(want) < 3 {
					t.Errorf("%v: %s", kinds.Names(), diff)
				}
			}
		}
	})

	t.Run("who loses sight of a customer is told with the transaction, however many entries it has", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		fullOffice().insert(t, store)
		r, err := backoffice.NewRestriction(backoffice.RestrictionFields{Customers: []string{"customer-2"}})
		if err != nil {
			t.Fatal(err)
		}
		entries := []*backoffice.Change{{Action: "a", Noun: backoffice.NounCustomer, ObjectID: "customer-2"}}
		write(t, store, func(ctx context.Context, tx backoffice.Tx) error {
			_, err := tx.Customers().Delete(ctx, "customer-2")
			for range 999 { // so that all go to the log at once
				entries = append(entries, &backoffice.Change{Action: "a", Noun: backoffice.NounLabel, ObjectID: "label-1"})
			}
			return errors.Join(err, tx.LogChanges(ctx, entries...))
		})
		page, err := backoffice.ReadChangePage(backoffice.WithRestriction(t.Context(), r), store,
			backoffice.ChangeQuery{First: 100, Kinds: kindsFor(mayAll, backoffice.NounCustomer)})
		if err != nil || len(page.Changes) != 1 || page.Changes[0].Done != backoffice.Deleted {
			t.Errorf("%+v is told (%v)", page, err)
		}
	})

	t.Run("a page is of the snapshot of what is read with it", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		logged(t, store, backoffice.NounLabel)
		ctx, end := backoffice.BeginSnapshot(t.Context(), store)
		defer end()
		var b backoffice.Batch
		first, second := &backoffice.ChangePage{}, &backoffice.ChangePage{}
		q := backoffice.ChangeQuery{First: 10, Kinds: kindsFor(nil)}
		store.ReadChanges(&b, q, first)
		store.Nouns(&b, []string{"o"}, make([]backoffice.Noun, 1))
		if err := store.Send(ctx, &b); err != nil {
			t.Fatal(err)
		}
		logged(t, store, backoffice.NounLabel)
		b = backoffice.Batch{}
		store.ReadChanges(&b, q, second)
		store.Nouns(&b, []string{"o"}, make([]backoffice.Noun, 1))
		if err := store.Send(ctx, &b); err != nil || second.Latest != 1 || len(second.Changes) != 1 {
			t.Errorf("%+v, %v", second, err)
		}
	})

	testHorizon(t, newStore)
}

// testFeedOfView runs in an empty store.
func testFeedOfView(t *testing.T, store backoffice.Store) {
	t.Helper()
	moved := func(id, responsible string) {
		t.Helper()
		write(t, store, func(ctx context.Context, tx backoffice.Tx) error {
			return tx.Customers().Upsert(ctx, []*backoffice.Customer{{ID: id, Type: backoffice.Company, OwnName: "Peeters", ResponsibleID: responsible}})
		})
	}
	write(t, store, func(ctx context.Context, tx backoffice.Tx) error {
		return tx.Users().Upsert(ctx, []*backoffice.User{{ID: "an", Email: "an@office.example"}, {ID: "bo", Email: "bo@office.example"}})
	})
	for _, move := range [][2]string{{"one", "an"}, {"two", "an"}, {"one", "bo"}} {
		moved(move[0], move[1])
	}
	time.Sleep(5 * time.Millisecond)
	now, err := store.Clock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(5 * time.Millisecond)
	moved("two", "bo")
	if _, err := store.RemoveChanges(t.Context(), now, 100); err != nil {
		t.Fatal(err)
	}
	r, err := backoffice.NewRestriction(backoffice.RestrictionFields{Responsible: []string{"an"}})
	if err != nil {
		t.Fatal(err)
	}
	page, err := backoffice.ReadChangePage(backoffice.WithRestriction(t.Context(), r), store,
		backoffice.ChangeQuery{After: backoffice.FromOldest, First: 100, Kinds: kindsFor(mayAll), Seeing: kindsFor(mayAll)})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(page.Changes, func(c *backoffice.Change) bool { return c.ObjectID == "two" && c.Done == backoffice.Deleted }) {
		t.Errorf("the feed's oldest page of %d entries does not say that a customer left the view", len(page.Changes))
	}
}
