package gatewaytest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/limits"
)

// Hold adds completed transcripts whose answers have so many bytes each.
func Hold(t testing.TB, o *Office, transcripts, bytes int) {
	t.Helper()
	variables := backoffice.JSON(`{"answer":"` + strings.Repeat("a", bytes) + `"}`)
	err := o.Store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
		checklists, err := backoffice.ReadPages(ctx, tx.Checklists(), backoffice.ListQuery[backoffice.ChecklistCriteria]{Window: backoffice.Window{Limit: 1}}, []string{backoffice.NoParent}, 0)
		if err != nil {
			return err
		}
		checklist := checklists[backoffice.NoParent].Items[0]
		customer := &backoffice.Customer{ID: "holder", Type: backoffice.Company, OwnName: "Holder", DisplayName: "Holder", Version: 1}
		if err := tx.Customers().Insert(ctx, customer); err != nil {
			return err
		}
		for i := range transcripts {
			held := &backoffice.Transcript{
				ID: fmt.Sprintf("held-%04d", i), CustomerID: customer.ID, ChecklistID: checklist.ID, FinancialYearID: checklist.FinancialYearID,
				OwnStatus: backoffice.ToProcess, IsCompleted: true, CustomVariables: variables, OwnUpdatedAt: 1,
			}
			held.EffectiveStatus(nil)
			if err := tx.Transcripts().Insert(ctx, held); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// CodeIn is the code of an answer that is one error, "" of others.
func CodeIn(body []byte) string {
	var answer struct {
		Data   json.RawMessage
		Errors []struct{ Extensions struct{ Code string } }
	}
	_ = json.Unmarshal(body, &answer)
	if answer.Data != nil || len(answer.Errors) != 1 {
		return ""
	}
	return answer.Errors[0].Extensions.Code
}

// Spacious are limits that allow whatever an Asker makes up.
func Spacious() limits.Settings {
	bounds := Limits()
	bounds.Cost, bounds.Tokens, bounds.Depth, bounds.Aliases, bounds.Together, bounds.Waiting, bounds.Validation = 1<<40, 1<<20, 100, 1000, 1<<40, 1<<40, 1<<30
	return bounds
}
