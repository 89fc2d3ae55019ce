package limits

import (
	"encoding/json"
	"net/http"
	"testing"

	"example.org/backoffice/gateway/gatewaytest"
)

func TestTheOpenAPIDocumentTellsOfBudgetsAndOfWhenToComeBack(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	type response struct{ Headers map[string]any }
	var document struct {
		Paths map[string]map[string]struct {
			OperationID string
			Responses   map[string]response
		}
	}
	if err := json.Unmarshal(o.Send(t, [2]string{}, http.MethodGet, "/openapi.json", "").Body.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	looked := 0
	for path, methods := range document.Paths {
		for method, op := range methods {
			looked++
			for _, status := range []string{"429", "503"} {
				if op.Responses[status].Headers["Retry-After"] == nil {
					t.Errorf("%s %s: %s has no Retry-After", method, path, status)
				}
			}
			for status, r := range op.Responses {
				if status != "default" && (r.Headers["RateLimit"] == nil || r.Headers["RateLimit-Policy"] == nil) {
					t.Errorf("%s %s: %s has no RateLimit", method, path, status)
				}
			}
		}
	}
	if looked < 20 {
		t.Errorf("only %d operations were looked at", looked)
	}
}
