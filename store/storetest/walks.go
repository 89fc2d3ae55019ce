package storetest

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"example.org/backoffice/backoffice"
)

func testWalks(t *testing.T, newStore func(t testing.TB) backoffice.Store) {
	t.Run("a walk by cursor, while rows come and go, repeats no row and skips none that was there throughout", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		serial := 0
		ctx := t.Context()
		rapid.Check(t, func(t *rapid.T) {
			w := &walk{
				store: store,
				order: backoffice.Order{
					Key:        rapid.SampledFrom([]backoffice.OrderKey{backoffice.KeyID, backoffice.KeyName, backoffice.KeyCreatedAt, backoffice.KeyUpdatedAt}).Draw(t, "key"),
					Descending: rapid.Bool().Draw(t, "descending"),
				},
				backward:   rapid.Bool().Draw(t, "backward"),
				user:       fmt.Sprintf("user-%d", serial),
				throughout: map[string]bool{},
			}
			serial++
			w.begin(ctx, t, rapid.IntRange(1, 25).Draw(t, "rows"))
			for w.step(ctx, t, rapid.IntRange(1, 6).Draw(t, "size")) {
				w.disturb(ctx, t)
			}
			w.check(t)
		})
	})
}

// walk goes through the customers of one user, a page at a time.
type walk struct {
	store    backoffice.Store
	order    backoffice.Order
	backward bool
	user     string

	serial     int
	there      []string        // all that are there now
	throughout map[string]bool // those that were there from the beginning to now
	seen       []string
	at         *backoffice.Position
}

func (w *walk) must(t *rapid.T, err error) {
	if err != nil {
		t.Fatalf("%v (%v)", err, errorCause(err))
	}
}

func (w *walk) insert(ctx context.Context, t *rapid.T, tx backoffice.Tx) string {
	w.serial++
	c := &backoffice.Customer{
		ID: fmt.Sprintf("%s%s-%d", rapid.SampledFrom([]string{"A", "Z", "a", "z"}).Draw(t, "id"), w.user, w.serial), Type: backoffice.Company,
		DisplayName: rapid.SampledFrom(crowdNames).Draw(t, "name"), ResponsibleID: w.user, Version: 1,
		CreatedAt: rapid.SampledFrom(crowdInstants).Draw(t, "created"), UpdatedAt: rapid.SampledFrom(crowdInstants).Draw(t, "updated"),
	}
	w.must(t, tx.Customers().Insert(ctx, c))
	w.there = append(w.there, c.ID)
	return c.ID
}

func (w *walk) begin(ctx context.Context, t *rapid.T, rows int) {
	w.must(t, w.store.Write(ctx, func(ctx context.Context, tx backoffice.Tx) error {
		w.must(t, tx.Users().Insert(ctx, &backoffice.User{ID: w.user, FirstName: "a", LastName: "b", Email: "c", Version: 1}))
		for range rows {
			w.throughout[w.insert(ctx, t, tx)] = true
		}
		return nil
	}))
}

// step reads the next page; false at the end.
func (w *walk) step(ctx context.Context, t *rapid.T, size int) bool {
	window := backoffice.Window{Limit: size, Backward: w.backward}
	switch {
	case w.at != nil && w.backward:
		window.Before, window.HasBefore = *w.at, true
	case w.at != nil:
		window.After, window.HasAfter = *w.at, true
	}
	pages, err := backoffice.ReadPages(ctx, w.store.Customers(), backoffice.ListQuery[backoffice.CustomerCriteria]{Parent: backoffice.OfUser, Order: w.order, Window: window}, []string{w.user}, 0)
	w.must(t, err)
	page := pages[w.user]
	if w.backward {
		slices.Reverse(page.Items)
	}
	for _, c := range page.Items {
		w.seen = append(w.seen, c.ID)
		at := c.Position(w.order.Key)
		w.at = &at
	}
	return page.More
}

// disturb adds and removes a few rows anywhere, the one that the walk stands at among them.
func (w *walk) disturb(ctx context.Context, t *rapid.T) {
	w.must(t, w.store.Write(ctx, func(ctx context.Context, tx backoffice.Tx) error {
		for range rapid.IntRange(0, 2).Draw(t, "inserted") {
			w.insert(ctx, t, tx)
		}
		for range rapid.IntRange(0, 2).Draw(t, "deleted") {
			if len(w.there) == 0 {
				break
			}
			gone := rapid.IntRange(0, len(w.there)-1).Draw(t, "which")
			_, err := tx.Customers().Delete(ctx, w.there[gone])
			w.must(t, err)
			delete(w.throughout, w.there[gone])
			w.there = slices.Delete(w.there, gone, gone+1)
		}
		return nil
	}))
}

func (w *walk) check(t *rapid.T) {
	once := map[string]bool{}
	for _, id := range w.seen {
		if once[id] {
			t.Fatalf("%s was seen twice", id)
		}
		once[id] = true
	}
	for id := range w.throughout {
		if !once[id] {
			t.Fatalf("%s was there throughout and not seen", id)
		}
	}
}
