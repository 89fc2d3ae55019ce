package rest

import (
	"context"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/rest/mapping"
)

type Checklist struct {
	ID               string  `json:"_id" doc:"The identifier."`
	Name             string  `json:"name" doc:"The name."`
	Language         string  `json:"language" doc:"The language, a name such as dutch." example:"dutch"`
	AuthRequired     bool    `json:"authRequired" doc:"Whether customers must sign in to fill it in."`
	RemindersEnabled bool    `json:"remindersEnabled" doc:"Whether customers get reminders."`
	DueDate          *string `json:"dueDate" doc:"The day by which customers must complete it; null without one." example:"2026-03-31"`
	FinancialYearID  string  `json:"financialYear" doc:"The identifier of the financial year."`
}

var shownChecklist = mapping.New[backoffice.Checklist, Checklist]()

type Assignment struct {
	Checklist       string           `json:"checklist" doc:"The identifier of a checklist of the current financial year."`
	Customer        string           `json:"customer" doc:"The identifier of the customer."`
	CustomVariables Optional[Object] `json:"customVariables,omitempty" doc:"A free-form object for the transcript, at most 64 KiB."`
}

type Assigned struct {
	ID string `json:"_id" doc:"The identifier of the new transcript."`
}

func (a *API) checklists() {
	registerList(a, operation("GET /checklists", "listChecklists", "List checklists",
		"The checklists that match all filters."), "", func(ctx context.Context, in *struct {
		Language      Optional[string] `query:"language" doc:"The language." example:"dutch"`
		FinancialYear Optional[string] `query:"financialYear" doc:"The identifier of a financial year."`
		NameOrder
		Paging
	}) (*answered[List[Checklist]], error) {
		filter := &backoffice.ChecklistFilter{Language: value(in.Language), FinancialYearID: value(in.FinancialYear)}
		q := question[backoffice.ChecklistCriteria]{criteria: filter.Criteria(), order: in.order()}
		return list(ctx, a.Store.Checklists(), q, in.Paging, shownChecklist.Map)
	})
	register(a, operation("GET /checklists/{checklistId}", "getChecklist", "Get a checklist",
		"One checklist."), "", func(ctx context.Context, in *struct {
		ChecklistID string `path:"checklistId" doc:"The checklist's identifier."`
	}) (*answered[Checklist], error) {
		return answerOne(ctx, a.Store.Checklists(), backoffice.NounChecklist, in.ChecklistID, shownChecklist.Map)
	})
	register(a, creation("POST /checklists/assign", "assignChecklist", "Assign a checklist",
		"Creates a transcript of the checklist for the customer, in the current financial year, and returns its identifier.",
	), backoffice.PtiWrite, func(ctx context.Context, in *struct {
		Idempotent
		Body Assignment
	}) (*made[Assigned], error) {
		draft := backoffice.Assignment{ChecklistID: in.Body.Checklist, CustomerID: in.Body.Customer}
		if text, ok := in.Body.CustomVariables.Get(); ok {
			draft.CustomVariables = []byte(text)
		}
		t, err := a.Service.AssignChecklist(ctx, auth.From(ctx), draft, in.key())
		if err != nil {
			return nil, err
		}
		return &made[Assigned]{Location: "/transcripts/" + t.ID, Body: Assigned{ID: t.ID}}, nil
	})
}
