package gatewaytest

import (
	"encoding/json"
	"net/http"
	"testing"
)

// Plan is extensions.plan.
type Plan struct {
	Cost           int
	MaximumCost    int
	Depth          int
	RequiredScopes []string
	MissingScopes  []string
}

// Plan asks for the plan of a query. It fails the test when something was read for it.
func (o *Office) Plan(t *testing.T, as [2]string, query, variables string) (status int, plan *Plan, codes []string) {
	t.Helper()
	status, body, calls := o.Ask(t, as, query, json.RawMessage(variables), http.Header{"X-Explain": {"plan"}})
	var answer struct {
		Data       json.RawMessage
		Errors     []struct{ Extensions struct{ Code string } }
		Extensions struct{ Plan *Plan }
	}
	if err := json.Unmarshal(body, &answer); err != nil || answer.Data != nil || calls != 0 {
		t.Errorf("%s: %v, data %s, %d statements were run", query, err, answer.Data, calls)
	}
	for _, e := range answer.Errors {
		codes = append(codes, e.Extensions.Code)
	}
	return status, answer.Extensions.Plan, codes
}
