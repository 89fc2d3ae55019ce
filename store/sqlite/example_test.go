package sqlite_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/sqlite"
)

// A store is opened by the package of its engine. What is written together is written in one transaction, and what is
// read together is queued on a batch: it is sent in one trip where the engine can, and all of it is of one snapshot.
func Example() {
	folder, err := os.MkdirTemp("", "store")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	ctx := context.Background()
	store, err := sqlite.Open(ctx, "sqlite:"+filepath.Join(folder, "backoffice.db"), sqlite.Options{})
	if err != nil {
		panic(err)
	}
	defer func() { _ = store.Close() }()

	err = store.Write(ctx, func(ctx context.Context, tx backoffice.Tx) error {
		return tx.Labels().Insert(ctx,
			&backoffice.Label{ID: "audit", Name: "Audit", CreatedAt: 1},
			&backoffice.Label{ID: "tax", Name: "Tax", CreatedAt: 1})
	})
	fmt.Println("written:", err == nil)

	var (
		batch backoffice.Batch
		first [1]backoffice.Page[*backoffice.Label]
		total [1]int
	)
	list := backoffice.ListQuery[backoffice.LabelCriteria]{Order: backoffice.ByID, Window: backoffice.Window{Limit: 1}}
	store.Labels().Lists(&batch, list, nil, 0, first[:])
	store.Labels().Counts(&batch, backoffice.Root, backoffice.LabelCriteria{}, nil, total[:])
	if err := store.Send(ctx, &batch); err != nil {
		panic(err)
	}
	fmt.Println(first[0].Items[0].Name, "of", total[0], "- more:", first[0].More)

	// A unique value that another row has is refused with what a caller can fix.
	err = store.Write(ctx, func(ctx context.Context, tx backoffice.Tx) error {
		return tx.Labels().Insert(ctx, &backoffice.Label{ID: "another", Name: "Tax", CreatedAt: 1})
	})
	fmt.Println(backoffice.KindOf(err) == backoffice.Refused)
	// Output:
	// written: true
	// Audit of 2 - more: true
	// true
}
