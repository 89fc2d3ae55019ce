package storetest

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.org/backoffice/backoffice"
)

// trashed lists what is in the trash.
func trashed(t testing.TB, store backoffice.Store) (list []*backoffice.Trashed) {
	t.Helper()
	if err := store.EachTrashed(t.Context(), func(d *backoffice.Trashed) error { list = append(list, d); return nil }); err != nil {
		t.Fatalf("%v (%v)", err, errorCause(err))
	}
	return list
}

// discard deletes customers into the trash.
func discard(t testing.TB, store backoffice.Store, period time.Duration, ids ...string) {
	t.Helper()
	write(t, store, func(ctx context.Context, tx backoffice.Tx) error {
		tx.KeepDeleted(backoffice.Keeping{At: backoffice.InstantAt(1_700_000_000_500), ClientID: "pair", Period: period})
		_, err := tx.Customers().Delete(ctx, ids...)
		return err
	})
}

// bringBack takes entries out of the trash and writes their records again.
func bringBack(t testing.TB, store backoffice.Store, ids ...string) {
	t.Helper()
	write(t, store, func(ctx context.Context, tx backoffice.Tx) error {
		taken, err := tx.TakeTrashed(ctx, ids...)
		if err != nil {
			return err
		}
		var o office
		for _, d := range taken {
			o.customers = append(o.customers, backoffice.CustomerTable.In(d)...)
			o.relations = append(o.relations, backoffice.RelationTable.In(d)...)
			o.transcripts = append(o.transcripts, backoffice.TranscriptTable.In(d)...)
			o.calculations = append(o.calculations, backoffice.CalculationTable.In(d)...)
			o.documents = append(o.documents, backoffice.DocumentTable.In(d)...)
			o.minfin = append(o.minfin, backoffice.MinfinTable.In(d)...)
			o.differences = append(o.differences, backoffice.DiscrepancyTable.In(d)...)
		}
		return inOrder(
			func() error { return tx.Customers().Insert(ctx, o.customers...) },
			func() error { return tx.Relations().Insert(ctx, o.relations...) },
			func() error { return tx.Transcripts().Insert(ctx, o.transcripts...) },
			func() error { return tx.Calculations().Insert(ctx, o.calculations...) },
			func() error { return tx.Documents().Insert(ctx, o.documents...) },
			func() error { return tx.MinfinDocuments().Insert(ctx, o.minfin...) },
			func() error { return tx.Discrepancies().Insert(ctx, o.differences...) })
	})
}

