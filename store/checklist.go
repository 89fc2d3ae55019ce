package store

import "example.org/backoffice/backoffice"

var checklistTable = describe(backoffice.ChecklistTable, table[backoffice.Checklist, backoffice.ChecklistCriteria]{
	name:    "checklists",
	reach:   seenByAll,
	special: map[string]special{"name": {also: orderField(backoffice.KeyName)}, "language": {null: true}},
	columns: []column[backoffice.Checklist]{folded("name_folded", func(c *backoffice.Checklist) string { return backoffice.Fold(c.Name) })},
	nothing: func(c backoffice.ChecklistCriteria) bool { return c.Nothing },
	criteria: []criterion[backoffice.ChecklistCriteria]{
		equals("language", func(c backoffice.ChecklistCriteria) string { return c.Language }),
		equals("financial_year_id", func(c backoffice.ChecklistCriteria) string { return c.FinancialYearID }),
	},
	parents: map[backoffice.Parent]parentColumns[backoffice.ChecklistCriteria]{
		backoffice.OfFinancialYear: under[backoffice.ChecklistCriteria]("financial_year_id"),
	},
	orders: map[backoffice.OrderKey]order{backoffice.KeyName: byText("name_folded")},
})

func (r *readers) Checklists() backoffice.Reader[*backoffice.Checklist, backoffice.ChecklistCriteria] {
	return readerOf(r, checklistTable)
}

func (t *tx) Checklists() backoffice.Writer[*backoffice.Checklist, backoffice.ChecklistCriteria] {
	return simpleWriter(t, checklistTable)
}
