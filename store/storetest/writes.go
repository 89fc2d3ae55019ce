package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
)

// attempt runs do in a transaction and returns the error.
func attempt(t testing.TB, store backoffice.Store, do func(ctx context.Context, tx backoffice.Tx) error) error {
	t.Helper()
	return store.Write(t.Context(), do)
}

func testWrites(t *testing.T, newStore func(t testing.TB) backoffice.Store) {
	t.Run("a transaction sees its own writes, and nothing of one that fails is kept", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		stop := errors.New("stop")
		err := attempt(t, store, func(ctx context.Context, tx backoffice.Tx) error {
			if err := tx.Labels().Insert(ctx, fullOffice().labels...); err != nil {
				return err
			}
			if readOne(t, tx.Labels(), "label-1").Name != "Audit" {
				t.Error("a transaction does not see what it wrote")
			}
			if none, err := backoffice.ReadByID(ctx, store.Labels(), []string{"label-1"}, 0); err != nil || len(none) != 0 {
				t.Errorf("others see what was not committed: %v %v", none, err)
			}
			return stop
		})
		if !errors.Is(err, stop) {
			t.Errorf("got %v", err)
		}
		if counts, err := backoffice.ReadCounts(t.Context(), store.Labels(), backoffice.Root, backoffice.LabelCriteria{}, nil); err != nil || counts[""] != 0 {
			t.Errorf("%v %v", counts, err)
		}
	})

	t.Run("a panic in a transaction leaves nothing, and the store works on", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		func() {
			defer func() { _ = recover() }()
			_ = attempt(t, store, func(ctx context.Context, tx backoffice.Tx) error {
				if err := tx.Labels().Insert(ctx, fullOffice().labels...); err != nil {
					return err
				}
				panic("on purpose")
			})
		}()
		fullOffice().insert(t, store)
	})

	t.Run("a transaction that was refused something can't be committed any more", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		fullOffice().insert(t, store)
		err := attempt(t, store, func(ctx context.Context, tx backoffice.Tx) error {
			if err := tx.Labels().Insert(ctx, &backoffice.Label{ID: "new", Name: "New", CreatedAt: 1}); err != nil {
				return err
			}
			_ = tx.Labels().Insert(ctx, &backoffice.Label{ID: "other", Name: "Audit", CreatedAt: 1}) // the name is taken
			if _, err := backoffice.ReadByID(ctx, tx.Labels(), []string{"new"}, 0); err == nil {
				t.Error("a refused transaction still answers")
			}
			return nil
		})
		refused(t, err, backoffice.CodeTaken, "name")
		if rows, err := backoffice.ReadByID(t.Context(), store.Labels(), []string{"new", "other"}, 0); err != nil || len(rows) != 0 {
			t.Errorf("%v %v", rows, err)
		}
	})

	t.Run("values that are unique are refused when they are taken", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		fullOffice().insert(t, store)
		customer := func(id, code string) *backoffice.Customer {
			return &backoffice.Customer{ID: id, Type: backoffice.Company, DisplayName: id, CustomerCode: backoffice.Text(code), Version: 1}
		}
		for name, one := range map[string]struct {
			field string
			write func(ctx context.Context, tx backoffice.Tx) error
		}{
			"a label's name": {"name", func(ctx context.Context, tx backoffice.Tx) error {
				return tx.Labels().Insert(ctx, &backoffice.Label{ID: "n", Name: "Audit"})
			}},
			"a label's new name": {"name", func(ctx context.Context, tx backoffice.Tx) error {
				return tx.Labels().Update(ctx, &backoffice.Label{ID: "label-2", Name: "Audit"})
			}},
			"a customer's code": {"customerCode", func(ctx context.Context, tx backoffice.Tx) error {
				return tx.Customers().Insert(ctx, customer("n", "C-1"))
			}},
			"an imported code": {"customerCode", func(ctx context.Context, tx backoffice.Tx) error {
				return tx.Customers().Upsert(ctx, []*backoffice.Customer{customer("n", "C-1")})
			}},
			"the same relation": {"relatedCustomerId", func(ctx context.Context, tx backoffice.Tx) error {
				r := *fullOffice().relations[0]
				r.ID = "n"
				return tx.Relations().Insert(ctx, &r)
			}},
			"a second calculation": {"transcriptId", func(ctx context.Context, tx backoffice.Tx) error {
				n := *fullOffice().calculations[0]
				n.ID = "n"
				return tx.Calculations().Insert(ctx, &n)
			}},
			"a second current year": {"isCurrentYear", func(ctx context.Context, tx backoffice.Tx) error {
				return tx.FinancialYears().Insert(ctx, &backoffice.FinancialYear{ID: "n", StartDate: "2030", EndDate: "2030", IsCurrentYear: true})
			}},
			"the same identifier": {"id", func(ctx context.Context, tx backoffice.Tx) error {
				return tx.Customers().Insert(ctx, customer("customer-1", "other"))
			}},
			"another noun's identifier": {"id", func(ctx context.Context, tx backoffice.Tx) error {
				return tx.Customers().Insert(ctx, customer("label-1", "other"))
			}},
			"another noun's identifier, imported": {"id", func(ctx context.Context, tx backoffice.Tx) error {
				return tx.Customers().Upsert(ctx, []*backoffice.Customer{customer("label-1", "other")})
			}},
			"an identifier twice": {"id", func(ctx context.Context, tx backoffice.Tx) error {
				return tx.Customers().Insert(ctx, customer("n", "a"), customer("n", "b"))
			}},
		} {
			t.Run(name, func(t *testing.T) { refused(t, attempt(t, store, one.write), backoffice.CodeTaken, one.field) })
		}
		// Absent codes are no value, so any number of customers have none.
		write(t, store, func(ctx context.Context, tx backoffice.Tx) error {
			return tx.Customers().Insert(ctx, customer("without-1", ""), customer("without-2", ""))
		})
	})

	t.Run("what refers to nothing is refused, with the field that does", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		fullOffice().insert(t, store)
		for name, one := range map[string]struct {
			field string
			write func(ctx context.Context, tx backoffice.Tx) error
		}{
			"a checklist's year": {"financialYearId", func(ctx context.Context, tx backoffice.Tx) error {
				return tx.Checklists().Insert(ctx, &backoffice.Checklist{ID: "n", Name: "n", Language: "dutch", FinancialYearID: "none"})
			}},
			"a customer's user": {"responsibleId", func(ctx context.Context, tx backoffice.Tx) error {
				c := *fullOffice().customers[1]
				c.Version, c.ResponsibleID = 2, "none"
				return tx.Customers().Update(ctx, &c)
			}},
			"a relation's customer": {"customerId", func(ctx context.Context, tx backoffice.Tx) error {
				return tx.Relations().Insert(ctx, &backoffice.CustomerRelation{ID: "n", Kind: backoffice.UBO, CustomerID: "none", RelatedCustomerID: "customer-1"})
			}},
			"a relation's other end": {"relatedCustomerId", func(ctx context.Context, tx backoffice.Tx) error {
				return tx.Relations().Insert(ctx, &backoffice.CustomerRelation{ID: "n", Kind: backoffice.UBO, CustomerID: "customer-1", RelatedCustomerID: "none"})
			}},
			"a transcript's customer": {"customerId", func(ctx context.Context, tx backoffice.Tx) error {
				r := *fullOffice().transcripts[0]
				r.ID, r.CustomerID = "n", "none"
				return tx.Transcripts().Insert(ctx, &r)
			}},
			"a transcript's list": {"checklistId", func(ctx context.Context, tx backoffice.Tx) error {
				r := *fullOffice().transcripts[0]
				r.ChecklistID = "none"
				return tx.Transcripts().Upsert(ctx, []*backoffice.Transcript{&r})
			}},
			"a calculation's transcript": {"transcriptId", func(ctx context.Context, tx backoffice.Tx) error {
				n := *fullOffice().calculations[0]
				n.ID, n.TranscriptID = "n", "none"
				return tx.Calculations().Insert(ctx, &n)
			}},
			"a document's customer": {"customerId", func(ctx context.Context, tx backoffice.Tx) error {
				d := *fullOffice().documents[0]
				d.ID, d.CustomerID = "n", "none"
				return tx.Documents().Insert(ctx, &d)
			}},
			"a minfin document's year": {"financialYearId", func(ctx context.Context, tx backoffice.Tx) error {
				d := *fullOffice().minfin[0]
				d.ID, d.FinancialYearID = "n", "none"
				return tx.MinfinDocuments().Insert(ctx, &d)
			}},
			"a user's label": {"labelIds", func(ctx context.Context, tx backoffice.Tx) error {
				u := *fullOffice().users[0]
				u.Version, u.LabelIDs = 2, []string{"label-1", "none"}
				return tx.Users().Update(ctx, &u)
			}},
		} {
			t.Run(name, func(t *testing.T) { refused(t, attempt(t, store, one.write), backoffice.CodeNotFound, one.field) })
		}
	})

	t.Run("updates need a row that is there, one version older", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		fullOffice().insert(t, store)
		update := func(id string, version int) error {
			return attempt(t, store, func(ctx context.Context, tx backoffice.Tx) error {
				return tx.Customers().Update(ctx, &backoffice.Customer{ID: id, Type: backoffice.Company, DisplayName: "x", Version: version})
			})
		}
		refused(t, update("unknown", 2), backoffice.CodeNotFound)
		refused(t, update("customer-1", 1), backoffice.CodeStaleVersion)
		refused(t, update("customer-1", 3), backoffice.CodeStaleVersion)
		if err := update("customer-1", 2); err != nil {
			t.Error(err)
		}
		refused(t, attempt(t, store, func(ctx context.Context, tx backoffice.Tx) error {
			return tx.Labels().Update(ctx, &backoffice.Label{ID: "unknown", Name: "x"})
		}), backoffice.CodeNotFound)
	})

	t.Run("of fifty updates of one customer with the same version exactly one wins", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		fullOffice().insert(t, store)
		var won, stale atomic.Int64
		var all sync.WaitGroup
		for i := range 50 {
			all.Go(func() {
				err := attempt(t, store, func(ctx context.Context, tx backoffice.Tx) error {
					c := readOne(t, tx.Customers(), "customer-1")
					c.Version, c.DisplayName = 2, fmt.Sprint("winner ", i)
					return tx.Customers().Update(ctx, c)
				})
				if err == nil {
					won.Add(1)
				} else if known, _ := errors.AsType[*backoffice.Error](err); known != nil && known.Kind == backoffice.Refused && known.UserErrors[0].Code == backoffice.CodeStaleVersion {
					stale.Add(1)
				} else {
					t.Errorf("%v (%v)", err, errorCause(err))
				}
			})
		}
		all.Wait()
		if won.Load() != 1 || stale.Load() != 49 {
			t.Errorf("%d won and %d were stale", won.Load(), stale.Load())
		}
	})

	t.Run("an upsert writes any number of rows, the last of those with one identifier", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		var labels []*backoffice.Label
		for i := range 1100 {
			labels = append(labels, &backoffice.Label{ID: fmt.Sprintf("l-%04d", i), Name: fmt.Sprint("name ", i)})
		}
		labels = append(labels, &backoffice.Label{ID: "l-0000", Name: "last"})
		for range 2 {
			write(t, store, func(ctx context.Context, tx backoffice.Tx) error { return tx.Labels().Upsert(ctx, labels) })
			total(t, store.Labels(), 1100)
		}
		if first := readOne(t, store.Labels(), "l-0000"); first.Name != "last" {
			t.Errorf("%+v", first)
		}
	})

	t.Run("an upsert replaces the lists of a row, and gives it its version", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		for round, scopes := range [][]string{{"a", "b"}, {"b", "c"}, nil} {
			one := &backoffice.Customer{ID: "c", Type: backoffice.Company, DisplayName: "c", Scopes: scopes, Version: 7 - round}
			write(t, store, func(ctx context.Context, tx backoffice.Tx) error {
				return tx.Customers().Upsert(ctx, []*backoffice.Customer{one})
			})
			if got := readOne(t, store.Customers(), "c"); !slices.Equal(got.Scopes, scopes) || got.Version != 7-round {
				t.Errorf("%+v", got)
			}
			for _, scope := range []string{"a", "b", "c"} {
				want := 0
				if slices.Contains(scopes, scope) {
					want = 1
				}
				listed(t, store.Customers(), backoffice.Root, backoffice.NoParent, backoffice.CustomerCriteria{Scope: scope}, want, backoffice.KeyID)
			}
		}
	})

	t.Run("the mark of the current year passes from one year to another in one write", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		fullOffice().insert(t, store)
		current := func(want string) {
			t.Helper()
			pages, err := backoffice.ReadPages(t.Context(), store.FinancialYears(), backoffice.ListQuery[backoffice.FinancialYearCriteria]{
				Criteria: backoffice.FinancialYearCriteria{Current: true}, Window: backoffice.Window{Limit: 2}}, nil, 0)
			if err != nil || len(pages[""].Items) != 1 || pages[""].Items[0].ID != want {
				t.Errorf("%v %v, want %s", pages[""].Items, err, want)
			}
		}
		years := fullOffice().years
		years[0].IsCurrentYear, years[1].IsCurrentYear = true, false
		write(t, store, func(ctx context.Context, tx backoffice.Tx) error { return tx.FinancialYears().Upsert(ctx, years) })
		current("year-1")
		years[0].IsCurrentYear, years[1].IsCurrentYear = false, true
		write(t, store, func(ctx context.Context, tx backoffice.Tx) error { return tx.FinancialYears().Update(ctx, years...) })
		current("year-2")
	})

	t.Run("a checklist stays in the year that is held until the transaction ends", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		fullOffice().insert(t, store)
		held, locked, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
		go func() {
			<-held
			done <- attempt(t, store, func(ctx context.Context, tx backoffice.Tx) error {
				defer close(locked)
				return tx.Checklists().Lock(ctx, "checklist-1")
			})
		}()
		err := attempt(t, store, func(ctx context.Context, tx backoffice.Tx) error {
			year, err := tx.LockYearOf(ctx, "checklist-1")
			if err == nil && year == nil {
				t.Error("it has no year")
			}
			close(held)
			select {
			case <-locked:
				t.Error("somebody else locked it")
			case <-time.After(200 * time.Millisecond):
			}
			return err
		})
		if err := errors.Join(err, <-done); err != nil {
			t.Error(err)
		}
	})

	t.Run("nouns are told by identifier, in one statement", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		fullOffice().insert(t, store)
		want := map[string]backoffice.Noun{
			"label-1": backoffice.NounLabel, "user-1": backoffice.NounUser, "year-1": backoffice.NounFinancialYear, "checklist-1": backoffice.NounChecklist,
			"customer-1": backoffice.NounCustomer, "relation-1": backoffice.NounRelation, "transcript-1": backoffice.NounTranscript,
			"calculation-1": backoffice.NounCalculation, "document-1": backoffice.NounDocument, "minfin-1": backoffice.NounMinfin,
			"discrepancy-1": backoffice.NounDiscrepancy,
		}
		asked := []string{"unknown", "", "label-1", "\x00", "has blank"}
		for id := range want {
			asked = append(asked, id)
		}
		ctx, calls := backoffice.WithStatementCount(t.Context())
		got, err := backoffice.ReadNouns(ctx, store, asked)
		if err != nil || calls.Count() != 1 || len(got) != len(want) {
			t.Errorf("%v %v after %d statements", got, err, calls.Count())
		}
		for id, noun := range want {
			if got[id] != noun {
				t.Errorf("%s is a %q, want %q", id, got[id], noun)
			}
		}
	})
}
