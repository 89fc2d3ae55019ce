package storetest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"example.org/backoffice/backoffice"
)

// testUnique is about values that only one record may have.
func testUnique(t *testing.T, newStore func(t testing.TB) backoffice.Store) {
	t.Run("who has a unique value is told for each row that wants it, itself apart", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		fullOffice().insert(t, store)
		o := fullOffice()
		wanted := *o.customers[0]
		wanted.ID = "another"
		got, err := store.Customers().Holders(t.Context(), []*backoffice.Customer{&wanted, o.customers[0], {ID: "none"}})
		if want := map[string][]string{"another": {o.customers[0].ID}}; err != nil || !maps.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%v, %v", got, err)
		}
		relation := *o.relations[0]
		relation.ID = "another"
		if got, err := store.Relations().Holders(t.Context(), []*backoffice.CustomerRelation{&relation}); err != nil || !slices.Equal(got["another"], []string{o.relations[0].ID}) {
			t.Errorf("%v, %v", got, err)
		}
		relation.CustomerID, relation.StartDate = "a\x00b", "2026\x00"
		if got, err := store.Relations().Holders(t.Context(), []*backoffice.CustomerRelation{&relation}); err != nil || len(got) > 0 {
			t.Errorf("%v, %v", got, err)
		}
		relation = *o.relations[0]
		relation.Kind = "shareholder of none"
		if got, err := store.Relations().Holders(t.Context(), []*backoffice.CustomerRelation{&relation}); err != nil || len(got) > 0 {
			t.Errorf("%v, %v", got, err)
		}
		calculation := *o.calculations[0]
		calculation.ID = "another"
		if got, err := store.Calculations().Holders(t.Context(), []*backoffice.Calculation{&calculation}); err != nil || !slices.Equal(got["another"], []string{o.calculations[0].ID}) {
			t.Errorf("%v, %v", got, err)
		}
		document := *o.documents[0]
		document.ID = "another"
		if got, err := store.Documents().Holders(t.Context(), []*backoffice.CustomerDocument{&document}); err != nil || len(got) > 0 {
			t.Errorf("%v, %v", got, err)
		}
	})

	t.Run("a relation is unique on each day", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		fullOffice().insert(t, store)
		relation := func(id string, first, last backoffice.Text) *backoffice.CustomerRelation {
			return &backoffice.CustomerRelation{ID: id, Kind: backoffice.Shareholder, CustomerID: "customer-1", RelatedCustomerID: "customer-2", StartDate: first, EndDate: last, Version: 1}
		}
		insert := func(r *backoffice.CustomerRelation) error {
			return store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error { return tx.Relations().Insert(ctx, r) })
		}
		for _, r := range []*backoffice.CustomerRelation{relation("first", "", "2019-12-31"), relation("second", "2020-01-01", "2020-12-31"), relation("last", "2022-01-01", "")} {
			if err := insert(r); err != nil {
				t.Fatal(err)
			}
		}
		for _, r := range []*backoffice.CustomerRelation{
			relation("x", "", ""), relation("x", "2020-12-31", "2021-06-01"), relation("x", "2021-12-31", "2022-01-01"), relation("x", "", "2010-01-01"), relation("x", "2030-01-01", ""),
		} {
			refused(t, insert(r), backoffice.CodeTaken, "relatedCustomerId")
		}
		refused(t, store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
			r := relation("second", "2020-01-01", "")
			r.Version = 2
			return tx.Relations().Update(ctx, r)
		}), backoffice.CodeTaken, "relatedCustomerId")
		got, err := store.Relations().Holders(t.Context(), []*backoffice.CustomerRelation{relation("all", "", ""), relation("none", "2021-01-01", "2021-12-31"), relation("one", "2020-05-05", "2020-05-05")})
		slices.Sort(got["all"])
		if want := map[string][]string{"all": {"first", "last", "second"}, "one": {"second"}}; err != nil || !maps.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%v, %v", got, err)
		}
		if err := insert(relation("between", "2021-01-01", "2021-12-31")); err != nil {
			t.Error(err)
		}
	})

	t.Run("two writers at once do not make the same relation", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		fullOffice().insert(t, store)
		var made atomic.Int32
		var writers sync.WaitGroup
		for i := range 8 {
			writers.Go(func() {
				r := &backoffice.CustomerRelation{ID: fmt.Sprint("relation-x", i), Kind: backoffice.Shareholder, CustomerID: "customer-1", RelatedCustomerID: "customer-2",
					StartDate: backoffice.Text(fmt.Sprintf("202%d-01-01", i)), Version: 1}
				if store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error { return tx.Relations().Insert(ctx, r) }) == nil {
					made.Add(1)
				}
			})
		}
		if writers.Wait(); made.Load() != 1 {
			t.Errorf("%d were made", made.Load())
		}
	})

	t.Run("rows that are released may pass their unique values on", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		label := func(id, name string) *backoffice.Label { return &backoffice.Label{ID: id, Name: name, CreatedAt: 1} }
		write(t, store, func(ctx context.Context, tx backoffice.Tx) error {
			return tx.Labels().Insert(ctx, label("a", "one"), label("b", "two"))
		})
		err := store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
			return tx.Labels().Upsert(ctx, []*backoffice.Label{label("a", "two"), label("b", "one")})
		})
		refused(t, err, backoffice.CodeTaken, "name")
		write(t, store, func(ctx context.Context, tx backoffice.Tx) error {
			if err := tx.Labels().Release(ctx, []string{"a", "b"}); err != nil {
				return err
			}
			return tx.Labels().Upsert(ctx, []*backoffice.Label{label("a", "two"), label("b", "one")})
		})
		found, err := backoffice.ReadByID(t.Context(), store.Labels(), []string{"a", "b"}, 0)
		if err != nil || found["a"].Name != "two" || found["b"].Name != "one" {
			t.Errorf("%v, %v", found, err)
		}
	})
}