func testTrash(t *testing.T, newStore func(t testing.TB) backoffice.Store) {
	anyOrder := cmpopts.SortSlices(func(a, b string) bool { return a < b })

	t.Run("what is deleted is kept as it was, with what went with it, and can be written again", func(t *testing.T) {
		t.Parallel()
		for _, make := range []func() *office{fullOffice, emptyOffice} {
			store := newStore(t)
			o := make()
			o.insert(t, store)
			discard(t, store, time.Hour, "customer-1", "unknown", "customer-2")
			left := o.without("customer-1").without("customer-2")
			left.checkTotals(t, store)
			rows := 0
			for _, d := range trashed(t, store) {
				if d.Noun != backoffice.NounCustomer || d.ClientID != "pair" || d.At != backoffice.InstantAt(1_700_000_000_500) || d.Until.Time().Before(time.Now().Add(50*time.Minute)) || d.Until.Time().After(time.Now().Add(70*time.Minute)) {
					t.Errorf("it is kept as %+v", d)
				}
				rows += d.Rows()
			}
			orphans := len(o.minfin) - len(left.minfin)
			if want := len(o.customers) + len(o.relations) + len(o.transcripts) + len(o.calculations) + len(o.documents) + len(o.differences) + orphans; rows != want {
				t.Errorf("%d records are kept, want %d", rows, want)
			}
			bringBack(t, store, "customer-2", "customer-1")
			make().check(t, store)
			o.checkTotals(t, store)
			if n := len(trashed(t, store)); n != 0 {
				t.Errorf("%d deletions are in the trash of what is there again", n)
			}
		}
	})

	t.Run("of a crowd only what hangs on the customer goes and comes", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		crowd().insert(t, store)
		gone := crowd().customers[3].ID
		discard(t, store, time.Hour, gone)
		left := crowd().without(gone)
		left.check(t, store)
		left.checkTotals(t, store)
		kept := trashed(t, store)
		if want := crowd().keysOf(gone); len(kept) != 1 || !cmp.Equal(want, kept[0].FileKeys(), anyOrder) || len(want) < 4 {
			t.Errorf("%d are kept, with files other than %v", len(kept), want)
		}
		bringBack(t, store, gone)
		crowd().check(t, store)
		crowd().checkTotals(t, store)
	})

	t.Run("files in the trash are known and no orphans, and are to be removed when it is emptied", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		fullOffice().insert(t, store)
		keys := fullOffice().keysOf("customer-1")
		known := func(want int) {
			t.Helper()
			found, err := store.KnownFiles(t.Context(), keys)
			if err != nil || len(found) != want {
				t.Errorf("%d files are known, want %d (%v)", len(found), want, err)
			}
			names, err := store.NamesFiles(t.Context())
			if err != nil || names != (want > 0) {
				t.Errorf("the store names files: %v (%v)", names, err)
			}
			orphans, err := store.OrphanFiles(t.Context(), keys)
			if err != nil || len(orphans) != len(keys)-want {
				t.Errorf("%d files are orphans, want %d (%v)", len(orphans), len(keys)-want, err)
			}
		}
		discard(t, store, time.Hour, "customer-1")
		known(len(keys))
		if forgotten, err := store.ForgottenFiles(t.Context(), 100); err != nil || len(forgotten) > 0 {
			t.Errorf("%v are to be removed (%v)", forgotten, err)
		}
		erased, removed, err := store.EmptyTrash(t.Context(), "customer-1", "unknown", "no\x00id")
		if err != nil || !slices.Equal(erased, []string{"customer-1"}) || !cmp.Equal(removed, keys, anyOrder) {
			t.Errorf("emptying tells %v and %v (%v)", erased, removed, err)
		}
		known(0)
		if forgotten, err := store.ForgottenFiles(t.Context(), 100); err != nil || !cmp.Equal(forgotten, keys, anyOrder) {
			t.Errorf("%v are to be removed (%v)", forgotten, err)
		}
		if n := len(trashed(t, store)); n != 0 {
			t.Errorf("%d deletions are in an empty trash", n)
		}
	})

	t.Run("what was there for its time is erased, and nothing before", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		fullOffice().insert(t, store)
		discard(t, store, time.Hour, "customer-2")
		discard(t, store, time.Millisecond, "customer-1")
		time.Sleep(10 * time.Millisecond)
		erased, keys, err := store.EmptyDueTrash(t.Context())
		if err != nil || !slices.Equal(erased, []string{"customer-1"}) || len(keys) != 4 {
			t.Errorf("%v and %v were erased (%v)", erased, keys, err)
		}
		if erased, _, err := store.EmptyDueTrash(t.Context()); err != nil || len(erased) > 0 {
			t.Errorf("then %v was erased (%v)", erased, err)
		}
		if left := trashed(t, store); len(left) != 1 || left[0].ID != "customer-2" {
			t.Errorf("%d are left", len(left))
		}
	})

	t.Run("nothing is erased for its age within a day after a clock was not seen for long", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		fullOffice().insert(t, store)
		logged(t, store, backoffice.NounLabel, backoffice.NounLabel)
		if _, err := store.DueFiles(t.Context(), []string{"old"}, time.Hour); err != nil {
			t.Fatal(err)
		}
		const hour = 3_600_000
		for _, c := range []struct {
			name        string
			since, seen backoffice.Instant // hours before now
			noted       bool
			discarded   string
			kept        bool
		}{
			{"not seen for nine days", 1000, 9 * 24, false, "customer-1", true},
			{"seen again", 1000, 9 * 24, true, "", true},
			{"seen again an hour ago", 1, 0, true, "", true},
			{"set back since", -100, -100, true, "", false},
			{"seen again a day ago", 25, 0, true, "customer-2", false},
		} {
			if c.discarded != "" {
				discard(t, store, time.Millisecond, c.discarded)
				time.Sleep(10 * time.Millisecond)
			}
			now, err := store.Clock(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			since, until := now-c.since*hour, now-c.seen*hour
			lease := backoffice.Lease{Name: backoffice.LeaseOfClock, Since: since, Until: until}
			if _, err := store.TakeLease(t.Context(), lease, now, ""); err != nil {
				t.Fatal(err)
			}
			if c.noted {
				if _, err := store.UseKeys(t.Context(), backoffice.KeyUser{ID: "server"}, 1000); err != nil {
					t.Fatal(err)
				}
			}
			erased, _, err := store.EmptyDueTrash(t.Context())
			if err != nil || (len(erased) == 0) != c.kept {
				t.Errorf("%s: %q erased (%v)", c.name, erased, err)
			}
			due, err := store.DueFiles(t.Context(), []string{"old"}, -time.Hour)
			if err != nil || (len(due) == 0) != c.kept {
				t.Errorf("%s: %q due (%v)", c.name, due, err)
			}
			before, err := store.Changes(t.Context(), 0, 1)
			if err == nil {
				_, err = store.RemoveChanges(t.Context(), before[0].VisibleAt+1, 1)
			}
			after, err2 := store.Changes(t.Context(), 0, 1)
			if err = errors.Join(err, err2); err != nil || (after[0].Sequence == before[0].Sequence) != c.kept {
				t.Errorf("%s: the log's first is %d, was %d (%v)", c.name, after[0].Sequence, before[0].Sequence, err)
			}
		}
	})

	t.Run("only customers and relations are kept, and only in a transaction that says so and comes to its end", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		fullOffice().insert(t, store)
		failure := errors.New("no")
		err := store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
			tx.KeepDeleted(backoffice.Keeping{Period: time.Hour})
			if _, err := tx.Customers().Delete(ctx, "customer-1"); err != nil {
				return err
			}
			return failure
		})
		if !errors.Is(err, failure) {
			t.Fatal(err)
		}
		fullOffice().check(t, store)
		write(t, store, func(ctx context.Context, tx backoffice.Tx) error {
			tx.KeepDeleted(backoffice.Keeping{Period: time.Hour})
			if _, err := tx.Documents().Delete(ctx, "document-1"); err != nil {
				return err
			}
			_, err := tx.Relations().Delete(ctx, "relation-1", "unknown")
			return err
		})
		if kept := trashed(t, store); len(kept) != 1 || kept[0].ID != "relation-1" || kept[0].Noun != backoffice.NounRelation || kept[0].Rows() != 1 {
			t.Errorf("%d are kept", len(kept))
		}
		remove(t, store, func(tx backoffice.Tx) backoffice.Writer[*backoffice.Customer, backoffice.CustomerCriteria] {
			return tx.Customers()
		}, "customer-1")
		if n := len(trashed(t, store)); n != 0 {
			t.Errorf("%d are kept", n)
		}
	})

	t.Run("with who is erased go their relations in other entries, and who was merged into them", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		fullOffice().insert(t, store)
		again := *fullOffice().customers[1]
		write(t, store, func(ctx context.Context, tx backoffice.Tx) error {
			director, merged := *fullOffice().relations[0], backoffice.Customer{ID: "customer-3", Type: backoffice.PrivatePerson}
			director.ID, director.Kind = "relation-2", backoffice.Director
			how := backoffice.Keeping{Period: time.Hour}
			tx.KeepDeleted(how)
			err := inOrder(
				func() error { return tx.Relations().Insert(ctx, &director) },
				func() error { return tx.Customers().Insert(ctx, &merged) },
				func() error { _, err := tx.Relations().Delete(ctx, "relation-1"); return err },
				func() error { _, err := tx.Customers().Delete(ctx, "customer-1"); return err })
			if err != nil {
				return err
			}
			how.MergedInto = "customer-2"
			tx.KeepDeleted(how)
			_, err = tx.Customers().Delete(ctx, "customer-3")
			return err
		})
		empty := func(want ...string) (kept []*backoffice.Trashed) {
			t.Helper()
			if erased, _, err := store.EmptyTrash(t.Context(), "customer-2"); err != nil || len(erased) != 1 {
				t.Errorf("%v were erased (%v)", erased, err)
			}
			kept = trashed(t, store)
			if left := backoffice.Map(kept, func(d *backoffice.Trashed) string { return d.ID }); !cmp.Equal(want, left, anyOrder) {
				t.Errorf("left are %v", left)
			}
			return kept
		}
		discard(t, store, time.Hour, "customer-2")
		write(t, store, func(ctx context.Context, tx backoffice.Tx) error { return tx.Customers().Insert(ctx, &again) })
		empty("customer-1", "customer-3", "relation-1") // it is there again
		discard(t, store, time.Hour, "customer-2")
		kept := empty("customer-1")
		if len(backoffice.RelationTable.In(kept[0])) > 0 || len(backoffice.TranscriptTable.In(kept[0])) != 1 || kept[0].Until.Time().Before(time.Now().Add(50*time.Minute)) {
			t.Errorf("of the other is kept %+v", kept[0])
		}
		if known, err := store.KnownFiles(t.Context(), kept[0].FileKeys()); err != nil || len(known) != 4 {
			t.Errorf("of its files %v are known (%v)", known, err)
		}
	})

	t.Run("with a customer that is deleted and not kept goes who was merged into it", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		fullOffice().insert(t, store)
		write(t, store, func(ctx context.Context, tx backoffice.Tx) error {
			tx.KeepDeleted(backoffice.Keeping{Period: time.Hour, MergedInto: "customer-1"})
			_, err := tx.Customers().Delete(ctx, "customer-2")
			return err
		})
		discard(t, store, time.Hour, "customer-1")
		for _, want := range []int{2, 0} { // first there is nothing to delete
			remove(t, store, func(tx backoffice.Tx) backoffice.Writer[*backoffice.Customer, backoffice.CustomerCriteria] {
				return tx.Customers()
			}, "customer-1")
			if kept := trashed(t, store); len(kept) != want {
				t.Errorf("%d are in the trash, want %d", len(kept), want)
			} else if want > 0 {
				bringBack(t, store, "customer-1")
			}
		}
	})

	t.Run("what is deleted again takes the place of what was kept under its identifier", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		fullOffice().insert(t, store)
		discard(t, store, time.Hour, "customer-1")
		again := *fullOffice().customers[0]
		again.DisplayName, again.OwnName = "Again", "Again"
		write(t, store, func(ctx context.Context, tx backoffice.Tx) error { return tx.Customers().Insert(ctx, &again) })
		discard(t, store, time.Hour, "customer-1")
		kept := trashed(t, store)
		if len(kept) != 1 || kept[0].Name() != "Again" || kept[0].Rows() != 1 {
			t.Fatalf("%d are kept", len(kept))
		}
		if forgotten, err := store.ForgottenFiles(t.Context(), 100); err != nil || !cmp.Equal(forgotten, fullOffice().keysOf("customer-1"), anyOrder) {
			t.Errorf("%v are to be removed (%v)", forgotten, err)
		}
		kept[0].Until = 7
		write(t, store, func(ctx context.Context, tx backoffice.Tx) error { return tx.PutTrashed(ctx, kept[0]) })
		if diff := cmp.Diff(kept, trashed(t, store)); diff != "" {
			t.Error(diff)
		}
		write(t, store, func(ctx context.Context, tx backoffice.Tx) error {
			taken, err := tx.TakeTrashed(ctx, "unknown", "customer-1", "customer-1")
			if diff := cmp.Diff(kept, taken); diff != "" {
				t.Error(diff)
			}
			return err
		})
	})
}
