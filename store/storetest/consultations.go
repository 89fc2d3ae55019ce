package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.org/backoffice/backoffice"
)

// fullConsultations are entries of one chain, with no field left out in all of them.
func fullConsultations() []*backoffice.Consultation {
	purpose, customer, issuer, subject := "audit 2026", "customer-1", "https://login.example", "an"
	return []*backoffice.Consultation{
		{
			ID: "consultation-1", At: backoffice.InstantAt(1_700_000_000_001), ClientID: "client-1", ClientName: "Portal", Purpose: &purpose, Operation: backoffice.ConsultedByRead,
			CustomerID: &customer, Fields: backoffice.AllPrivacyFields, Chain: 1, Number: 1, MAC: []byte("mac\x00one"),
		},
		{
			ID: "consultation-2", At: backoffice.InstantAt(1_700_000_000_002), ClientID: "person-1", ClientName: "An", Issuer: &issuer, Subject: &subject, Operation: backoffice.ConsultedBySearch,
			Fields: backoffice.AllPrivacyFields[1:], Chain: 1, Number: 2, MAC: []byte("mac two"),
		},
	}
}

// openChain opens a chain whose heads have a MAC that tells what they are.
func openChain(t testing.TB, store backoffice.Store) (head backoffice.ConsultationHead) {
	t.Helper()
	err := store.OpenConsultationChain(t.Context(), func(chain int64) (backoffice.ConsultationHead, backoffice.ConsultationHead) {
		head = backoffice.ConsultationHead{Chain: chain, MAC: fmt.Appendf(nil, "head of %d", chain)}
		return head, backoffice.ConsultationHead{Chain: 0, Count: chain, MAC: fmt.Appendf(nil, "register of %d", chain)}
	})
	if err != nil {
		t.Fatalf("opening a chain: %v (%v)", err, errorCause(err))
	}
	return head
}

