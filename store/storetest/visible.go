package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.org/backoffice/backoffice"
)

// testVisible is about what changed since an instant: nothing that becomes visible later may be left out.
func testVisible(t *testing.T, newStore func(t testing.TB) backoffice.Store) {
	customersSince := func(t testing.TB, store backoffice.Store, since backoffice.Instant) int {
		t.Helper()
		counts, err := backoffice.ReadCounts(t.Context(), store.Customers(), backoffice.Root, backoffice.CustomerCriteria{UpdatedSince: since}, []string{backoffice.NoParent})
		if err != nil {
			t.Fatal(err)
		}
		return counts[backoffice.NoParent]
	}
	openSince := func(t testing.TB, store backoffice.Store, since backoffice.Instant) int {
		t.Helper()
		counts, err := backoffice.ReadCounts(t.Context(), store.CustomersWithoutNumbers(), backoffice.Root, backoffice.CustomerCriteria{UpdatedSince: since}, []string{backoffice.NoParent})
		if err != nil {
			t.Fatal(err)
		}
		return counts[backoffice.NoParent]
	}
	transcriptsSince := func(t testing.TB, store backoffice.Store, since backoffice.Instant) int {
		t.Helper()
		counts, err := backoffice.ReadCounts(t.Context(), store.Transcripts(), backoffice.Root, backoffice.TranscriptCriteria{UpdatedSince: since}, []string{backoffice.NoParent})
		if err != nil {
			t.Fatal(err)
		}
		return counts[backoffice.NoParent]
	}
	// logged does one write and returns when it became visible.
	logged := func(t testing.TB, store backoffice.Store, do func(ctx context.Context, tx backoffice.Tx) error) backoffice.Instant {
		t.Helper()
		time.Sleep(2 * time.Millisecond) // so that instants differ
		change := &backoffice.Change{Action: "a", Noun: "n", ObjectID: "o"}
		write(t, store, func(ctx context.Context, tx backoffice.Tx) error {
			if err := do(ctx, tx); err != nil {
				return err
			}
			return tx.LogChanges(ctx, change)
		})
		return change.VisibleAt
	}

	t.Run("what a transaction writes is found by the instant at which it became visible, whatever it shows", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		fullOffice().insert(t, store)
		row := readOne(t, store.Customers(), "customer-1")
		row.Version++
		before := time.Now().Add(-time.Hour)
		row.UpdatedAt = backoffice.InstantOf(before)
		at := logged(t, store, func(ctx context.Context, tx backoffice.Tx) error { return tx.Customers().Update(ctx, row) })
		if n := customersSince(t, store, at); n != 1 {
			t.Errorf("%d customers changed since the change, want 1", n)
		}
		if n := customersSince(t, store, at+1); n != 0 {
			t.Errorf("%d customers changed after the change", n)
		}
		if got := readOne(t, store.Customers(), "customer-1").UpdatedAt; got != backoffice.InstantOf(before) {
			t.Errorf("it shows %v", got)
		}
	})

	t.Run("no row shows a change that is later than the one at which it became visible", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		fullOffice().insert(t, store)
		row := readOne(t, store.Customers(), "customer-1")
		row.Version++
		row.UpdatedAt = backoffice.InstantOf(time.Now().Add(time.Hour)) // another server's clock
		at := logged(t, store, func(ctx context.Context, tx backoffice.Tx) error { return tx.Customers().Update(ctx, row) })
		if got := readOne(t, store.Customers(), "customer-1").UpdatedAt; got != at || row.UpdatedAt != at {
			t.Errorf("it became visible at %v; stored is %v, and the writer was told %v", at, got, row.UpdatedAt)
		}
	})

	t.Run("what follows from a write counts as changed with it", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		fullOffice().insert(t, store)
		calculation := readOne(t, store.Calculations(), "calculation-1")
		calculation.State = backoffice.CalculationState(backoffice.Approved)
		at := logged(t, store, func(ctx context.Context, tx backoffice.Tx) error { return tx.Calculations().Update(ctx, calculation) })
		if n := transcriptsSince(t, store, at); n != 1 {
			t.Errorf("%d transcripts changed with the state of the calculation of one", n)
		}
		at = logged(t, store, func(ctx context.Context, tx backoffice.Tx) error {
			_, err := tx.Calculations().Delete(ctx, "calculation-1")
			return err
		})
		if n := transcriptsSince(t, store, at); n != 1 {
			t.Errorf("%d transcripts changed when the calculation of one was deleted", n)
		}
		responsible := readOne(t, store.Customers(), "customer-1").ResponsibleID
		at = logged(t, store, func(ctx context.Context, tx backoffice.Tx) error {
			_, err := tx.Users().Delete(ctx, responsible)
			return err
		})
		if n := customersSince(t, store, at); n == 0 || readOne(t, store.Customers(), "customer-1").ResponsibleID != "" {
			t.Errorf("%d customers changed when the user who was responsible was deleted", n)
		}
	})

	t.Run("a change of registration numbers alone becomes visible to nobody else", func(t *testing.T) {
		t.Parallel()
		for name, others := range map[string]int{"a small write": 0, "a large write": 1001} {
			for _, upserted := range []bool{false, true} {
				store := newStore(t)
				fullOffice().insert(t, store)
				var crowd []*backoffice.Customer
				for i := range others {
					crowd = append(crowd, &backoffice.Customer{ID: fmt.Sprint("other-", i), Type: backoffice.Company, DisplayName: "x", Version: 1})
				}
				// changed does a write of one customer, and of others.
				changed := func(numbersOnly bool) backoffice.Instant {
					before := readOne(t, store.Customers(), "customer-1")
					row := *before
					row.Version, row.UpdatedAt = row.Version+1, backoffice.InstantOf(time.Now().Add(time.Hour))
					row.NoteChange(before, numbersOnly, 0)
					return logged(t, store, func(ctx context.Context, tx backoffice.Tx) error {
						if err := tx.Customers().Upsert(ctx, crowd); err != nil || upserted {
							return inOrder(func() error { return err }, func() error { return tx.Customers().Upsert(ctx, []*backoffice.Customer{&row}) })
						}
						return tx.Customers().Update(ctx, &row)
					})
				}
				open := changed(false)
				if all, seen := customersSince(t, store, open), openSince(t, store, open); all != others+1 || seen != others+1 {
					t.Errorf("%s: of a change that all may see, %d and without the scope %d know; want %d", name, all, seen, others+1)
				}
				before := readOne(t, store.CustomersWithoutNumbers(), "customer-1")
				for range 2 {
					hidden := changed(true)
					if all, seen := customersSince(t, store, hidden), openSince(t, store, hidden); all != others+1 || seen != others {
						t.Errorf("%s: of a change of numbers alone, %d and without the scope %d know; want %d and %d", name, all, seen, others+1, others)
					}
					if seen := openSince(t, store, open); seen != others+1 {
						t.Errorf("%s: of the change before it, %d know; want %d", name, seen, others+1)
					}
					if diff := cmp.Diff(before, readOne(t, store.CustomersWithoutNumbers(), "customer-1")); diff != "" {
						t.Errorf("%s: without the scope one sees (-before +after):\n%s", name, diff)
					}
				}
				open = changed(false)
				if all, seen := customersSince(t, store, open), openSince(t, store, open); all != others+1 || seen != others+1 {
					t.Errorf("%s: of a change behind them that all may see, %d and without the scope %d know; want %d", name, all, seen, others+1)
				}
			}
		}
	})

	t.Run("a new record becomes visible to everybody, even if its numbers were changed last", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		var rows []*backoffice.Customer
		for _, id := range []string{"one", "two"} {
			rows = append(rows, &backoffice.Customer{
				ID: id, Type: backoffice.Company, DisplayName: "x", Version: 2, HiddenChanges: 1, CreatedAt: 1, UpdatedAt: 3,
				OpenUpdatedAt: 2,
			})
		}
		at := logged(t, store, func(ctx context.Context, tx backoffice.Tx) error {
			if err := tx.Customers().Insert(ctx, rows...); err != nil {
				return err
			}
			_, _, err := backoffice.Find(ctx, tx.Customers(), "one") // for which both are written
			time.Sleep(3 * time.Millisecond)
			return err
		})
		if all, seen := customersSince(t, store, at), openSince(t, store, at); all != 2 || seen != 2 {
			t.Errorf("since they became visible %d customers did, and without the scope %d; want 2 and 2", all, seen)
		}
	})

	t.Run("the rows of a large write are found by when it ended, and by nothing later", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		fullOffice().insert(t, store)
		const many = 1001
		rows := func(name string) (rows []*backoffice.Customer) {
			for i := range many {
				rows = append(rows, &backoffice.Customer{
					ID: fmt.Sprintf("%s-%d", name, i), Type: backoffice.Company, DisplayName: name, CreatedAt: 1, UpdatedAt: backoffice.InstantAt(1_700_000_000_000), Version: 1,
				})
			}
			return rows
		}
		var seen backoffice.Instant
		upsert := func(name string) backoffice.Instant {
			return logged(t, store, func(ctx context.Context, tx backoffice.Tx) error {
				if err := tx.Customers().Upsert(ctx, rows(name)); err != nil {
					return err
				}
				time.Sleep(3 * time.Millisecond)
				seen = backoffice.InstantOf(time.Now())
				return nil
			})
		}
		first := upsert("a")
		if first < seen {
			t.Errorf("it became visible at %v, and was written until %v", first, seen)
		}
		if n := customersSince(t, store, first); n != many {
			t.Errorf("%d customers changed since the end of a large write, want %d", n, many)
		}
		if n := customersSince(t, store, first+1); n != 0 {
			t.Errorf("%d customers changed after it", n)
		}
		one := readOne(t, store.Customers(), "a-7")
		one.Version++
		later := logged(t, store, func(ctx context.Context, tx backoffice.Tx) error { return tx.Customers().Update(ctx, one) })
		second := upsert("b")
		for _, test := range []struct {
			since backoffice.Instant
			want  int
		}{{first, 2 * many}, {first + 1, many + 1}, {later, many + 1}, {later + 1, many}, {second, many}, {second + 1, 0}} {
			if n := customersSince(t, store, test.since); n != test.want {
				t.Errorf("since %d: %d customers, want %d (the writes were at %d, %d, %d)", test.since, n, test.want, first, later, second)
			}
		}
	})
}
