package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/backoffice/backoffice"
)

func fullTrusted(set, name, text string) *backoffice.TrustedDocument {
	return &backoffice.TrustedDocument{
		ID: backoffice.DocumentID(text), Text: text, Size: len(text), Set: set, Name: name, Kind: "query", Title: "Été, a title", About: "two\nlines", Cost: new(7),
		Scopes: []backoffice.Scope{backoffice.PrivacyRead, backoffice.MinfinRead}, Aliases: []string{"a-" + name, "b-" + name}, CreatedAt: 1, ClientID: "pair", RetiredAt: 2,
		Tool: backoffice.Tool{Name: "tool-" + set + name, About: "Été\nof a tool", Numbers: true},
	}
}

func testTrusted(t *testing.T, newStore func(t testing.TB) backoffice.Store) {
	act := backoffice.Change{At: 5, ClientID: "pair", Action: "documents trust", ObjectID: "portal", Done: backoffice.Updated}
	change := func(t testing.TB, store backoffice.Store, changes backoffice.TrustedChanges) {
		t.Helper()
		err := store.ChangeTrustedDocuments(t.Context(), act, func([]*backoffice.TrustedDocument) (backoffice.TrustedChanges, error) { return changes, nil })
		if err != nil {
			t.Fatalf("%v (%v)", err, errorCause(err))
		}
	}
	read := func(t testing.TB, store backoffice.Store, q backoffice.TrustedQuery) []*backoffice.TrustedDocument {
		t.Helper()
		ctx, calls := backoffice.WithStatementCount(t.Context())
		found, err := store.TrustedDocuments(ctx, q)
		if err != nil || calls.Count() != 1 {
			t.Fatalf("%v (%v) in %d statements", err, errorCause(err), calls.Count())
		}
		return found
	}

	t.Run("documents are read as they were written, by set, name and identifier", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		if none := read(t, store, backoffice.TrustedQuery{}); len(none) != 0 {
			t.Errorf("a new store trusts %v", none)
		}
		b, a := fullTrusted("portal", "B", "{ b }"), fullTrusted("portal", "A", "{ a }")
		bare := &backoffice.TrustedDocument{ID: backoffice.DocumentID("{ b }"), Text: "{ b }", Size: 5, Set: "mobile", Kind: "mutation"}
		change(t, store, backoffice.TrustedChanges{Put: []*backoffice.TrustedDocument{b, a, bare}})
		if diff := cmp.Diff([]*backoffice.TrustedDocument{bare, a, b}, read(t, store, backoffice.TrustedQuery{Texts: true})); diff != "" {
			t.Error(diff)
		}
		for id, want := range map[string][]*backoffice.TrustedDocument{a.ID: {a}, b.ID: {bare, b}, "b-B": {bare, b}, "c": nil, "bad\x00id\xff": nil} {
			if diff := cmp.Diff(want, read(t, store, backoffice.TrustedQuery{ID: id, Texts: true})); diff != "" {
				t.Error(id, diff)
			}
		}
		b.Title, b.Cost, b.Aliases, b.RetiredAt = "", nil, []string{"c"}, 0
		change(t, store, backoffice.TrustedChanges{Put: []*backoffice.TrustedDocument{b}})
		b.Text = ""
		if diff := cmp.Diff([]*backoffice.TrustedDocument{b}, read(t, store, backoffice.TrustedQuery{Saved: true})); diff != "" {
			t.Error(diff)
		}
		if found := read(t, store, backoffice.TrustedQuery{Name: "A"}); len(found) != 1 || found[0].ID != a.ID || found[0].Text != "" {
			t.Error(found)
		}
		if found := read(t, store, backoffice.TrustedQuery{Tools: true}); len(found) != 2 || found[0].ID != a.ID || found[0].Tool != a.Tool {
			t.Error(found)
		}
		b.Tool = backoffice.Tool{}
		change(t, store, backoffice.TrustedChanges{Mark: []*backoffice.TrustedDocument{b}})
		if found := read(t, store, backoffice.TrustedQuery{Tools: true, Texts: true}); len(found) != 1 || found[0].Text != a.Text {
			t.Error(found)
		}
		a.RetiredAt, a.Tool.Name = 9, ""
		change(t, store, backoffice.TrustedChanges{Retire: []*backoffice.TrustedDocument{a}, Remove: []*backoffice.TrustedDocument{b, bare}})
		if diff := cmp.Diff([]*backoffice.TrustedDocument{a}, read(t, store, backoffice.TrustedQuery{Texts: true})); diff != "" {
			t.Error(diff)
		}
		if found := read(t, store, backoffice.TrustedQuery{ID: "c"}); found != nil {
			t.Error("an alias outlived its document", found)
		}
	})

	t.Run("an act is noted in the change log, one that does nothing is not, and one that fails does nothing", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		a := fullTrusted("portal", "A", "{ a }")
		change(t, store, backoffice.TrustedChanges{Put: []*backoffice.TrustedDocument{a}})
		change(t, store, backoffice.TrustedChanges{})
		stop := errors.New("stop")
		err := store.ChangeTrustedDocuments(t.Context(), act, func(have []*backoffice.TrustedDocument) (backoffice.TrustedChanges, error) {
			if len(have) != 1 || have[0].ID != a.ID || have[0].Text != "" || len(have[0].Aliases) != 2 {
				t.Error(have)
			}
			return backoffice.TrustedChanges{Remove: have}, stop
		})
		if !errors.Is(err, stop) || len(read(t, store, backoffice.TrustedQuery{})) != 1 {
			t.Error(err)
		}
		log, err := store.Changes(t.Context(), 0, 10)
		if err != nil || len(log) != 1 || log[0].Action != act.Action || log[0].Noun != backoffice.NounTrustedDocuments || log[0].ObjectID != "portal" || log[0].ClientID != "pair" || log[0].Done != backoffice.Updated {
			t.Error(log, err)
		}
		kinds := backoffice.ChangesVisibleTo(mayAll, nil)
		if page, err := backoffice.ReadChangePage(t.Context(), store, backoffice.ChangeQuery{First: 10, Kinds: kinds}); err != nil || len(page.Changes) != 0 || page.Latest != 1 {
			t.Errorf("the feed shows it: %+v %v", page, err)
		}
	})

	t.Run("changes come one after the other, each seeing what the one before has done", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				err := store.ChangeTrustedDocuments(context.WithoutCancel(t.Context()), act, func(have []*backoffice.TrustedDocument) (backoffice.TrustedChanges, error) {
					name := fmt.Sprintf("N%d", len(have))
					return backoffice.TrustedChanges{Put: []*backoffice.TrustedDocument{{ID: name, Name: name, Kind: "query"}}}, nil
				})
				if err != nil {
					t.Errorf("%v (%v)", err, errorCause(err))
				}
			})
		}
		all.Wait()
		if found := read(t, store, backoffice.TrustedQuery{}); len(found) != 8 {
			t.Errorf("of 8 there are %d", len(found))
		}
	})

	t.Run("calls of tools are counted by month, client and tool, and the last call describes the client", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		restriction, err := backoffice.NewRestriction(backoffice.RestrictionFields{Customers: []string{"acme"}})
		if err != nil {
			t.Fatal(err)
		}
		first := []backoffice.ToolCalls{
			{Month: "2026-05", ClientID: "a", ClientName: "A", Tool: "work", Calls: 2, LastAt: 1},
			{Month: "2026-06", ClientID: "b", ClientName: "B", Tool: "work", Calls: 5, LastAt: 3},
			{Month: "2026-06", ClientID: "a", ClientName: "A", Tool: "work", Calls: 3, LastAt: 2},
		}
		again := []backoffice.ToolCalls{{Month: "2026-06", ClientID: "a", ClientName: "Été", Tool: "work", Restriction: restriction, Calls: 4, LastAt: 9}}
		for _, calls := range [][]backoffice.ToolCalls{first, again} {
			if err := store.CountToolCalls(t.Context(), calls); err != nil {
				t.Fatal(err, errorCause(err))
			}
		}
		again[0].Calls += 3
		found, err := store.ToolCalls(t.Context(), "2026-06")
		if diff := cmp.Diff([]backoffice.ToolCalls{again[0], first[1]}, found); diff != "" || err != nil {
			t.Error(err, diff)
		}
	})
}
