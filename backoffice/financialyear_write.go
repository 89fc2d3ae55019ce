package backoffice

import "context"

// StartYear archives the current financial year and makes a new one current, in one transaction: a year of four digits,
// later than the current one, with endDate the same as startDate. It is the operator's, so it asks for no scope. Refused
// with INVALID, NOT_ALLOWED (not later) and TAKEN (there is a year of that name), all of startDate.
func (o *Office) StartYear(ctx context.Context, year string) (*FinancialYear, error) {
	started := &FinancialYear{ID: NewID(), StartDate: year, EndDate: year, IsCurrentYear: true}
	if _, err := ParseYear(year); err != nil {
		return nil, Refuse(&UserError{Code: CodeInvalid, Message: err.Error(), Field: []string{"startDate"}})
	}
	err := o.write(ctx, func(ctx context.Context, tx Tx) (bool, error) {
		now := InstantOf(o.now())
		current, running, err := first(ctx, tx.FinancialYears(), FinancialYearCriteria{Current: true})
		if err != nil {
			return false, err
		}
		if err := checkStart(ctx, tx, year, current); err != nil {
			return false, err
		}
		if running {
			current.IsCurrentYear, current.ArchivedAt = false, now
			if err := tx.FinancialYears().Update(ctx, current); err != nil {
				return false, err
			}
			if err := tx.LogChanges(ctx, &Change{At: now, Action: "years start", Noun: NounFinancialYear, ObjectID: current.ID, Fields: []string{"archivedAt", "isCurrentYear"}}); err != nil {
				return false, err
			}
		}
		if err := tx.FinancialYears().Insert(ctx, started); err != nil {
			return false, err
		}
		return false, tx.LogChanges(ctx, &Change{At: now, Action: "years start", Noun: NounFinancialYear, ObjectID: started.ID, Fields: []string{"endDate", "isCurrentYear", "startDate"}})
	})
	if err != nil {
		return nil, err
	}
	return started, nil
}

// checkStart: the current year is nil in an office that has none.
func checkStart(ctx context.Context, tx Tx, year string, current *FinancialYear) error {
	if current != nil && year <= current.StartDate {
		return Refuse(&UserError{Code: CodeNotAllowed, Message: "the new year is later than the current one", Field: []string{"startDate"}})
	}
	ask := Ask[FinancialYearCriteria]{Window: Window{Limit: MaxPageSize}}
	for {
		pages, err := tx.FinancialYears().Pages(ctx, ask, []string{NoParent}, 0)
		if err != nil {
			return err
		}
		page := pages[NoParent]
		for _, one := range page.Items {
			if one.StartDate == year {
				return Refuse(&UserError{Code: CodeTaken, Message: "there is such a financial year", Field: []string{"startDate"}})
			}
			ask.Window.After, ask.Window.HasAfter = one.Position(KeyID), true
		}
		if !page.More {
			return nil
		}
	}
}