func heads(t testing.TB, store backoffice.Store, from int64, limit int) []backoffice.ConsultationHead {
	t.Helper()
	all, err := store.ConsultationHeads(t.Context(), from, limit)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func testConsultations(t *testing.T, newStore func(t testing.TB) backoffice.Store) {
	t.Run("chains are numbered from one, and the register's head counts them", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		if none := heads(t, store, 0, 10); len(none) != 0 {
			t.Errorf("a new register has heads: %v", none)
		}
		first, second := openChain(t, store), openChain(t, store)
		want := []backoffice.ConsultationHead{{Count: 2, MAC: []byte("register of 2")}, first, second}
		if diff := cmp.Diff(want, heads(t, store, 0, 10)); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(want[2:], heads(t, store, 2, 1)); diff != "" {
			t.Error(diff)
		}
	})

	t.Run("chains that are opened at the same time get different numbers", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() { openChain(t, store) })
		}
		all.Wait()
		if got := heads(t, store, 0, 100); len(got) != 21 || got[0].Count != 20 || got[20].Chain != 20 {
			t.Errorf("20 openings left %d heads", len(got))
		}
	})

	t.Run("a chain number that is stored already is an error", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		openChain(t, store)
		err := store.OpenConsultationChain(t.Context(), func(int64) (backoffice.ConsultationHead, backoffice.ConsultationHead) {
			return backoffice.ConsultationHead{Chain: 1, MAC: []byte("again")}, backoffice.ConsultationHead{Count: 2, MAC: []byte("x")}
		})
		if backoffice.KindOf(err) != backoffice.Internal || err == nil {
			t.Errorf("got %v", err)
		}
		if got := heads(t, store, 0, 10); len(got) != 2 || got[0].Count != 1 {
			t.Errorf("something was written: %v", got)
		}
	})

	t.Run("entries are read as they were appended, whole and in order", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		from := openChain(t, store)
		entries := fullConsultations()
		to := backoffice.ConsultationHead{Chain: 1, Count: 2, Last: entries[1].MAC, MAC: []byte("moved")}
		if err := store.AppendConsultations(t.Context(), from, to, entries); err != nil {
			t.Fatalf("%v (%v)", err, errorCause(err))
		}
		for after, want := range map[backoffice.ConsultationPosition][]*backoffice.Consultation{
			{}: entries, {Chain: 1, Number: 1}: entries[1:], {Chain: 1, Number: 2}: nil, {Chain: 0, Number: 99}: entries, {Chain: 2}: nil,
		} {
			got, err := store.ListConsultations(t.Context(), after, 10)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("after %v:\n%s", after, diff)
			}
		}
		if diff := cmp.Diff([]backoffice.ConsultationHead{to}, heads(t, store, 1, 9)); diff != "" {
			t.Error(diff)
		}
		if got := readOne(t, store.Consultations(), "consultation-1"); cmp.Diff(entries[0], got) != "" {
			t.Error(cmp.Diff(entries[0], got))
		}
		newest := backoffice.ListQuery[backoffice.ConsultationCriteria]{Parent: backoffice.OfCustomer, Order: backoffice.NewestFirst, Window: backoffice.Window{Limit: 5}}
		pages, err := backoffice.ReadPages(t.Context(), store.Consultations(), newest, []string{"customer-1", "customer-2"}, 0)
		if err != nil || len(pages["customer-1"].Items) != 1 || len(pages["customer-2"].Items) != 0 {
			t.Errorf("%v %v", pages, err)
		}
	})

	t.Run("nothing is appended to a chain that is not as its writer left it", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		from := openChain(t, store)
		entries := fullConsultations()
		to := backoffice.ConsultationHead{Chain: 1, Count: 2, Last: entries[1].MAC, MAC: []byte("moved")}
		for name, wrong := range map[string]backoffice.ConsultationHead{
			"another count": {Chain: 1, Count: 1, MAC: from.MAC}, "another MAC": {Chain: 1, MAC: []byte("other")}, "another chain": {Chain: 7, MAC: from.MAC},
		} {
			if err := store.AppendConsultations(t.Context(), wrong, to, entries); backoffice.KindOf(err) != backoffice.Internal || !errors.Is(err, backoffice.ErrRegisterChanged) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if got, _ := store.ListConsultations(t.Context(), backoffice.ConsultationPosition{}, 10); len(got) != 0 {
			t.Error("entries were written")
		}
		if got := heads(t, store, 1, 1); cmp.Diff(from, got[0]) != "" {
			t.Error("the head was moved")
		}
	})

	t.Run("of two writers with one chain only the first appends", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		from := openChain(t, store)
		var all sync.WaitGroup
		results := make([]error, 8)
		for i := range results {
			entry := &backoffice.Consultation{
				ID: fmt.Sprint("consultation-", i), At: 1, ClientID: "c", ClientName: "n", Operation: backoffice.ConsultedByRead,
				Fields: backoffice.AllPrivacyFields, Chain: 1, Number: 1, MAC: fmt.Appendf(nil, "mac %d", i),
			}
			to := backoffice.ConsultationHead{Chain: 1, Count: 1, Last: entry.MAC, MAC: entry.MAC}
			all.Go(func() {
				results[i] = store.AppendConsultations(context.WithoutCancel(t.Context()), from, to, []*backoffice.Consultation{entry})
			})
		}
		all.Wait()
		won := 0
		for _, err := range results {
			if err == nil {
				won++
			}
		}
		if won != 1 {
			t.Errorf("%d writers appended", won)
		}
	})

	t.Run("entries outlive the customer that they name", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		fullOffice().insert(t, store)
		from, entries := openChain(t, store), fullConsultations()
		to := backoffice.ConsultationHead{Chain: 1, Count: 2, Last: entries[1].MAC, MAC: []byte("moved")}
		if err := store.AppendConsultations(t.Context(), from, to, entries); err != nil {
			t.Fatal(err)
		}
		write(t, store, func(ctx context.Context, tx backoffice.Tx) error {
			_, err := tx.Customers().Delete(ctx, "customer-1")
			return err
		})
		if got, err := store.ListConsultations(t.Context(), backoffice.ConsultationPosition{}, 10); err != nil || len(got) != 2 {
			t.Errorf("%d entries are left (%v)", len(got), err)
		}
	})
}
