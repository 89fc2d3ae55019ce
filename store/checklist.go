package store

import "example.org/backoffice/backoffice"

var checklistTable = &table[backoffice.Checklist, backoffice.ChecklistCriteria]{
	noun: backoffice.NounChecklist,
	name: "checklists",
	id:   func(c *backoffice.Checklist) *string { return &c.ID },
	columns: []column[backoffice.Checklist]{
		text("id", "", func(c *backoffice.Checklist) *string { return &c.ID }),
		text("name", "name "+orderField(backoffice.KeyName), func(c *backoffice.Checklist) *string { return &c.Name }),
		text("language", "language", func(c *backoffice.Checklist) *string { return &c.Language }).orNull(),
		flag("auth_required", "authRequired", func(c *backoffice.Checklist) *bool { return &c.AuthRequired }),
		flag("reminders_enabled", "remindersEnabled", func(c *backoffice.Checklist) *bool { return &c.RemindersEnabled }),
		link("financial_year_id", "financialYear", func(c *backoffice.Checklist) *string { return &c.FinancialYearID }),
		folded("name_folded", func(c *backoffice.Checklist) string { return backoffice.Fold(c.Name) }),
	},
	nothing: func(c backoffice.ChecklistCriteria) bool { return c.Nothing },
	criteria: []criterion[backoffice.ChecklistCriteria]{
		equals("language", func(c backoffice.ChecklistCriteria) string { return c.Language }),
		equals("financial_year_id", func(c backoffice.ChecklistCriteria) string { return c.FinancialYearID }),
	},
	parents: map[backoffice.Parent]parentColumns[backoffice.ChecklistCriteria]{
		backoffice.OfFinancialYear: under[backoffice.ChecklistCriteria]("financial_year_id"),
	},
	orders:     map[backoffice.OrderKey]order{backoffice.KeyName: byText("name_folded")},
	references: []reference{{"financial_year_id", "financial_years", []string{"financialYearId"}}},
}
