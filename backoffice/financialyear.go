package backoffice

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// FinancialYear is a period for which data is collected; at most one is current, the others are archived.
type FinancialYear struct {
	ID            string
	StartDate     string // a year, YYYY
	EndDate       string // a year, YYYY
	IsCurrentYear bool
	ArchivedAt    Instant // zero while the year collects data
}

func (y *FinancialYear) Identity() string               { return y.ID }
func (y *FinancialYear) Position(key OrderKey) Position { return Position{Key: key, ID: y.ID} }

// FinancialYearCriteria picks financial years; the zero value picks all.
type FinancialYearCriteria struct {
	Current bool // only the current year
}

var FinancialYearTable = &Table[FinancialYear, FinancialYearCriteria]{
	Noun: NounFinancialYear,
	ID:   func(y *FinancialYear) *string { return &y.ID },
	Fields: []WritableField[FinancialYear]{
		requiredField("startDate", func(y *FinancialYear) *string { return &y.StartDate }, ParseYear),
		requiredField("endDate", func(y *FinancialYear) *string { return &y.EndDate }, ParseYear),
		plainField("isCurrentYear", func(y *FinancialYear) *bool { return &y.IsCurrentYear }, nil),
		notedField("archivedAt", func(y *FinancialYear) *Instant { return &y.ArchivedAt }),
	},
	rule: func(y *FinancialYear, check *checker) {
		if len(check.found) == 0 && y.EndDate < y.StartDate {
			check.add(CodeInvalid, "a financial year cannot end before it starts", "endDate")
		}
		if y.IsCurrentYear && !y.ArchivedAt.IsZero() {
			check.add(CodeNotAllowed, "the current year cannot be archived", "archivedAt")
		}
	},
}

// Years returns all financial years, the earliest first. An office has few.
func Years(ctx context.Context, reads Readers) ([]*FinancialYear, error) {
	years, err := ReadAll(ctx, reads.FinancialYears(), ListQuery[FinancialYearCriteria]{}, NoParent)
	slices.SortStableFunc(years, func(a, b *FinancialYear) int { return cmp.Compare(a.StartDate, b.StartDate) })
	return years, err
}

// ParseYear reads a year of four digits ("2026"), 1900 to 2999. Anything else is BadInput.
func ParseYear(text string) (string, error) {
	if len(text) != 4 || text < "1900" || text > "2999" || strings.Trim(text, "0123456789") != "" {
		return "", Errorf(BadInput, "a year must look like 2026")
	}
	return text, nil
}
