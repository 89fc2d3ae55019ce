package backoffice

import (
	"context"
	"encoding/json"
)

// Assignment is the input to assign a checklist to a customer.
type Assignment struct {
	ChecklistID     string
	CustomerID      string
	CustomVariables []byte // a JSON object, nil for none
}

// AssignChecklist makes a transcript of a checklist of the current year for a customer; it needs pti.write. Refused
// with NOT_FOUND (checklistId, customerId), FINANCIAL_YEAR_ARCHIVED and NOT_ALLOWED (checklistId), INVALID
// (customVariables) and, for a key that was used before, like create.
func (s *Service) AssignChecklist(
	ctx context.Context, by *Principal, draft Assignment, key Optional[string],
) (*Transcript, error) {
	if err := require(by, PtiWrite); err != nil {
		return nil, err
	}
	now := InstantOf(s.now())
	t := &Transcript{
		ID: NewID(), CustomerID: draft.CustomerID, ChecklistID: draft.ChecklistID,
		OwnStatus: ToProcess, OwnUpdatedAt: now, CreatedAt: now,
	}
	t.EffectiveStatus(nil)
	var check checker
	check.reference(t.ChecklistID, "checklistId")
	check.reference(t.CustomerID, "customerId")
	if draft.CustomVariables != nil {
		var err error
		if t.CustomVariables, err = ParseJSON(draft.CustomVariables); err != nil {
			check.add(CodeInvalid, err.Error(), "customVariables")
		}
	}
	content := values{}
	content.set("checklistId", t.ChecklistID)
	content.set("customerId", t.CustomerID)
	if text := t.CustomVariables.Canonical(); text != "{}" {
		content.set("customVariables", text)
	}
	var year *FinancialYear
	var customer *Customer
	var known bool
	return create(ctx, s, creation[Transcript, TranscriptCriteria]{
		by: by, action: "assignChecklist", table: TranscriptTable, made: t, at: now, key: key,
		content: content, wrong: check,
		told: func() map[string]any {
			told := map[string]any{"checklistId": t.ChecklistID, "customerId": t.CustomerID}
			if draft.CustomVariables != nil {
				told["customVariables"] = json.RawMessage(draft.CustomVariables)
			}
			return told
		},
		look: func(ctx context.Context, tx Tx) error {
			return tx.Together(ctx,
				func(ctx context.Context) (err error) { year, err = tx.LockYearOf(ctx, t.ChecklistID); return err },
				finding(tx.Customers(), t.CustomerID, &customer, &known))
		},
		check: func(check *checker) {
			if CheckID(t.ChecklistID) == nil {
				checkOpen(ctx, year, check)
			}
			if CheckID(t.CustomerID) == nil && !known {
				check.add(CodeNotFound, "no customer has this identifier", "customerId")
			}
			if len(check.found) == 0 {
				t.FinancialYearID = year.ID
			}
		},
	})
}

// checkOpen rejects a checklist's financial year that is missing, not current or not visible.
func checkOpen(ctx context.Context, year *FinancialYear, check *checker) {
	switch {
	case year == nil:
		check.add(CodeNotFound, "no checklist has this identifier", "checklistId")
	case !year.IsCurrentYear:
		check.add(CodeFinancialYearArchived, "the checklist's financial year is not the current one", "checklistId")
	case !RestrictionOf(ctx).AdmitsYear(year):
		check.add(CodeNotAllowed, outOfView, "checklistId")
	}
}
