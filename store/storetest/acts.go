package storetest

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.org/backoffice/backoffice"
)

func testActs(t *testing.T, newStore func(t testing.TB) backoffice.Store) {
	begin := func(t *testing.T, object string) context.Context {
		act := &backoffice.Act{Action: "years start", Operator: "alice@host", Flags: []string{"force", "yes"}}
		if object != "" {
			act.Object = func() string { return object }
		}
		return backoffice.WithAct(t.Context(), act)
	}
	log := func(t *testing.T, ctx context.Context, store backoffice.Store, fails error, ids ...string) {
		t.Helper()
		err := store.Write(ctx, func(ctx context.Context, tx backoffice.Tx) error {
			for _, id := range ids {
				if err := tx.LogChanges(ctx, &backoffice.Change{Action: "years start", Noun: backoffice.NounFinancialYear, ObjectID: id}); err != nil {
					return err
				}
			}
			return fails
		})
		if !errors.Is(err, fails) {
			t.Fatal(err)
		}
	}
	acts := func(t *testing.T, store backoffice.Store, after int64) []*backoffice.Change {
		t.Helper()
		got, err := store.Administration(t.Context(), after, 10)
		if err != nil {
			t.Fatalf("%v (%v)", err, errorCause(err))
		}
		return got
	}

	t.Run("an act is noted once, with the first transaction that changes something and is not undone", func(t *testing.T) {
		t.Parallel()
		store, stop := newStore(t), errors.New("stop")
		ctx := begin(t, "2030")
		log(t, ctx, store, nil) // changes nothing
		log(t, ctx, store, stop, "y-1")
		if got := acts(t, store, 0); got != nil {
			t.Fatalf("it is noted already: %+v", got[0])
		}
		log(t, ctx, store, nil, "y-1", "y-2")
		log(t, ctx, store, nil, "y-3")
		if err := backoffice.NoteAct(ctx, store); err != nil {
			t.Fatal(err)
		}
		want := []*backoffice.Change{{
			Sequence: 3, Action: "years start", Noun: backoffice.NounAdministration, ObjectID: "2030", Fields: []string{"force", "yes"}, Operator: "alice@host", Done: backoffice.Updated,
		}}
		if diff := cmp.Diff(want, acts(t, store, 0), cmpopts.EquateEmpty(), cmpopts.IgnoreFields(backoffice.Change{}, "At", "History", "VisibleAt")); diff != "" {
			t.Error(diff)
		}
		if got := acts(t, store, 3); got != nil {
			t.Errorf("behind it is %+v", got[0])
		}
	})

	t.Run("credentials have their acts with them, an act about one object is about that, and others may be noted alone", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		if err := store.CreateCredential(begin(t, "a"), fullCredential("a")); err != nil {
			t.Fatal(err)
		}
		if err := store.UpdateCredential(begin(t, "b"), "a", func(*backoffice.Credential) error { return nil }); err != nil {
			t.Fatal(err)
		}
		refused(t, store.CreateCredential(begin(t, "x"), fullCredential("a")), backoffice.CodeTaken)
		log(t, begin(t, ""), store, nil, "c")
		if err := backoffice.NoteAct(begin(t, "d"), store); err != nil {
			t.Fatal(err)
		}
		if err := store.CredentialsUsed(begin(t, "x"), []string{"a"}, 5); err != nil {
			t.Fatal(err)
		}
		var about []string
		for _, act := range acts(t, store, 0) {
			about = append(about, act.ObjectID)
		}
		if !slices.Equal(about, []string{"a", "b", "c", "d"}) {
			t.Errorf("acts are about %q", about)
		}
	})

	t.Run("that a mirror begins and that it ends is an act, and how far it has come is none", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		put := func(m *backoffice.Mirror, noted int) {
			t.Helper()
			if err := store.PutMirror(begin(t, "m"), m); err != nil {
				t.Fatal(err)
			}
			if got := acts(t, store, 0); len(got) != noted {
				t.Errorf("%d acts are noted, want %d", len(got), noted)
			}
		}
		m := &backoffice.Mirror{Origin: "https://a.example", ClientID: "pair", Since: 7, Nouns: []backoffice.MirroredNoun{{Noun: backoffice.NounCustomer}}}
		put(nil, 0)
		put(m, 1)
		m.Nouns = append(m.Nouns, backoffice.MirroredNoun{Noun: backoffice.NounLabel, At: 9})
		put(m, 1)
		put(nil, 2)
		put(nil, 2)
	})

	t.Run("the feed shows nobody an act", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		log(t, begin(t, "2030"), store, nil, "y-1")
		page, err := backoffice.ReadChangePage(t.Context(), store, backoffice.ChangeQuery{After: backoffice.FromOldest, First: 100, Kinds: kindsFor(mayAll)})
		if err != nil || len(page.Changes) != 1 || page.Latest != 2 {
			t.Fatalf("%+v %v", page, err)
		}
		for _, act := range acts(t, store, 0) {
			if shown := kindsFor(mayAll).Show(act); shown != nil {
				t.Errorf("it is shown as %+v", shown)
			}
		}
	})
}
