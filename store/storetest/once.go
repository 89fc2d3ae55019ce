package storetest

import (
	"context"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store"
)

// testOnce is about writes that wait for the instant at which they become visible.
func testOnce(t *testing.T, newStore func(t testing.TB) backoffice.Store) {
	t.Run("a row is written once, with the instant at which it becomes visible", func(t *testing.T) {
		t.Parallel()
		opened := newStore(t)
		over, ok := opened.(interface {
			Through(wrap func(store.Engine) store.Engine) *store.Store
		})
		if !ok {
			t.Skip("a cache is in front of the engine")
		}
		fullOffice().insert(t, opened)
		recorder := &Recorder{}
		recorded := over.Through(recorder.On)
		customer := readOne(t, opened.Customers(), "customer-1")
		customer.Version++
		customer.Scopes = []string{"once"}
		another := *customer
		another.ID, another.CustomerCode, another.Version = "once", "once", 1
		transcript := *readOne(t, opened.Transcripts(), "transcript-1")
		transcript.ID = "transcript-once"
		for _, do := range []func(ctx context.Context, tx backoffice.Tx) error{
			func(ctx context.Context, tx backoffice.Tx) error { return tx.Customers().Update(ctx, customer) },
			func(ctx context.Context, tx backoffice.Tx) error { return tx.Customers().Insert(ctx, &another) },
			func(ctx context.Context, tx backoffice.Tx) error { return tx.Transcripts().Insert(ctx, &transcript) },
		} {
			write(t, recorded, func(ctx context.Context, tx backoffice.Tx) error {
				if err := do(ctx, tx); err != nil {
					return err
				}
				return tx.LogChanges(ctx, &backoffice.Change{Action: "a", Noun: "n", ObjectID: "o"})
			})
		}
		for _, want := range []string{"customers.update", "customers.insert", "transcripts.insert"} {
			n := 0
			for text := range recorder.Statements() {
				if strings.Contains(text, "backoffice:"+want+"*/") {
					n++
				}
				if strings.Contains(text, ".show*/") {
					t.Errorf("a row is written again: %s", text)
				}
			}
			if n != 1 {
				t.Errorf("%d statements %s, want 1", n, want)
			}
		}
		for _, id := range []string{"customer-1", "once"} {
			if got := readOne(t, opened.Customers(), id); len(got.Scopes) != 1 || got.Scopes[0] != "once" {
				t.Errorf("%s has %q", id, got.Scopes)
			}
		}
	})

	t.Run("what follows in the transaction sees what waits, and both become visible at its end", func(t *testing.T) {
		t.Parallel()
		opened := newStore(t)
		fullOffice().insert(t, opened)
		row := readOne(t, opened.Customers(), "customer-1")
		change := &backoffice.Change{Action: "a", Noun: "n", ObjectID: "o"}
		time.Sleep(2 * time.Millisecond) // so that instants differ
		write(t, opened, func(ctx context.Context, tx backoffice.Tx) error {
			for _, phone := range []backoffice.Text{"first", "second"} {
				next := *row
				next.Version, next.Phone = row.Version+1, phone
				if err := tx.Customers().Update(ctx, &next); err != nil {
					return err
				}
				if row = readOne(t, tx.Customers(), "customer-1"); row.Phone != phone || row.Version != next.Version {
					t.Errorf("the transaction reads version %d with %q", row.Version, row.Phone)
				}
			}
			return tx.LogChanges(ctx, change)
		})
		if got := readOne(t, opened.Customers(), "customer-1"); got.Phone != "second" {
			t.Errorf("%q is stored", got.Phone)
		}
		for since, want := range map[backoffice.Instant]int{change.VisibleAt: 1, change.VisibleAt + 1: 0} {
			criteria := backoffice.CustomerCriteria{UpdatedSince: since}
			counts, err := backoffice.ReadCounts(t.Context(), opened.Customers(), backoffice.Root, criteria,
				[]string{backoffice.NoParent})
			if err != nil || counts[backoffice.NoParent] != want {
				t.Errorf("%d changed since %v, want %d (%v)", counts[backoffice.NoParent], since, want, err)
			}
		}
	})

	t.Run("what waits is rejected as if it had not", func(t *testing.T) {
		t.Parallel()
		opened := newStore(t)
		fullOffice().insert(t, opened)
		taken := *readOne(t, opened.Customers(), "customer-1")
		taken.ID, taken.Version, taken.CustomerCode = "once", 1, "a code"
		nobody := taken
		nobody.ID, nobody.CustomerCode, nobody.ResponsibleID = "of-nobody", "another", "nobody"
		write(t, opened, func(ctx context.Context, tx backoffice.Tx) error {
			return tx.Customers().Insert(ctx, &taken)
		})
		for _, next := range []func(ctx context.Context, tx backoffice.Tx) error{
			func(context.Context, backoffice.Tx) error { return nil },
			func(ctx context.Context, tx backoffice.Tx) error {
				_, err := backoffice.ReadByID(ctx, tx.Users(), []string{"user-1"}, 0)
				return err
			},
		} {
			twice := taken
			twice.ID = "twice"
			for _, one := range []*backoffice.Customer{&twice, &nobody} {
				err := opened.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
					if err := tx.Customers().Insert(ctx, one); err != nil {
						return err
					}
					return next(ctx, tx)
				})
				if one == &twice {
					refused(t, err, backoffice.CodeTaken, "customerCode")
				} else {
					refused(t, err, backoffice.CodeNotFound, "responsibleId")
				}
			}
		}
	})
}
