package backoffice

import (
	"context"
	"fmt"
	"strconv"
)

// YearStart has the operator's options for a new financial year.
type YearStart struct {
	Year           string // four digits
	Skip           bool   // it need not be the year after the current one
	WithChecklists bool   // copy the current year's checklists with their name, language and settings
}

type YearStarted struct {
	Year       *FinancialYear
	Checklists []*Checklist // the copies
}

// StartYear archives the current financial year and makes a new one current, in one transaction: the year after the
// current one, or with Skip any later one, as many calendar years long. An office without a current year starts
// with any. Only the operator calls it, so it checks no scope. Refused, all with startDate, with INVALID, NOT_ALLOWED
// (not later, not the next) and TAKEN (the year exists).
func (s *Service) StartYear(ctx context.Context, start YearStart) (*YearStarted, error) {
	year := start.Year
	started := &FinancialYear{ID: NewID(), StartDate: year, EndDate: year, IsCurrentYear: true}
	if _, err := ParseYear(year); err != nil {
		return nil, refused(CodeInvalid, err.Error(), "startDate")
	}
	var lists []*Checklist
	err := s.write(ctx, func(ctx context.Context, tx Tx) (bool, error) {
		now := InstantOf(s.now())
		var changes []*Change
		note := func(noun Noun, id string, fields ...string) {
			changes = append(changes, &Change{At: now, Action: "years start", Noun: noun, ObjectID: id, Fields: fields})
		}
		current, err := checkStart(ctx, tx, start)
		if err != nil {
			return false, err
		}
		if current != nil {
			started.EndDate = endLike(current, year)
			current.IsCurrentYear, current.ArchivedAt = false, now
			if err := tx.FinancialYears().Update(ctx, current); err != nil {
				return false, err
			}
			note(NounFinancialYear, current.ID, "archivedAt", "isCurrentYear")
		}
		if err := tx.FinancialYears().Insert(ctx, started); err != nil {
			return KindOf(err) == Refused, err // another year was started meanwhile
		}
		note(NounFinancialYear, started.ID, "endDate", "isCurrentYear", "startDate")
		if lists = nil; current != nil && start.WithChecklists {
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

func bringOver(ctx context.Context, tx Tx, from, to string) (lists []*Checklist, err error) {
	all := ListQuery[ChecklistCriteria]{Parent: OfFinancialYear}
	err = eachRow(ctx, tx.Checklists(), all, from, 0, func(one *Checklist) error {
		list := *one
		list.ID, list.FinancialYearID, list.DueDate = NewID(), to, "" // it was a day of the old year
		lists = append(lists, &list)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return lists, tx.Checklists().Insert(ctx, lists...)
}

// checkStart returns the current year, nil for none. It reads all years at once, because another year may be started
// meanwhile, and keeps imports from adding one.
func checkStart(ctx context.Context, tx Tx, start YearStart) (current *FinancialYear, err error) {
	taken, year := false, start.Year
	all := ListQuery[FinancialYearCriteria]{}
	if err := tx.FinancialYears().Lock(ctx); err != nil {
		return nil, err
	}
	err = eachRow(ctx, tx.FinancialYears(), all, NoParent, 0, func(one *FinancialYear) error {
		if taken = taken || one.StartDate == year; one.IsCurrentYear {
			current = one
		}
		return nil
	})
	switch {
	case err != nil:
	case current != nil && year <= current.StartDate:
		err = refused(CodeNotAllowed, "the new year must be later than the current one", "startDate")
	case current != nil && !start.Skip && year != yearAfter(current.StartDate, 1):
		err = refused(CodeNotAllowed, current.StartDate+" is the current year, so the next is "+
			yearAfter(current.StartDate, 1)+"; --force starts a later one", "startDate")
	case taken:
		err = refused(CodeTaken, "the financial year already exists", "startDate")
	}
	return current, err
}

// endLike is the end of a year with a start, which is as long as another.
func endLike(other *FinancialYear, start string) string {
	first, _ := strconv.Atoi(other.StartDate)
	last, _ := strconv.Atoi(other.EndDate)
	return yearAfter(start, last-first)
}

func yearAfter(year string, by int) string {
	now, _ := strconv.Atoi(year)
	return fmt.Sprintf("%04d", now+by)
}
