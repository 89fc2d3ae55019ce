package storetest

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.org/backoffice/backoffice"
)

func remove[T any, C comparable](t testing.TB, store backoffice.Store, of func(backoffice.Tx) backoffice.Writer[*T, C], ids ...string) []string {
	t.Helper()
	var deleted []string
	write(t, store, func(ctx context.Context, tx backoffice.Tx) (err error) {
		deleted, err = of(tx).Delete(ctx, ids...)
		return err
	})
	slices.Sort(deleted)
	return deleted
}

func testCascades(t *testing.T, newStore func(t testing.TB) backoffice.Store) {
	t.Run("with a customer goes all that hangs on it, and its files are named before", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		crowd().insert(t, store)
		o := crowd()
		gone := o.customers[3].ID
		var keys []string
		write(t, store, func(ctx context.Context, tx backoffice.Tx) (err error) {
			if keys, err = tx.FileKeysOf(ctx, gone, "unknown", "\x00"); err != nil {
				return err
			}
			_, err = tx.Customers().Delete(ctx, gone)
			return err
		})
		left := o.without(gone)
		left.check(t, store)
		left.checkTotals(t, store)
		if want := o.keysOf(gone); !cmp.Equal(want, keys, cmpopts.SortSlices(func(a, b string) bool { return a < b })) || len(want) < 4 {
			t.Errorf("files %v, want %v", keys, want)
		}
		known, err := store.KnownFiles(t.Context(), append(keys, "key-"+left.documents[0].ID, "unknown", "\x00"))
		if err != nil || len(known) != 1 || !known["key-"+left.documents[0].ID] {
			t.Errorf("known files: %v %v", known, err)
		}
	})

	t.Run("deleting tells what was there, and passes over the rest", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		fullOffice().insert(t, store)
		customers := func(tx backoffice.Tx) backoffice.Writer[*backoffice.Customer, backoffice.CustomerCriteria] {
			return tx.Customers()
		}
		got := remove(t, store, customers, "customer-2", "unknown", "customer-1", "customer-1", "no\x00id", "label-1")
		if !slices.Equal(got, []string{"customer-1", "customer-2"}) {
			t.Errorf("deleted %v", got)
		}
		if got := remove(t, store, customers); len(got) != 0 {
			t.Errorf("deleted %v", got)
		}
	})

	t.Run("customers lose a user who was responsible, which is a change of theirs", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		fullOffice().insert(t, store)
		remove(t, store, func(tx backoffice.Tx) backoffice.Writer[*backoffice.User, backoffice.UserCriteria] { return tx.Users() }, "user-1")
		want, got := fullOffice().customers[0], readOne(t, store.Customers(), "customer-1")
		want.ResponsibleID, want.Version = "", 2
		if got.UpdatedAt <= want.UpdatedAt {
			t.Error("the customer's last update stayed the same")
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(backoffice.Customer{}, "UpdatedAt")); diff != "" {
			t.Error(diff)
		}
	})

	t.Run("a label that is deleted leaves the users that have it, in their order", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		fullOffice().insert(t, store)
		write(t, store, func(ctx context.Context, tx backoffice.Tx) error {
			if err := tx.Labels().Insert(ctx, &backoffice.Label{ID: "label-0", Name: "third", CreatedAt: 1}); err != nil {
				return err
			}
			u := fullOffice().users[0]
			u.Version, u.LabelIDs = 2, []string{"label-2", "label-0", "label-1"}
			return tx.Users().Update(ctx, u)
		})
		remove(t, store, func(tx backoffice.Tx) backoffice.Writer[*backoffice.Label, backoffice.LabelCriteria] {
			return tx.Labels()
		}, "label-0")
		got := readOne(t, store.Users(), "user-1")
		if !slices.Equal(got.LabelIDs, []string{"label-2", "label-1"}) || got.Version <= 2 {
			t.Errorf("the labels are %v in version %d", got.LabelIDs, got.Version)
		}
	})

	t.Run("a year or checklist that is referred to is not deleted", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		fullOffice().insert(t, store)
		refused(t, attempt(t, store, func(ctx context.Context, tx backoffice.Tx) error {
			_, err := tx.FinancialYears().Delete(ctx, "year-2")
			return err
		}), backoffice.CodeNotAllowed)
		refused(t, attempt(t, store, func(ctx context.Context, tx backoffice.Tx) error {
			_, err := tx.Checklists().Delete(ctx, "checklist-1")
			return err
		}), backoffice.CodeNotAllowed)
		fullOffice().check(t, store)
	})

	t.Run("a transcript follows its calculation, wherever that goes", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		fullOffice().insert(t, store)
		other := *fullOffice().transcripts[0]
		other.ID, other.CustomerID, other.OwnUpdatedAt, other.Document = "transcript-2", "customer-2", backoffice.InstantAt(1_700_000_000_900), nil
		expect := func(id string, status backoffice.TranscriptStatus, at backoffice.Instant) {
			t.Helper()
			if got := readOne(t, store.Transcripts(), id); got.Status != status || got.UpdatedAt != at {
				t.Errorf("%s is %s at %d, want %s at %d", id, got.Status, got.UpdatedAt, status, at)
			}
		}
		proposals := func(customer string, want int) {
			t.Helper()
			listed(t, store.Calculations(), backoffice.OfCustomer, customer, backoffice.CalculationCriteria{HasProposal: backoffice.Yes}, want, backoffice.KeyUpdatedAt)
		}
		expect("transcript-1", backoffice.CalculationDone, backoffice.InstantAt(1_700_000_000_007))

		write(t, store, func(ctx context.Context, tx backoffice.Tx) error { return tx.Transcripts().Insert(ctx, &other) })
		expect("transcript-2", backoffice.Sent, backoffice.InstantAt(1_700_000_000_900))
		if other.Status != backoffice.Sent {
			t.Error("the inserted transcript does not have its effective status")
		}

		n := *fullOffice().calculations[0]
		n.State, n.UpdatedAt = backoffice.CalculationState(backoffice.Locked), backoffice.InstantAt(1_700_000_000_050)
		write(t, store, func(ctx context.Context, tx backoffice.Tx) error { return tx.Calculations().Update(ctx, &n) })
		expect("transcript-1", backoffice.Locked, backoffice.InstantAt(1_700_000_000_050))

		n.TranscriptID = "transcript-2" // the calculation moves, and its customer with it
		write(t, store, func(ctx context.Context, tx backoffice.Tx) error {
			return tx.Calculations().Upsert(ctx, []*backoffice.Calculation{&n})
		})
		left := readOne(t, store.Transcripts(), "transcript-1")
		if left.Status != backoffice.Sent || left.UpdatedAt <= backoffice.InstantAt(1_700_000_000_050) {
			t.Errorf("the transcript that the calculation left is %s at %d", left.Status, left.UpdatedAt)
		}
		expect("transcript-2", backoffice.Locked, backoffice.InstantAt(1_700_000_000_900))
		proposals("customer-1", 0)
		proposals("customer-2", 1)

		moved := other
		moved.CustomerID, moved.OwnUpdatedAt = "customer-1", backoffice.InstantAt(1_700_000_000_010)
		write(t, store, func(ctx context.Context, tx backoffice.Tx) error {
			return tx.Transcripts().Upsert(ctx, []*backoffice.Transcript{&moved})
		})
		expect("transcript-2", backoffice.Locked, backoffice.InstantAt(1_700_000_000_050))
		proposals("customer-1", 1)
		proposals("customer-2", 0)

		moved.OwnUpdatedAt = backoffice.InstantAt(1_700_000_001_000)
		write(t, store, func(ctx context.Context, tx backoffice.Tx) error { return tx.Transcripts().Update(ctx, &moved) })
		expect("transcript-2", backoffice.Locked, backoffice.InstantAt(1_700_000_001_000))

		remove(t, store, func(tx backoffice.Tx) backoffice.Writer[*backoffice.Calculation, backoffice.CalculationCriteria] {
			return tx.Calculations()
		}, "calculation-1")
		left = readOne(t, store.Transcripts(), "transcript-2")
		if left.Status != backoffice.Sent || left.UpdatedAt <= backoffice.InstantAt(1_700_000_001_000) {
			t.Errorf("the transcript whose calculation was deleted is %s at %d", left.Status, left.UpdatedAt)
		}
		again := moved // and it stays so when the transcript is written again
		write(t, store, func(ctx context.Context, tx backoffice.Tx) error {
			return tx.Transcripts().Upsert(ctx, []*backoffice.Transcript{&again})
		})
		expect("transcript-2", backoffice.Sent, left.UpdatedAt)
	})
}

