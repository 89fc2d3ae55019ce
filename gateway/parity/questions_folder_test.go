package parity

import (
	"encoding/json"
	"strings"
	"testing"

	"example.org/backoffice/gateway/gatewaytest"
)

func TestEachQuestionHasATitleADescriptionAndOneOperation(t *testing.T) {
	t.Parallel()
	all := gatewaytest.Questions(t)
	if len(all) != 13 {
		t.Errorf("there are %d questions", len(all))
	}
	names := map[string]bool{}
	for _, q := range all {
		var variables map[string]any
		if q.Title == "" || q.Description == "" || names[q.Name] || strings.Count(q.Document, "\nquery ") != 1 {
			t.Errorf("%+v", q)
		}
		if required := strings.Contains(q.Document, "!,") || strings.Contains(q.Document, "!)"); required || q.Variables != "" {
			if err := json.Unmarshal([]byte(q.Variables), &variables); err != nil {
				t.Errorf("%s: %v", q.Name, err)
			}
		}
		names[q.Name] = true
	}
}
