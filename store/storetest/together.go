package storetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.org/backoffice/backoffice"
)

func testTogether(t *testing.T, newStore func(t testing.TB) backoffice.Store) {
	store := newStore(t)
	crowd().insert(t, store)
	o := crowd()

	// ask reads something that only the number says, and compares.
	ask := func(ctx context.Context, t *testing.T, i int) error {
		switch i % 4 {
		case 0:
			want := o.customers[i%len(o.customers)]
			rows, err := store.Customers().ByID(ctx, []string{want.ID}, 0)
			if err == nil && cmp.Diff(want, rows[want.ID]) != "" {
				t.Errorf("ask %d: %s", i, cmp.Diff(want, rows[want.ID]))
			}
			return err
		case 1:
			want := o.customers[i%20]
			m := o.relationModel()
			question := backoffice.Ask[backoffice.RelationCriteria]{Under: backoffice.OfCustomer, Window: backoffice.Window{Limit: 3}}
			pages, err := store.Relations().Pages(ctx, question, []string{want.ID, "unknown"}, 0)
			if err == nil && cmp.Diff(m.page(question, want.ID).Items, pages[want.ID].Items) != "" {
				t.Errorf("ask %d: other relations than should be", i)
			}
			return err
		case 2:
			counts, err := store.Transcripts().Counts(ctx, backoffice.Root, backoffice.TranscriptCriteria{}, nil)
			if err == nil && counts[""] != len(o.transcripts) {
				t.Errorf("ask %d: %d transcripts", i, counts[""])
			}
			return err
		}
		id := o.users[i%len(o.users)].ID
		nouns, err := store.NounsOf(ctx, []string{id})
		if err == nil && nouns[id] != backoffice.NounUser {
			t.Errorf("ask %d: %v", i, nouns)
		}
		return err
	}

	// gather runs parties, each in a goroutine of its own.
	gather := func(ctx context.Context, n int, do func(i int, ctx context.Context)) {
		var all sync.WaitGroup
		for i, party := range store.Together(ctx, n) {
			all.Go(func() {
				defer party.Leave()
				do(i, party.Context)
			})
		}
		all.Wait()
	}

	t.Run("each party gets its own answers, however often it asks", func(t *testing.T) {
		t.Parallel()
		for round := range 50 {
			gather(t.Context(), 1+round%7, func(i int, ctx context.Context) {
				for again := range (i + round) % 4 { // some never
					if err := ask(ctx, t, round+i*13+again); err != nil {
						t.Errorf("%v (%v)", err, errorCause(err))
					}
				}
			})
		}
	})

	t.Run("a party that asks twice at once, or after it left, is answered", func(t *testing.T) {
		t.Parallel()
		gather(t.Context(), 3, func(i int, ctx context.Context) {
			var both sync.WaitGroup
			for again := range 4 {
				both.Go(func() {
					if err := ask(ctx, t, i+again); err != nil {
						t.Error(err)
					}
				})
			}
			both.Wait()
		})
		for i, party := range store.Together(t.Context(), 3) {
			party.Leave()
			party.Leave()
			if err := ask(party.Context, t, i); err != nil {
				t.Error(err)
			}
		}
	})

	t.Run("a statement that fails leaves the others their answers", func(t *testing.T) {
		t.Parallel()
		for range 20 {
			gather(t.Context(), 5, func(i int, ctx context.Context) {
				if i == 2 {
					_, err := store.Labels().Pages(ctx, backoffice.Ask[backoffice.LabelCriteria]{Order: backoffice.Order{Key: backoffice.KeyAt}, Window: backoffice.Window{Limit: 1}}, nil, 0)
					if backoffice.KindOf(err) != backoffice.BadInput {
						t.Errorf("got %v", err)
					}
					return
				}
				if err := ask(ctx, t, i); err != nil {
					t.Errorf("%v (%v)", err, errorCause(err))
				}
			})
		}
	})

	t.Run("a party whose caller goes away fails alone", func(t *testing.T) {
		t.Parallel()
		for round := range 50 {
			gather(t.Context(), 4, func(i int, ctx context.Context) {
				if i == 0 {
					gone, cancel := context.WithTimeout(ctx, time.Duration(rand.N(300))*time.Microsecond)
					defer cancel()
					err := ask(gone, t, round)
					if err != nil && backoffice.KindOf(err) != backoffice.Timeout {
						t.Errorf("%v (%v)", err, errorCause(err))
					}
				}
				if err := ask(ctx, t, round+i); err != nil {
					t.Errorf("%v (%v)", err, errorCause(err))
				}
			})
		}
	})

	t.Run("when the request is cancelled, all parties fail and none hangs", func(t *testing.T) {
		t.Parallel()
		for round := range 30 {
			ctx, cancel := context.WithCancel(t.Context())
			gather(ctx, 4, func(i int, ctx context.Context) {
				if i == 3 {
					cancel()
				}
				if err := ask(ctx, t, round+i); err != nil && !errors.Is(err, context.Canceled) {
					t.Errorf("%v (%v)", err, errorCause(err))
				}
			})
			cancel()
		}
		if err := ask(t.Context(), t, 1); err != nil {
			t.Error(err)
		}
	})

	t.Run("each statement of a party is counted", func(t *testing.T) {
		t.Parallel()
		ctx, calls := backoffice.WithCalls(t.Context())
		gather(ctx, 5, func(i int, ctx context.Context) {
			if err := ask(ctx, t, i); err != nil {
				t.Error(err)
			}
		})
		if calls.Count() != 5 {
			t.Errorf("%d statements were counted", calls.Count())
		}
	})
}

