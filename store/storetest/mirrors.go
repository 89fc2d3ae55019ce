package storetest

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store"
)

// holding is an engine that answers no read of the primary, until it fails them all.
type holding struct {
	store.Engine
	by *holder
}

func (h holding) Primary() store.Sender { return h.by }

type holder struct {
	asked atomic.Int64
	until chan struct{}
}

func (h *holder) Send(_ context.Context, statements ...*store.Statement) {
	h.asked.Add(1)
	<-h.until
	for _, s := range statements {
		s.Err = errors.New("held")
	}
}

// listening is a context that notes who listens to its end.
type listening struct {
	context.Context
	by chan struct{}
}

func (l listening) Done() <-chan struct{} { l.by <- struct{}{}; return l.Context.Done() }

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

	t.Run("who asks first whether it is a mirror shares the attempt with others, and waits no longer than its context", func(t *testing.T) {
		t.Parallel()
		of, ok := newStore(t).(through)
		if !ok {
			t.Skip("another store's")
		}
		held := &holder{until: make(chan struct{})}
		defer close(held.until)
		opened := of.Through(func(engine store.Engine) store.Engine { return holding{engine, held} })
		ctx, cancel := context.WithCancel(t.Context())
		listener, answers := listening{ctx, make(chan struct{}, 100)}, make(chan error, 10)
		for range 10 {
			go func() { _, err := opened.Mirror(listener); answers <- err }()
		}
		for range 10 {
			select {
			case <-listener.by:
			case <-time.After(10 * time.Second):
				t.Fatal("somebody waits without a look at the context")
			}
		}
		for held.asked.Load() == 0 {
			time.Sleep(time.Millisecond)
		}
		cancel()
		for range 10 {
			if err := <-answers; err == nil {
				t.Error("it is answered")
			}
		}
		if n := held.asked.Load(); n != 1 {
			t.Errorf("the store was asked %d times", n)
		}
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