// without is the office after a customer was deleted.
func (o *office) without(customer string) *office {
	left := *o
	left.customers = slices.DeleteFunc(slices.Clone(o.customers), func(c *backoffice.Customer) bool { return c.ID == customer })
	left.relations = slices.DeleteFunc(slices.Clone(o.relations), func(r *backoffice.CustomerRelation) bool {
		return r.CustomerID == customer || r.RelatedCustomerID == customer
	})
	left.transcripts = slices.DeleteFunc(slices.Clone(o.transcripts), func(r *backoffice.Transcript) bool { return r.CustomerID == customer })
	left.calculations = slices.DeleteFunc(slices.Clone(o.calculations), func(n *backoffice.Calculation) bool { return n.CustomerID == customer })
	left.documents = slices.DeleteFunc(slices.Clone(o.documents), func(d *backoffice.CustomerDocument) bool { return d.CustomerID == customer })
	left.minfin = slices.DeleteFunc(slices.Clone(o.minfin), func(d *backoffice.MinfinDocument) bool { return d.CustomerID == customer })
	left.differences = slices.DeleteFunc(slices.Clone(o.differences), func(d *backoffice.Discrepancy) bool { return d.CustomerID == customer })
	return &left
}

// checkTotals counts every list of all.
func (o *office) checkTotals(t *testing.T, store backoffice.Readers) {
	t.Helper()
	total(t, store.Customers(), len(o.customers))
	total(t, store.Relations(), len(o.relations))
	total(t, store.Transcripts(), len(o.transcripts))
	total(t, store.Calculations(), len(o.calculations))
	total(t, store.Documents(), len(o.documents))
	total(t, store.MinfinDocuments(), len(o.minfin))
	total(t, store.Discrepancies(), len(o.differences))
}

func total[T any, C comparable](t *testing.T, reader backoffice.Reader[*T, C], want int) {
	t.Helper()
	var all C
	if counts, err := backoffice.ReadCounts(t.Context(), reader, backoffice.Root, all, nil); err != nil || counts[""] != want {
		t.Errorf("%T: %d rows, want %d (%v)", reader, counts[""], want, err)
	}
}

// keysOf are the keys of a customer's files.
func (o *office) keysOf(customer string) (keys []string) {
	add := func(of string, file *backoffice.File) {
		if of == customer && file != nil {
			keys = append(keys, file.Key)
		}
	}
	for _, r := range o.transcripts {
		add(r.CustomerID, r.Document)
	}
	for _, n := range o.calculations {
		add(n.CustomerID, n.Proposal)
	}
	for _, d := range o.documents {
		add(d.CustomerID, d.File)
	}
	for _, d := range o.minfin {
		add(d.CustomerID, d.File)
	}
	return keys
}
