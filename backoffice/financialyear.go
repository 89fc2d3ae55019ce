package backoffice

// FinancialYear is the frame in which data is collected; at most one is current, the others are archived.
type FinancialYear struct {
	ID            string
	StartDate     string // a year, YYYY
	EndDate       string // a year, YYYY
	IsCurrentYear bool
	ArchivedAt    Instant // zero while the year collects data
}

// IsNode marks FinancialYear as a Node of the GraphQL schema.
func (*FinancialYear) IsNode() {}

// Position tells where the year stands in a list of that order.
func (y *FinancialYear) Position(key OrderKey) Position { return Position{Key: key, ID: y.ID} }

// FinancialYearCriteria picks among the years; the zero value picks all.
type FinancialYearCriteria struct {
	Current bool // only the current year
}
