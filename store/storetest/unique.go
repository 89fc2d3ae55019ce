package storetest

import (
	"context"
	"maps"
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
		if want := map[string]string{"another": o.customers[0].ID}; err != nil || !maps.Equal(got, want) {
			t.Errorf("%v, %v", got, err)
		}
		relation := *o.relations[0]
		relation.ID = "another"
		if got, err := store.Relations().Holders(t.Context(), []*backoffice.CustomerRelation{&relation}); err != nil || got["another"] != o.relations[0].ID {
			t.Errorf("%v, %v", got, err)
		}
		relation.Kind = "shareholder of none"
		if got, err := store.Relations().Holders(t.Context(), []*backoffice.CustomerRelation{&relation}); err != nil || len(got) > 0 {
			t.Errorf("%v, %v", got, err)
		}
		calculation := *o.calculations[0]
		calculation.ID = "another"
		if got, err := store.Calculations().Holders(t.Context(), []*backoffice.Calculation{&calculation}); err != nil || got["another"] != o.calculations[0].ID {
			t.Errorf("%v, %v", got, err)
		}
		document := *o.documents[0]
		document.ID = "another"
		if got, err := store.Documents().Holders(t.Context(), []*backoffice.CustomerDocument{&document}); err != nil || len(got) > 0 {
			t.Errorf("%v, %v", got, err)
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
