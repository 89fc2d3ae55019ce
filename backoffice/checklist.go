package backoffice

// Checklist is a questionnaire of a financial year that is assigned to customers.
type Checklist struct {
	ID               string
	Name             string
	Language         string // a language name, for example dutch
	AuthRequired     bool
	RemindersEnabled bool
	DueDate          Text // the day by which customers must complete it, 2026-03-31
	FinancialYearID  string
}

func (c *Checklist) Identity() string               { return c.ID }
func (c *Checklist) Position(key OrderKey) Position { return positionByName(key, c.ID, c.Name) }

// ChecklistFilter picks checklists; nil is no filter.
type ChecklistFilter struct {
	Language        *string
	FinancialYearID *string
}

// ChecklistCriteria is a ChecklistFilter prepared for the store; zero fields are no criterion.
type ChecklistCriteria struct {
	Nothing         bool
	Language        string
	FinancialYearID string
}

func (f *ChecklistFilter) Criteria() (c ChecklistCriteria) {
	if f != nil {
		exact(&c.Language, f.Language, &c.Nothing)
		exact(&c.FinancialYearID, f.FinancialYearID, &c.Nothing)
	}
	return c
}

var ChecklistTable = &Table[Checklist, ChecklistCriteria]{
	nothing: func(c ChecklistCriteria) bool { return c.Nothing },
	Noun:    NounChecklist,
	ID:      func(l *Checklist) *string { return &l.ID },
	Fields: []WritableField[Checklist]{
		requiredField("name", func(l *Checklist) *string { return &l.Name }, plainText),
		requiredField("language", func(l *Checklist) *string { return &l.Language }, ParseLanguage),
		plainField("authRequired", func(l *Checklist) *bool { return &l.AuthRequired }, nil),
		plainField("remindersEnabled", func(l *Checklist) *bool { return &l.RemindersEnabled }, nil),
		textField("dueDate", func(l *Checklist) *Text { return &l.DueDate }, parseDate),
		referenceField("financialYearId", NounFinancialYear, func(l *Checklist) *string { return &l.FinancialYearID }),
	},
}