func testCalls(t *testing.T, newStore func(t testing.TB) backoffice.Store) {
	t.Run("however many rows and parents are asked for, it is one statement", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		crowd().insert(t, store)
		o := crowd()
		parents := append(o.customerIDs(), "unknown")
		for name, do := range map[string]func(ctx context.Context) error{
			"rows": func(ctx context.Context) error { _, err := store.Customers().ByID(ctx, parents, 0); return err },
			"pages": func(ctx context.Context) error {
				_, err := store.Relations().Pages(ctx, backoffice.Ask[backoffice.RelationCriteria]{Under: backoffice.OfCustomer, Window: backoffice.Window{Limit: 5}}, parents, 0)
				return err
			},
			"counts": func(ctx context.Context) error {
				_, err := store.Relations().Counts(ctx, backoffice.OfCustomer, backoffice.RelationCriteria{}, parents)
				return err
			},
			"status counts": func(ctx context.Context) error {
				_, err := store.Transcripts().StatusCounts(ctx, backoffice.OfCustomer, backoffice.TranscriptCriteria{}, parents)
				return err
			},
			"total": func(ctx context.Context) error {
				_, err := store.Customers().Counts(ctx, backoffice.Root, backoffice.CustomerCriteria{}, nil)
				return err
			},
		} {
			ctx, calls := backoffice.WithCalls(t.Context())
			if err := do(ctx); err != nil || calls.Count() != 1 {
				t.Errorf("%s: %d statements (%v)", name, calls.Count(), err)
			}
		}
	})

	t.Run("what can match nothing is answered without a statement", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		ctx, calls := backoffice.WithCalls(t.Context())
		rows, err := store.Customers().ByID(ctx, []string{"", "no identifier", "\x00"}, 0)
		if err != nil || len(rows) != 0 {
			t.Error(rows, err)
		}
		pages, err := store.Customers().Pages(ctx, backoffice.Ask[backoffice.CustomerCriteria]{Criteria: backoffice.CustomerCriteria{Nothing: true}}, nil, 0)
		if err != nil || len(pages) != 1 || pages[""].More {
			t.Error(pages, err)
		}
		counts, err := store.Relations().Counts(ctx, backoffice.OfCustomer, backoffice.RelationCriteria{}, []string{"no identifier"})
		if err != nil || fmt.Sprint(counts) != "map[no identifier:0]" {
			t.Error(counts, err)
		}
		if calls.Count() != 0 {
			t.Errorf("%d statements", calls.Count())
		}
	})

	t.Run("a deadline that has passed is a timeout, and a closed store is unavailable", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		late, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
		defer cancel()
		_, err := store.Customers().ByID(late, []string{"x"}, 0)
		if backoffice.KindOf(err) != backoffice.Timeout {
			t.Errorf("%v (%v)", err, errorCause(err))
		}
		if err := store.Write(late, func(context.Context, backoffice.Tx) error { return nil }); backoffice.KindOf(err) != backoffice.Timeout {
			t.Errorf("%v (%v)", err, errorCause(err))
		}
		if err := store.Ping(t.Context()); err != nil {
			t.Error(err)
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
		if err := store.Ping(t.Context()); backoffice.KindOf(err) != backoffice.Unavailable {
			t.Errorf("%v (%v)", err, errorCause(err))
		}
	})
}
