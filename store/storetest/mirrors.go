package storetest

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/backoffice/backoffice"
)

func testMirrors(t *testing.T, newStore func(t testing.TB) backoffice.Store) {
	t.Run("a store is nobody's mirror until it is said whose, and again when it is released", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		is := func(want *backoffice.Mirror) {
			t.Helper()
			got, err := store.Mirror(t.Context())
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("%v %s", err, diff)
			}
		}
		is(nil)
		m := &backoffice.Mirror{Origin: "https://a.example", ClientID: "pair", Since: 7, Nouns: []backoffice.MirroredNoun{{Noun: backoffice.NounCustomer, At: 8}, {Noun: backoffice.NounLabel, Incomplete: 2}}}
		for range 2 {
			if err := store.PutMirror(t.Context(), m); err != nil {
				t.Fatal(err)
			}
			m.Stored = true
			is(m)
			m.Nouns[1].At = 9
		}
		if err := store.PutMirror(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if err := store.PutMirror(t.Context(), m); !errors.Is(err, backoffice.ErrReleased) {
			t.Errorf("it is a mirror again: %v", err)
		}
		is(nil)
	})

	t.Run("a mirror's notes are read and dropped by how their names begin, and all of them with the mirror", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		notes := func(prefix string, want map[string][]byte) {
			t.Helper()
			got, err := store.MirrorNotes(t.Context(), prefix)
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("%q: %v %s", prefix, err, diff)
			}
		}
		note := func(drop string, notes map[string][]byte) {
			t.Helper()
			if err := store.NoteMirror(t.Context(), drop, notes); err != nil {
				t.Fatal(err)
			}
		}
		note("", map[string][]byte{"a 1": {1}, "a 2": {0}, "a%": {9}, "b": {2}})
		notes("a ", map[string][]byte{"a 1": {1}, "a 2": {0}})
		note("a ", map[string][]byte{"a 3": {3}, "b": {4}})
		notes("", map[string][]byte{"a 3": {3}, "a%": {9}, "b": {4}})
		if err := store.PutMirror(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		notes("", map[string][]byte{})
	})
}
