package rest

import (
	"context"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/rest/mapping"
)

type FinancialYear struct {
	ID            string  `json:"_id" doc:"The identifier, for the filter financialYear of other calls."`
	StartDate     string  `json:"startDate" doc:"The year in which it starts, YYYY." example:"2026"`
	EndDate       string  `json:"endDate" doc:"The year in which it ends, YYYY." example:"2026"`
	IsCurrentYear bool    `json:"isCurrentYear" doc:"Whether data is now collected for it."`
	ArchivedAt    Instant `json:"archivedAt" nullable:"true" doc:"When it was archived. Null if it was not."`
}

var shownYear = mapping.New[backoffice.FinancialYear, FinancialYear]()

func (a *API) financialYears() {
	register(a, operation("GET /financialyears/current", "getCurrentFinancialYear", "Get the current financial year",
		"The year for which data is now collected. 404 before the first one is started.",
	), "", func(ctx context.Context, _ *struct{}) (*answered[FinancialYear], error) {
		ask := backoffice.ListQuery[backoffice.FinancialYearCriteria]{
			Criteria: backoffice.FinancialYearCriteria{Current: true}}
		current, ok, err := backoffice.First(ctx, a.Store.FinancialYears(), ask, backoffice.NoParent)
		switch {
		case err != nil:
			return nil, err
		case !ok:
			return nil, backoffice.Errorf(backoffice.NotFound, "no financial year is current")
		}
		return &answered[FinancialYear]{shownYear.Map(current)}, nil
	})
	registerList(a, operation("GET /financialyears", "listFinancialYears", "List financial years",
		"All financial years, including archived ones.",
	), "", func(ctx context.Context, in *struct{ Paging }) (*answered[List[FinancialYear]], error) {
		q := question[backoffice.FinancialYearCriteria]{}
		return list(ctx, a.Store.FinancialYears(), q, in.Paging, shownYear.Map)
	})
}
