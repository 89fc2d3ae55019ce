package importexport

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.org/backoffice/backoffice"
)

func TestWhatIsReferredToBesideAnUndoStays(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, h *env) {
		h.mustLoad(t, office(t))
		importer, number := h.undoable()
		importer.add(t, `{"_id":"c","type":"Company"}`, `{"_id":"d","type":"Company"}`)
		user, customer := one(t, h.store.Users(), "user-zoe"), one(t, h.store.Customers(), "company")
		user.LabelIDs, customer.ResponsibleID = []string{"l"}, "u"
		user.Version++
		customer.Version++
		var all []Loaded
		undone := make(chan error, 1)
		must(t, h.store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
			err := errors.Join(tx.Users().Update(ctx, user), tx.Customers().Update(ctx, customer),
				tx.Documents().Insert(ctx, &backoffice.CustomerDocument{ID: "of-c", CustomerID: "c", Name: "N"}))
			go func() {
				var err error
				all, err = importer.Undo(t.Context(), *number)
				undone <- err
			}()
			time.Sleep(500 * time.Millisecond) // it has come to what this writes
			return err
		}))
		must(t, <-undone)
		want := []string{"c: other records refer to it", "l: other records refer to it", "u: other records refer to it"}
		if diff := cmp.Diff(want, left(all)); diff != "" {
			t.Error(diff)
		}
		if one(t, h.store.Documents(), "of-c") == nil || one(t, h.store.Customers(), "d") != nil {
			t.Error("the document is gone, or the other customer is not")
		}
	})
}
