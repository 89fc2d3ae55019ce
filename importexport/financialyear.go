package importexport

import (
	"context"

	"example.org/backoffice/backoffice"
)

type financialYear = backoffice.FinancialYear
type yearLoading = loading[financialYear, backoffice.FinancialYearCriteria]

var financialYears = describe(backoffice.FinancialYearTable, noun[financialYear, backoffice.FinancialYearCriteria]{
	file:   "financialyears.ndjson",
	atOnce: true,
	derive: deriveYears,
	last:   func(y *financialYear) bool { return y.IsCurrentYear }, // after the old one is no longer current
	keep:   keepYearsInUse,
	keys: always(fewKey[financialYear, backoffice.FinancialYearCriteria](func(y *financialYear) string {
		return y.StartDate
	}, "startDate")),
})

// deriveYears archives years that are not current, and requires that exactly one will be current.
func deriveYears(ctx context.Context, l *yearLoading, entries []*entry[financialYear]) error {
	archivedAt := l.at["archivedAt"]
	for _, e := range entries {
		y := e.row
		if y.EndDate == "" {
			y.EndDate = y.StartDate
		}
		switch {
		case y.IsCurrentYear && e.given.has(archivedAt): // for the check to see
		case y.IsCurrentYear:
			y.ArchivedAt = 0
		case y.ArchivedAt.IsZero() && e.old != nil && !e.old.ArchivedAt.IsZero():
			y.ArchivedAt = e.old.ArchivedAt
		case y.ArchivedAt.IsZero():
			y.ArchivedAt = l.now
		}
	}
	return checkYears(ctx, l)
}

// checkYears requires one current year, and distinct start dates.
func checkYears(ctx context.Context, l *yearLoading) error {
	named, dates := map[string]bool{}, map[string]bool{}
	for _, e := range l.all { // what a bad line names stays as it is
		named[e.id] = len(e.faults) == 0
	}
	others, current := 0, 0
	list := backoffice.ListQuery[backoffice.FinancialYearCriteria]{}
	err := backoffice.EachPage(ctx, l.rows, list, backoffice.NoParent, 0, func(page []*financialYear) error {
		for _, y := range page {
			if named[y.ID] {
				continue
			}
			others++
			dates[y.StartDate] = true
			if y.IsCurrentYear {
				current++
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	var left *entry[financialYear]
	for _, e := range l.all {
		if e.deleted || len(e.faults) > 0 {
			continue
		}
		if dates[e.row.StartDate] {
			e.fault("startDate", "another financial year has this start date")
			continue
		}
		left, dates[e.row.StartDate] = e, true
		if e.row.IsCurrentYear {
			if current++; current > 1 {
				e.fault("isCurrentYear", "another year is current, and only one can be")
			}
		}
	}
	if left != nil && current == 0 {
		left.fault("isCurrentYear", "no year would be current; one must be")
	} else if left == nil && current == 0 && others > 0 && len(l.all) > 0 {
		l.all[len(l.all)-1].fault("_deleted", "the year is the current one; make another one current first")
	}
	return nil
}

// keepYearsInUse rejects the deletion of years with checklists or minfin documents.
func keepYearsInUse(ctx context.Context, l *yearLoading, deleted []*entry[financialYear]) error {
	lists, documents := backoffice.ChecklistTable.Reader(l.in), backoffice.MinfinTable.Reader(l.in)
	counts, err := backoffice.ReadCounts(
		ctx, lists, backoffice.OfFinancialYear, backoffice.ChecklistCriteria{}, idsOf(deleted))
	if err != nil {
		return err
	}
	for _, e := range deleted {
		more, err := backoffice.CountAll(ctx, documents, backoffice.MinfinCriteria{FinancialYearID: e.id})
		if err != nil {
			return err
		}
		if counts[e.id]+more > 0 {
			e.fault("_deleted", "the financial year still has checklists or minfin documents; "+
				"delete them in an earlier import")
		}
	}
	return nil
}
