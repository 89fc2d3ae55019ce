package backoffice_test

import (
	"context"
	"slices"
	"testing"

	"example.org/backoffice/backoffice"
)

// writes are the transactions of a store.
type writes struct {
	backoffice.Store
	begun int
}

func (w *writes) Write(ctx context.Context, do func(context.Context, backoffice.Tx) error) error {
	w.begun++
	return w.Store.Write(ctx, do)
}

func TestOnlyCompaniesThatDifferFromTheirRecordsAreLookedAtInATransaction(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, w *world) {
		w.twice(t)
		of := &writes{Store: w.Store}
		w.Store = of
		var found, doubtful []*backoffice.Discrepancy
		var looked [][]string
		record := func(want int, looks ...[]string) {
			t.Helper()
			of.begun, looked = 0, nil
			accept(t, w.RecordDiscrepancies(t.Context(), []string{"keep", "drop", "other"},
				func(_ context.Context, _ backoffice.NounReader, companies []string) (now, _ []*backoffice.Discrepancy, _ error) {
					looked = append(looked, companies)
					for _, d := range found {
						if slices.Contains(companies, d.CustomerID) {
							now = append(now, new(*d))
						}
					}
					return now, doubtful, nil
				}))
			if of.begun != want || !slices.EqualFunc(looked, looks, slices.Equal) {
				t.Errorf("%d transactions, after looks at %v", of.begun, looked)
			}
		}
		all := []string{"keep", "drop", "other"}
		record(0, all)
		found = []*backoffice.Discrepancy{{Kind: backoffice.NotDeclared, CustomerID: "other", PersonID: "keep", ComputedPercent: "60"}}
		record(1, all, []string{"other"})
		record(0, all)
		found[0].ComputedPercent = "70"
		record(1, all, []string{"other"})
		found, doubtful = nil, found
		record(0, all)
		doubtful = nil
		record(1, all, []string{"other"})
		record(0, all)
	})
}
