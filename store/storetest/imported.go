package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store"
)

// ending is an engine that ends after some transactions.
type ending struct {
	store.Engine
	left *int
}

func (e ending) Write(ctx context.Context, do func(ctx context.Context, tx store.Sender) error) error {
	if *e.left--; *e.left < 0 {
		return errors.New("ended")
	}
	return e.Engine.Write(ctx, do)
}

func testImports(t *testing.T, newStore func(t testing.TB) backoffice.Store) {
	anyOrder := cmpopts.SortSlices(func(a, b string) bool { return a < b })

	t.Run("of a large import a part is erased at a time, with its files, and nobody takes back the rest", func(t *testing.T) {
		t.Parallel()
		opened := newStore(t)
		of, ok := opened.(through)
		if !ok {
			t.Skip("another store's")
		}
		fullOffice().insert(t, opened)
		writes := 2 // of the trash, and of a part
		ended := of.Through(func(engine store.Engine) store.Engine { return ending{engine, &writes} })
		write(t, opened, func(ctx context.Context, tx backoffice.Tx) error {
			if err := tx.KeepBefore(ctx, 7, 1); err != nil {
				return err
			}
			labels := make([]*backoffice.Label, 10_000)
			for i := range labels {
				id := fmt.Sprintf("e%05d", i) // between the identifiers of the documents
				labels[i] = &backoffice.Label{ID: id, Name: id}
			}
			document, minfin := *fullOffice().documents[0], *fullOffice().minfin[0]
			document.File, minfin.File = nil, nil
			return inOrder(
				func() error { return tx.Labels().Upsert(ctx, labels) },
				func() error { return tx.Documents().Upsert(ctx, []*backoffice.CustomerDocument{&document}) },
				func() error { return tx.MinfinDocuments().Upsert(ctx, []*backoffice.MinfinDocument{&minfin}) })
		})
		keys := []string{fullOffice().documents[0].File.Key, fullOffice().minfin[0].File.Key}
		for want := 1; want <= 2; want++ {
			_, _, err := ended.EmptyDueTrash(t.Context())
			if (err == nil) != (want == 2) {
				t.Errorf("with %d writes: %v", writes, err)
			}
			if forgotten, err := ended.ForgottenFiles(t.Context(), 100); !cmp.Equal(forgotten, keys[:want], anyOrder) {
				t.Errorf("%v are to be removed (%v)", forgotten, err)
			}
			if made, left, err := ended.ImportedRecords(t.Context(), 7, backoffice.NounLabel); err != nil || made != nil {
				t.Errorf("%d and %d can be taken back (%v)", len(made), len(left), err)
			}
			writes = 100
		}
	})

	t.Run("what imports keep is visited a page at a time", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		kept := map[string]int{}
		var rows []*backoffice.Customer
		for i := range 501 {
			id := fmt.Sprint("c-", i)
			kept[id], rows = 2, append(rows, &backoffice.Customer{ID: id, Type: backoffice.Company, DisplayName: "x", Version: 1})
		}
		for number := range int64(3) { // the first makes them
			write(t, store, func(ctx context.Context, tx backoffice.Tx) error {
				if err := tx.KeepBefore(ctx, number+1, 1<<60); err != nil {
					return err
				}
				return tx.Customers().Upsert(ctx, rows)
			})
		}
		ctx, statements := backoffice.WithStatementCount(t.Context())
		err := store.EachImported(ctx, func(was *backoffice.Trashed) error { kept[was.ID]--; return nil })
		if statements.Count() != 2 {
			t.Errorf("1,002 records are read in %d statements", statements.Count())
		}
		for id, left := range kept {
			if left != 0 {
				t.Fatalf("%s is left to visit %d times (%v)", id, left, err)
			}
		}
	})
}
