package backoffice_test

import (
	"context"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"example.org/backoffice/backoffice"
)

func TestNoTranscriptIsMadeInAYearAfterItHasEnded(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, w *world) {
		const clients, years = 20, 3
		ctx := t.Context()
		customer, err := w.CreateCustomer(ctx, w.by, backoffice.CustomerFields{Type: backoffice.Value(backoffice.Company)}, backoffice.Optional[string]{})
		if err != nil {
			t.Fatal(err)
		}
		started, err := w.StartYear(ctx, backoffice.YearStart{Year: "2040", Skip: true})
		if err != nil {
			t.Fatal(err)
		}
		for next := 2041; next < 2041+years; next++ {
			list := &backoffice.Checklist{ID: backoffice.NewID(), Name: "List", FinancialYearID: started.Year.ID}
			if err := w.Store.Write(ctx, func(ctx context.Context, tx backoffice.Tx) error { return tx.Checklists().Insert(ctx, list) }); err != nil {
				t.Fatal(err)
			}
			var all sync.WaitGroup
			var made atomic.Int64
			half := make(chan struct{})
			var once sync.Once
			for range clients {
				all.Go(func() {
					for {
						_, err := w.AssignChecklist(ctx, w.by, backoffice.Assignment{ChecklistID: list.ID, CustomerID: customer.ID}, backoffice.Optional[string]{})
						if err != nil {
							if backoffice.KindOf(err) != backoffice.Refused {
								t.Errorf("assigning: %v", err)
							}
							once.Do(func() { close(half) })
							return
						}
						if made.Add(1) == 2*clients {
							once.Do(func() { close(half) })
						}
					}
				})
			}
			<-half
			if started, err = w.StartYear(ctx, backoffice.YearStart{Year: strconv.Itoa(next)}); err != nil {
				t.Fatal(err)
			}
			all.Wait()
		}
		// The log tells the order in which all of it became visible.
		ended := map[string]bool{}
		for after := int64(0); ; {
			changes, err := w.Store.Changes(ctx, after, 500)
			if err != nil {
				t.Fatal(err)
			}
			if len(changes) == 0 {
				break
			}
			var ids []string
			for _, change := range changes {
				if change.Action == "assignChecklist" {
					ids = append(ids, change.ObjectID)
				}
			}
			made, err := backoffice.ReadByID(ctx, w.Store.Transcripts(), ids, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, change := range changes {
				after = change.Sequence
				switch {
				case change.Action == "years start" && change.Fields[0] == "archivedAt":
					ended[change.ObjectID] = true
				case change.Action == "assignChecklist" && ended[made[change.ObjectID].FinancialYearID]:
					t.Errorf("change %d made a transcript in a year that had ended", change.Sequence)
				}
			}
		}
		if len(ended) < years {
			t.Errorf("%d years ended, want %d", len(ended), years)
		}
	})
}
