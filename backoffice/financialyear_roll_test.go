package backoffice_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"example.org/backoffice/backoffice"
)

// withTranscripts stores so many customers, c0000 and so on, each with a transcript of the current year.
func (w *world) withTranscripts(t *testing.T, customers int) {
	t.Helper()
	w.write(t, func(ctx context.Context, tx backoffice.Tx) error {
		var all []*backoffice.Customer
		var had []*backoffice.Transcript
		for i := range customers {
			id := fmt.Sprintf("c%04d", i)
			all = append(all, &backoffice.Customer{ID: id, Type: backoffice.Company, DisplayName: id, Version: 1})
			had = append(had, &backoffice.Transcript{ID: "t" + id, CustomerID: id, ChecklistID: "list2026", FinancialYearID: "y2026", OwnStatus: backoffice.Sent})
		}
		return errors.Join(tx.Customers().Insert(ctx, all...), tx.Transcripts().Insert(ctx, had...))
	})
}

func TestAnInterruptedRollForwardGoesOnWhereItStopped(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, w *world) {
		const customers = backoffice.MaxAssignedByID + 3
		w.withTranscripts(t, customers)
		w.write(t, func(ctx context.Context, tx backoffice.Tx) error {
			return tx.Transcripts().Insert(ctx, &backoffice.Transcript{ID: "twice", CustomerID: "c0000", ChecklistID: "list2026", FinancialYearID: "y2026", OwnStatus: backoffice.Sent})
		})
		interrupted := errors.New("interrupted")
		assigned, already := 0, 0
		roll := func(s *backoffice.Service, after int) error {
			assigned, already = 0, 0
			_, err := s.RollForward(t.Context(), w.by, backoffice.YearStart{Year: "2027"}, func(r *backoffice.RolledForward) error {
				assigned, already = assigned+len(r.CustomerIDs), already+r.Already
				if after--; after == 0 {
					return interrupted
				}
				return nil
			})
			return err
		}
		for _, step := range []struct {
			name              string
			of                *backoffice.Service
			portions          int // after which it is interrupted
			assigned, already int
		}{
			{"a dry run", w.DryRun(), 0, customers, 0},
			{"an interrupted run", w.Service, 1, backoffice.MaxAssignedByID, 0},
			{"a dry run of the rest", w.DryRun(), 0, 3, backoffice.MaxAssignedByID},
			{"the rest", w.Service, 0, 3, backoffice.MaxAssignedByID},
			{"another run", w.Service, 0, 0, customers},
		} {
			if err := roll(step.of, step.portions); (step.portions > 0) != errors.Is(err, interrupted) || step.portions == 0 && err != nil {
				t.Fatalf("%s: %v", step.name, err)
			}
			if assigned != step.assigned || already != step.already {
				t.Errorf("%s assigns %d, already %d; want %d and %d", step.name, assigned, already, step.assigned, step.already)
			}
		}
	})
}

func TestARollForwardLeavesOutWhoIsDeletedMeanwhile(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, w *world) {
		const customers = backoffice.MaxAssignedByID + 3
		w.withTranscripts(t, customers)
		assigned := map[string]bool{}
		_, err := w.RollForward(t.Context(), w.by, backoffice.YearStart{Year: "2027"}, func(r *backoffice.RolledForward) error {
			for _, id := range r.CustomerIDs {
				assigned[id] = true
			}
			for i := 0; len(assigned) < customers-1; i++ { // after the first portion: one of the second
				if id := fmt.Sprintf("c%04d", i); !assigned[id] {
					_, err := w.DeleteCustomer(t.Context(), w.by, id, nil)
					return err
				}
			}
			return nil
		})
		if err != nil || len(assigned) != customers-1 {
			t.Errorf("assigned to %d: %v", len(assigned), err)
		}
	})
}

func TestChecklistsMatchByNameAndLanguageOrNotAtAll(t *testing.T) {
	t.Parallel()
	w := newWorld(t, openSQLite(t))
	list := func(id, name, language, year string) *backoffice.Checklist {
		return &backoffice.Checklist{ID: id, Name: name, Language: language, FinancialYearID: year}
	}
	w.write(t, func(ctx context.Context, tx backoffice.Tx) error {
		return tx.Checklists().Insert(ctx,
			list("same", "VAT", "dutch", "y2025"), list("same-new", "vat", "dutch", "y2026"),
			list("year", "Tax 2025", "dutch", "y2025"), list("year-new", "Tax 2026", "dutch", "y2026"),
			list("other-language", "Bilan", "dutch", "y2025"), list("other-language-new", "Bilan", "french", "y2026"),
			list("two-later", "Payroll 2025", "dutch", "y2025"), list("one-new", "Payroll 2025", "dutch", "y2026"), list("two-new", "Payroll 2026", "dutch", "y2026"),
			list("two-earlier", "Annual", "dutch", "y2025"), list("two-earlier-too", "Annual", "dutch", "y2025"), list("annual-new", "Annual", "dutch", "y2026"))
	})
	customer := w.company(t, backoffice.CustomerFields{}).ID
	w.write(t, func(ctx context.Context, tx backoffice.Tx) error {
		for _, of := range []string{"same", "year", "other-language", "two-later", "two-earlier", "two-earlier-too"} {
			if err := tx.Transcripts().Insert(ctx, &backoffice.Transcript{ID: "had-" + of, CustomerID: customer, ChecklistID: of, FinancialYearID: "y2025", OwnStatus: backoffice.Sent}); err != nil {
				return err
			}
		}
		return nil
	})
	got := map[string]string{}
	year, err := w.RollForward(t.Context(), w.by, backoffice.YearStart{Year: "2026"}, func(r *backoffice.RolledForward) error {
		got[r.From.ID] = ""
		if r.To != nil && len(r.CustomerIDs) == 1 && r.CustomerIDs[0] == customer {
			got[r.From.ID] = r.To.ID
		}
		return nil
	})
	if err != nil || year.ID != "y2026" {
		t.Fatalf("%v, %v", year, err)
	}
	want := map[string]string{"same": "same-new", "year": "year-new", "list2025": "", "other-language": "", "two-later": "", "two-earlier": "", "two-earlier-too": ""}
	for from, to := range want {
		if got[from] != to {
			t.Errorf("%s rolls into %q, not %q", from, got[from], to)
		}
	}
	if len(got) != len(want) {
		t.Errorf("visited are %v", got)
	}
}

func TestAYearRollsFromTheCurrentOneAlsoIfLaterOnesAreThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, openSQLite(t))
	customer := w.company(t, backoffice.CustomerFields{}).ID
	w.write(t, func(ctx context.Context, tx backoffice.Tx) error {
		if err := tx.FinancialYears().Insert(ctx, &backoffice.FinancialYear{ID: "later", StartDate: "2028", EndDate: "2028"}); err != nil {
			return err
		}
		if err := tx.Checklists().Insert(ctx, &backoffice.Checklist{ID: "vat", Name: "VAT", Language: "dutch", FinancialYearID: "y2026"}); err != nil {
			return err
		}
		return tx.Transcripts().Insert(ctx, &backoffice.Transcript{ID: "had", CustomerID: customer, ChecklistID: "vat", FinancialYearID: "y2026", OwnStatus: backoffice.Sent})
	})
	from := map[string]bool{}
	if _, err := w.RollForward(t.Context(), w.by, backoffice.YearStart{Year: "2027"}, func(r *backoffice.RolledForward) error {
		from[r.From.FinancialYearID] = true
		return nil
	}); err != nil || len(from) != 1 || from["later"] {
		t.Errorf("from %v, %v", from, err)
	}
}
