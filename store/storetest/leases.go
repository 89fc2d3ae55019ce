package storetest

import (
	"sync"
	"sync/atomic"
	"testing"

	"example.org/backoffice/backoffice"
)

// testLeases is about what only one may do at a time.
func testLeases(t *testing.T, newStore func(t testing.TB) backoffice.Store) {
	lease := func(holder string, since, until backoffice.Instant) backoffice.Lease {
		return backoffice.Lease{Name: "work", Holder: holder, Since: since, Until: until}
	}

	t.Run("a lease is its holder's until its time is over, it is ended, or its holder is known to be gone", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		for i, step := range []struct {
			lease backoffice.Lease
			now   backoffice.Instant
			gone  string
			taken bool
		}{
			{lease("a", 10, 20), 10, "", true},
			{lease("b", 11, 21), 11, "", false},
			{lease("a", 10, 30), 15, "", true}, // more time
			{lease("b", 25, 35), 25, "", false},
			{lease("b", 30, 40), 30, "", true}, // a's is over
			{lease("a", 10, 41), 31, "", false},
			{lease("c", 32, 42), 32, "a", false},
			{lease("c", 32, 42), 32, "b", true},
			{lease("d", 22, 32), 22, "", false},
			{lease("d", 21, 31), 21, "", true}, // c's clock was ahead
			{lease("c", 32, 42), 32, "", true},
		} {
			taken, err := store.TakeLease(t.Context(), step.lease, step.now, step.gone)
			if err != nil || taken != step.taken {
				t.Errorf("step %d: %t, %v", i, taken, err)
			}
		}
		if err := store.EndLease(t.Context(), "work", "b"); err != nil {
			t.Error(err)
		}
		if has, err := store.Lease(t.Context(), "work"); err != nil || has == nil || *has != lease("c", 32, 42) {
			t.Errorf("%+v, %v", has, err)
		}
		if err := store.EndLease(t.Context(), "work", "c"); err != nil {
			t.Error(err)
		}
		if has, err := store.Lease(t.Context(), "work"); err != nil || has != nil {
			t.Errorf("%+v, %v", has, err)
		}
	})

	t.Run("of many who ask for a lease at once one gets it", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		var got atomic.Int32
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				taken, err := store.TakeLease(t.Context(), lease(string(rune('a'+i)), 10, 20), 10, "")
				if err != nil {
					t.Error(err)
				}
				if taken {
					got.Add(1)
				}
			})
		}
		all.Wait()
		if got.Load() != 1 {
			t.Errorf("%d got it", got.Load())
		}
	})
}
