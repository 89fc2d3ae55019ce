package backoffice

import (
	"context"
	"slices"
	"strconv"
)

// YearStart is what the operator wants of a new financial year.
type YearStart struct {
	Year           string // four digits
	Skip           bool   // it need not be the year after the current one
	WithChecklists bool   // the checklists of the current year come over: new ones of the same name, language and settings
}

type YearStarted struct {
	Year       *FinancialYear
	Checklists []*Checklist // those that came over
}

// StartYear archives the current financial year and makes a new one current, in one transaction: the year after the
// current one, or with Skip any later one, with endDate the same as startDate. An office without a current year starts
// with any. It is the operator's, so it asks for no scope. Refused with INVALID, NOT_ALLOWED (not later, not the next)
// and TAKEN (there is a year of that name), all of startDate.
func (s *Service) StartYear(ctx context.Context, start YearStart) (*YearStarted, error) {
	year := start.Year
	started := &FinancialYear{ID: NewID(), StartDate: year, EndDate: year, IsCurrentYear: true}
	if _, err := ParseYear(year); err != nil {
		return nil, Refuse(&UserError{Code: CodeInvalid, Message: err.Error(), Field: []string{"startDate"}})
	}
	var lists []*Checklist
	err := s.write(ctx, func(ctx context.Context, tx Tx) (bool, error) {
		now := InstantOf(s.now())
		var changes []*Change
		note := func(noun Noun, id string, fields ...string) {
			changes = append(changes, &Change{At: now, Action: "years start", Noun: noun, ObjectID: id, Fields: fields})
		}
		current, running, err := First(ctx, tx.FinancialYears(), ListQuery[FinancialYearCriteria]{Criteria: FinancialYearCriteria{Current: true}}, NoParent)
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
			note(NounFinancialYear, current.ID, "archivedAt", "isCurrentYear")
		}
		if err := tx.FinancialYears().Insert(ctx, started); err != nil {
			return false, err
		}
		note(NounFinancialYear, started.ID, "endDate", "isCurrentYear", "startDate")
		if lists = nil; running && start.WithChecklists {
			if lists, err = bringOver(ctx, tx, current.ID, started.ID); err != nil {
				return false, err
			}
		}
		for _, list := range lists {
			note(NounChecklist, list.ID, "authRequired", "financialYearId", "language", "name", "remindersEnabled")
		}
		return false, tx.LogChanges(ctx, changes...)
	})
	if err != nil {
		return nil, err
	}
	return &YearStarted{started, lists}, nil
}

// bringOver makes the checklists of one year anew in another.
func bringOver(ctx context.Context, tx Tx, from, to string) (lists []*Checklist, err error) {
	err = EachPage(ctx, tx.Checklists(), ListQuery[ChecklistCriteria]{Under: OfFinancialYear}, from, 0, func(page []*Checklist) error {
		for _, one := range page {
			list := *one
			list.ID, list.FinancialYearID = NewID(), to
			lists = append(lists, &list)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return lists, tx.Checklists().Insert(ctx, lists...)
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
	return EachPage(ctx, tx.FinancialYears(), ListQuery[FinancialYearCriteria]{}, NoParent, 0, func(page []*FinancialYear) error {
		if slices.ContainsFunc(page, func(one *FinancialYear) bool { return one.StartDate == year }) {
			return Refuse(&UserError{Code: CodeTaken, Message: "there is such a financial year", Field: []string{"startDate"}})
		}
		return nil
	})
}

// isNext: both are years.
func isNext(current, year string) bool {
	now, _ := strconv.Atoi(current)
	next, _ := strconv.Atoi(year)
	return next == now+1
}
