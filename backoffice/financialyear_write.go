package backoffice

import (
	"context"
	"strconv"
)

// YearStart is what the operator wants of a new financial year.
type YearStart struct {
	Year           string // four digits
	Skip           bool   // it need not be the year after the current one
	WithChecklists bool   // the checklists of the current year come over: new ones of the same name, language and settings
}

// YearStarted is what became of it.
type YearStarted struct {
	Year       *FinancialYear
	Checklists []*Checklist // those that came over
}

// StartYear archives the current financial year and makes a new one current, in one transaction: the year after the current one,
// or with Skip any later one, with endDate the same as startDate. An office without a current year starts with any.
// It is the operator's, so it asks for no scope. Refused with INVALID, NOT_ALLOWED (not later, not the next) and TAKEN
// (there is a year of that name), all of startDate.
func (s *Service) StartYear(ctx context.Context, start YearStart) (*YearStarted, error) {
	year := start.Year
	started := &FinancialYear{ID: NewID(), StartDate: year, EndDate: year, IsCurrentYear: true}
	if _, err := ParseYear(year); err != nil {
		return nil, Refuse(&UserError{Code: CodeInvalid, Message: err.Error(), Field: []string{"startDate"}})
	}
	var lists []*Checklist
	err := s.write(ctx, func(ctx context.Context, tx Tx) (bool, error) {
		now := InstantOf(s.now())
		current, running, err := first(ctx, tx.FinancialYears(), FinancialYearCriteria{Current: true})
		if err != nil {
			return false, err
		}
		if err := checkStart(ctx, tx, start, current); err != nil {
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
		if err := tx.LogChanges(ctx, &Change{At: now, Action: "years start", Noun: NounFinancialYear, ObjectID: started.ID, Fields: []string{"endDate", "isCurrentYear", "startDate"}}); err != nil {
			return false, err
		}
		if lists = nil; running && start.WithChecklists {
			lists, err = bringOver(ctx, tx, current.ID, started.ID, now)
		}
		return false, err
	})
	if err != nil {
		return nil, err
	}
	return &YearStarted{started, lists}, nil
}

// bringOver makes the checklists of one year anew in another.
func bringOver(ctx context.Context, tx Tx, from, to string, now Instant) ([]*Checklist, error) {
	var lists []*Checklist
	ask := ListQuery[ChecklistCriteria]{Under: OfFinancialYear, Window: Window{Limit: MaxPageSize}}
	for {
		pages, err := ReadPages(ctx, tx.Checklists(), ask, []string{from}, 0)
		if err != nil {
			return nil, err
		}
		page := pages[from]
		for _, one := range page.Items {
			ask.Window.After, ask.Window.HasAfter = one.Position(KeyID), true
			list := *one
			list.ID, list.FinancialYearID = NewID(), to
			lists = append(lists, &list)
		}
		if !page.More {
			break
		}
	}
	if err := tx.Checklists().Insert(ctx, lists...); err != nil {
		return nil, err
	}
	for _, list := range lists {
		change := &Change{At: now, Action: "years start", Noun: NounChecklist, ObjectID: list.ID, Fields: []string{"authRequired", "financialYearId", "language", "name", "remindersEnabled"}}
		if err := tx.LogChanges(ctx, change); err != nil {
			return nil, err
		}
	}
	return lists, nil
}

// checkStart: the current year is nil in an office that has none.
func checkStart(ctx context.Context, tx Tx, start YearStart, current *FinancialYear) error {
	year := start.Year
	switch {
	case current == nil:
	case year <= current.StartDate:
		return Refuse(&UserError{Code: CodeNotAllowed, Message: "the new year is later than the current one", Field: []string{"startDate"}})
	case !start.Skip && !isNext(current.StartDate, year):
		return Refuse(&UserError{Code: CodeNotAllowed, Message: "the new year is not the one after the current one", Field: []string{"startDate"}})
	}
	ask := ListQuery[FinancialYearCriteria]{Window: Window{Limit: MaxPageSize}}
	for {
		pages, err := ReadPages(ctx, tx.FinancialYears(), ask, []string{NoParent}, 0)
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

// isNext: both are years.
func isNext(current, year string) bool {
	now, _ := strconv.Atoi(current)
	next, _ := strconv.Atoi(year)
	return next == now+1
}
