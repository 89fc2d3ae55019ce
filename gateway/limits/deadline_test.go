package limits

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
	"example.org/backoffice/graphql/limits"
)

// Every operation of the OpenAPI document is asked of a server that leaves no time for anything.
func TestAllButWhatStreamsObeysTheDeadline(t *testing.T) {
	t.Parallel()
	bounds := limits.Defaults()
	bounds.Time = time.Nanosecond
	o := gatewaytest.OpenWith(t, gatewaytest.Engines["SQLite"](t), bounds)
	credential := o.Credential(t, backoffice.AllScopes...)
	expired := func(method, path string) bool {
		w := o.Send(t, credential, method, path, `{"query": "{ customers { totalCount } }"}`)
		return w.Code == http.StatusGatewayTimeout || w.Code == http.StatusServiceUnavailable
	}
	var streams []string
	for path, item := range operationsOfDocument(t, o) {
		for method, operation := range item {
			address := regexp.MustCompile(`\{\w+\}`).ReplaceAllString(strings.Replace(path, "{format}", "json", 1), "nobody") + operation.needed()
			timeless := !expired(strings.ToUpper(method), address)
			content := operation.Responses["200"].Content
			_, file := content["*/*"]
			_, pack := content["application/zip"]
			_, events := content["text/event-stream"]
			_, upload := operation.RequestBody.Content["*/*"]
			if answers := file || pack || events || upload; answers != timeless {
				t.Errorf("%s %s streams: %v, and has no deadline: %v", method, path, answers, timeless)
			}
			if timeless {
				streams = append(streams, path)
			}
		}
	}
	if len(streams) != 9 || slices.Contains(streams, "/transcripts/download/{transcriptId}/metadata") {
		t.Errorf("these have no deadline: %q", streams)
	}
	if !expired(http.MethodPost, "/graphql") {
		t.Error("GraphQL has no deadline")
	}
	if signed := fmt.Sprintf("/files/transcript/nobody?signature=%s", "x"); expired(http.MethodGet, signed) {
		t.Error("a signed path has a deadline")
	}
}

// needed is the query that a request must have, of the document's examples.
func (o *operation) needed() string {
	query := url.Values{}
	for _, p := range o.Parameters {
		if p.In == "query" && p.Required {
			query.Set(p.Name, fmt.Sprint(p.Schema.Examples[0]))
		}
	}
	return "?" + query.Encode()
}

type operation struct {
	Parameters []struct {
		Name, In string
		Required bool
		Schema   struct{ Examples []any }
	}
	RequestBody struct{ Content map[string]any }
	Responses   map[string]struct{ Content map[string]any }
}

// operationsOfDocument are those of the OpenAPI document, by path and method.
func operationsOfDocument(t *testing.T, o *gatewaytest.Office) map[string]map[string]operation {
	t.Helper()
	var document struct {
		Paths map[string]map[string]operation
	}
	if err := json.Unmarshal(o.Send(t, [2]string{}, http.MethodGet, "/openapi.json", "").Body.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	return document.Paths
}
