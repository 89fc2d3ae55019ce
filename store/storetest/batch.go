package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/backoffice/backoffice"
)

func testBatch(t *testing.T, newStore func(t testing.TB) backoffice.Store) {
	store := newStore(t)
	crowd().insert(t, store)
	o := crowd()

	// queue adds a read that only the number says, and returns what compares its answer.
	queue := func(b *backoffice.Batch, i int) (check func(t *testing.T)) {
		switch i % 4 {
		case 0:
			want := o.customers[i%len(o.customers)]
			var got *backoffice.Customer
			store.Customers().Find(b, []string{want.ID}, 0, func(c *backoffice.Customer) { got = c })
			return func(t *testing.T) {
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("read %d: %s", i, diff)
				}
			}
		case 1:
			want := o.customers[i%20]
			m := o.relationModel()
			list := backoffice.ListQuery[backoffice.RelationCriteria]{Parent: backoffice.OfCustomer, Window: backoffice.Window{Limit: 3}}
			pages := make([]backoffice.Page[*backoffice.CustomerRelation], 2)
			store.Relations().Lists(b, list, []string{"unknown", want.ID}, 0, pages)
			return func(t *testing.T) {
				if cmp.Diff(m.page(list, want.ID).Items, pages[1].Items) != "" || len(pages[0].Items) > 0 {
					t.Errorf("read %d: other relations than should be", i)
				}
			}
		case 2:
			counts := make([]int, 1)
			store.Transcripts().Counts(b, backoffice.Root, backoffice.TranscriptCriteria{}, nil, counts)
			return func(t *testing.T) {
				if counts[0] != len(o.transcripts) {
					t.Errorf("read %d: %d transcripts", i, counts[0])
				}
			}
		}
		nouns := make([]backoffice.Noun, 2)
		store.Nouns(b, []string{"no identifier", o.users[i%len(o.users)].ID}, nouns)
		return func(t *testing.T) {
			if nouns[0] != "" || nouns[1] != backoffice.NounUser {
				t.Errorf("read %d: %v", i, nouns)
			}
		}
	}

	// send sends a batch of so many reads and compares all answers.
	send := func(ctx context.Context, t *testing.T, first, n int, last bool) error {
		b := backoffice.Batch{Last: last, Pooled: first%2 == 0}
		defer b.Release()
		var checks []func(*testing.T)
		for i := range n {
			checks = append(checks, queue(&b, first+i))
		}
		if err := store.Send(ctx, &b); err != nil {
			return err
		}
		for _, check := range checks {
			check(t)
		}
		return nil
	}

	t.Run("each read of a batch gets its own answer", func(t *testing.T) {
		t.Parallel()
		for round := range 50 {
			if err := send(t.Context(), t, round, round%7, round%2 == 0); err != nil {
				t.Errorf("%v (%v)", err, errorCause(err))
			}
		}
	})

	t.Run("so it does in a snapshot, which ends with its last batch", func(t *testing.T) {
		t.Parallel()
		for round := range 50 {
			ctx, end := backoffice.BeginSnapshot(t.Context(), store)
			for n := range round % 4 {
				if err := send(ctx, t, round, n, false); err != nil {
					t.Errorf("%v (%v)", err, errorCause(err))
				}
			}
			if err := send(ctx, t, round, round%3, true); err != nil {
				t.Errorf("%v (%v)", err, errorCause(err))
			}
			end()
		}
	})

	t.Run("all reads of a batch see one snapshot", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		var over atomic.Bool
		var writer sync.WaitGroup
		defer writer.Wait()
		defer over.Store(true)
		writer.Go(func() {
			for i := 0; !over.Load(); i++ {
				_ = store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
					return tx.Labels().Insert(ctx, &backoffice.Label{ID: fmt.Sprint("label-", i), Name: fmt.Sprint("Label ", i), Color: "#00ff00", CreatedAt: 1})
				})
			}
		})
		list := backoffice.ListQuery[backoffice.LabelCriteria]{Window: backoffice.Window{Limit: 100_000}}
		for range 50 {
			var b backoffice.Batch
			before, pages, after := make([]int, 1), make([]backoffice.Page[*backoffice.Label], 1), make([]int, 1)
			store.Labels().Counts(&b, backoffice.Root, backoffice.LabelCriteria{}, nil, before)
			store.Labels().Lists(&b, list, nil, 0, pages)
			store.Labels().Counts(&b, backoffice.Root, backoffice.LabelCriteria{}, nil, after)
			if err := store.Send(t.Context(), &b); err != nil {
				t.Fatalf("%v (%v)", err, errorCause(err))
			}
			if n := len(pages[0].Items); n != before[0] || n != after[0] {
				t.Fatalf("%d labels, then a list of %d, then %d", before[0], n, after[0])
			}
		}
	})

	t.Run("a read that is refused leaves the others their answers", func(t *testing.T) {
		t.Parallel()
		for round := range 20 {
			var b backoffice.Batch
			first := queue(&b, round)
			wrong := store.Labels().Lists(&b, backoffice.ListQuery[backoffice.LabelCriteria]{Order: backoffice.Order{Key: backoffice.KeyAt}}, nil, 0,
				make([]backoffice.Page[*backoffice.Label], 1))
			second := queue(&b, round+1)
			if err := store.Send(t.Context(), &b); backoffice.KindOf(err) != backoffice.BadInput || !errors.Is(err, wrong.Err()) {
				t.Errorf("got %v, %v", err, wrong.Err())
			}
			first(t)
			second(t)
		}
	})

	t.Run("when the request is cancelled, its reads fail and nothing hangs", func(t *testing.T) {
		t.Parallel()
		for round := range 20 {
			gone, cancel := context.WithCancel(t.Context())
			ctx, end := backoffice.BeginSnapshot(gone, store)
			if round%2 == 0 {
				if err := send(ctx, t, round, 3, false); err != nil {
					t.Errorf("%v (%v)", err, errorCause(err))
				}
			}
			cancel()
			if err := send(ctx, t, round, 3, false); !errors.Is(err, context.Canceled) {
				t.Errorf("%v (%v)", err, errorCause(err))
			}
			end()
		}
		if err := send(t.Context(), t, 1, 4, false); err != nil {
			t.Error(err)
		}
	})

	t.Run("each statement of a batch is counted", func(t *testing.T) {
		t.Parallel()
		ctx, calls := backoffice.WithStatementCount(backoffice.ForRetry(t.Context()))
		if err := send(ctx, t, 0, 5, false); err != nil {
			t.Error(err)
		}
		if calls.Count() != 5 {
			t.Errorf("%d statements were counted", calls.Count())
		}
	})
}
