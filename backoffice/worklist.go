package backoffice

import "time"

// WorkList is what is left to do in a financial year, of all customers or those of one responsible user. Each of its
// lists is a filter prepared here, so it is read, counted and restricted as any list with that filter.
type WorkList struct {
	FinancialYearID string
	ResponsibleID   *string // nil: of all
}

// filter picks the year's transcripts that also match the rest.
func (w *WorkList) filter(rest TranscriptFilter) *TranscriptFilter {
	rest.FinancialYearID, rest.ResponsibleID = &w.FinancialYearID, w.ResponsibleID
	return &rest
}

// DifferingFilter picks the customers whose owners differ, whatever the year.
func (w *WorkList) DifferingFilter() *CustomerFilter {
	return &CustomerFilter{ResponsibleID: w.ResponsibleID, OwnershipDiffers: new(true)}
}

// MissingFilter picks the customers who lack a checklist of the year that others of their type and language have.
func (w *WorkList) MissingFilter() *CustomerFilter {
	return &CustomerFilter{ResponsibleID: w.ResponsibleID, MissingChecklistOf: &w.FinancialYearID}
}

// UntouchedFilter picks what is not completed and was last updated before the day that was so many days ago.
func (w *WorkList) UntouchedFilter(days int, now time.Time) (*TranscriptFilter, error) {
	if days < 0 {
		return nil, Errorf(BadInput, "days must be 0 or more")
	}
	year, month, day := now.In(Belgium).Date()
	before := InstantOf(time.Date(year, month, day-days, 0, 0, 0, 0, Belgium))
	return w.filter(TranscriptFilter{IsCompleted: new(false), UpdatedTo: &before}), nil
}

// OverdueFilter picks what is not completed though it was due before today.
func (w *WorkList) OverdueFilter() *TranscriptFilter {
	return w.filter(TranscriptFilter{Overdue: new(true)})
}

// CompletedFilter picks what is completed and has no document.
func (w *WorkList) CompletedFilter() *TranscriptFilter {
	return w.filter(TranscriptFilter{IsCompleted: new(true), DocumentGenerated: new(false)})
}

// CalculatedFilter picks what is calculated and not sent.
func (w *WorkList) CalculatedFilter() *TranscriptFilter {
	return w.filter(TranscriptFilter{Status: []TranscriptStatus{CalculationDone}})
}
