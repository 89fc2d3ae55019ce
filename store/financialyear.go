package store

import (
	"context"
	"slices"

	"example.org/backoffice/backoffice"
)

type yearCriteria = backoffice.FinancialYearCriteria

var financialYearTable = describe(backoffice.FinancialYearTable, table[backoffice.FinancialYear, yearCriteria]{
	name:    "financial_years",
	seenBy:  public,
	special: map[string]special{"isCurrentYear": {name: "is_current"}},
	criteria: []criterion[yearCriteria]{
		where(func(c yearCriteria) bool { return c.Current }, "t.is_current"),
	},
	unique: uniqueValue{field: []string{"isCurrentYear"}},
	writes: func(w writer[backoffice.FinancialYear, yearCriteria]) any { return &financialYearWriter{w} },
})

// financialYearWriter writes the years that are not current first, so that the mark can move from one to another.
type financialYearWriter struct {
	writer[backoffice.FinancialYear, yearCriteria]
}

func currentLast(rows []*backoffice.FinancialYear) []*backoffice.FinancialYear {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b *backoffice.FinancialYear) int {
		switch {
		case a.IsCurrentYear == b.IsCurrentYear:
			return 0
		case b.IsCurrentYear:
			return -1
		}
		return 1
	})
	return rows
}

func (w *financialYearWriter) Update(ctx context.Context, rows ...*backoffice.FinancialYear) error {
	for _, row := range currentLast(rows) { // one by one: a statement may change rows in any order
		if err := w.writer.Update(ctx, row); err != nil {
			return err
		}
	}
	return nil
}

func (w *financialYearWriter) Upsert(ctx context.Context, rows []*backoffice.FinancialYear) error {
	return w.writer.Upsert(ctx, currentLast(w.lastOfEach(rows)))
}

func (t *tx) LockYearOf(ctx context.Context, checklistID string) (year *backoffice.FinancialYear, err error) {
	if backoffice.CheckID(checklistID) != nil {
		return nil, nil
	}
	columns, read := on(t.store.nouns, financialYearTable).whole(func(found *backoffice.FinancialYear) { year = found })
	text := "SELECT /*backoffice:financial_years.hold*/ " + columns + " FROM checklists c" +
		" JOIN financial_years t ON t.id = c.financial_year_id WHERE c.id = $1" + t.store.nouns.dialect.hold
	err = t.conn.Query(ctx, text, []any{checklistID}, read)
	if year == nil && err == nil { // PostgreSQL finds none if it waited for who moved it to another year
		err = t.conn.Query(ctx, text, []any{checklistID}, read)
	}
	return year, err
}

func (t *tx) LockToAssign(ctx context.Context, checklistID string) (year *backoffice.FinancialYear, err error) {
	err = t.together(ctx,
		func(ctx context.Context) error { return t.lock(ctx, lockAssignments) },
		func(ctx context.Context) (err error) { year, err = t.LockYearOf(ctx, checklistID); return err })
	return year, err
}
