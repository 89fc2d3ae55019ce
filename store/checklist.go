package store

import "example.org/backoffice/backoffice"

var checklistTable = describe(backoffice.ChecklistTable, table[backoffice.Checklist, backoffice.ChecklistCriteria]{
	name:    "checklists",
	seenBy:  public,
	special: map[string]special{"name": {also: backoffice.KeyName.Field()}, "language": {null: true}},
	columns: []column[backoffice.Checklist]{folded("name_folded",
		func(c *backoffice.Checklist) string { return backoffice.Fold(c.Name) })},
	criteria: []criterion[backoffice.ChecklistCriteria]{
		equals("language", func(c backoffice.ChecklistCriteria) string { return c.Language }),
		equals("financial_year_id", func(c backoffice.ChecklistCriteria) string { return c.FinancialYearID }),
	},
	orders: map[backoffice.OrderKey]order{backoffice.KeyName: byText("name_folded")},
})
