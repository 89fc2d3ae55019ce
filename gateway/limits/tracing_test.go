package limits

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
	"example.org/backoffice/httpserver/tracing"
)

// receiver is a collector's receiver of OTLP over HTTP.
type receiver struct {
	mu       sync.Mutex
	spans    []*otlp.Span
	received bytes.Buffer // as it came
	resource string
}

func (c *receiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var request collector.ExportTraceServiceRequest
	if err != nil || r.URL.Path != "/v1/traces" || proto.Unmarshal(body, &request) != nil {
		http.Error(w, "no spans", http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.received.Write(body)
	for _, of := range request.GetResourceSpans() {
		c.resource = of.GetResource().String()
		for _, scope := range of.GetScopeSpans() {
			c.spans = append(c.spans, scope.GetSpans()...)
		}
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
}

// below are the spans below one, by when they began.
func (c *receiver) below(parent *otlp.Span) (found []*otlp.Span) {
	for _, span := range c.spans {
		if parent != nil && bytes.Equal(span.GetParentSpanId(), parent.GetSpanId()) {
			found = append(found, span)
		}
	}
	slices.SortStableFunc(found, func(a, b *otlp.Span) int {
		return int(int64(a.GetStartTimeUnixNano()) - int64(b.GetStartTimeUnixNano()))
	})
	return found
}

func (c *receiver) named(name string) *otlp.Span {
	for _, span := range c.spans {
		if span.GetName() == name {
			return span
		}
	}
	return nil
}

func numberOf(span *otlp.Span, key string) int64 {
	for _, attribute := range span.GetAttributes() {
		if attribute.GetKey() == key {
			return attribute.GetValue().GetIntValue()
		}
	}
	return -1
}

func textOf(span *otlp.Span, key string) string {
	for _, attribute := range span.GetAttributes() {
		if attribute.GetKey() == key {
			return attribute.GetValue().GetStringValue()
		}
	}
	return ""
}

// traced runs operations on an office whose spans a collector receives, as these variables say.
func traced(t *testing.T, fresh func(testing.TB) string, variables map[string]string, do func(o *gatewaytest.Office)) *receiver {
	t.Helper()
	received := &receiver{}
	server := httptest.NewServer(received)
	t.Cleanup(server.Close)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
	for name, value := range variables {
		t.Setenv(name, value)
	}
	log := &gatewaytest.LogLines{}
	tracer, err := tracing.FromEnvironment(t.Context(), "v1.2.3", slog.New(slog.NewJSONHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	settings := gatewaytest.Settings(t, fresh(t))
	backend, err := settings.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c := gatewaytest.Config(gatewaytest.Limits())
	c.Tracer = tracer
	o := gatewaytest.ServeConfig(t, backend, c)
	o.Fill(t)
	do(o)
	if err := tracer.Close(t.Context()); err != nil || log.Text.Len() > 0 {
		t.Fatal(err, log.Text.String())
	}
	return received
}

const clientsTrace, clientsSpan = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"

//nolint:paralleltest // the environment is the process's
func TestAnOperationIsASpanWithItsLevelsAndStatementsBelow(t *testing.T) {
	for engine, fresh := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			var calls int
			received := traced(t, fresh, nil, func(o *gatewaytest.Office) {
				header := http.Header{"Traceparent": {"00-" + clientsTrace + "-" + clientsSpan + "-01"}, "Tracestate": {"client=85073000160"}, "X-Access-Purpose": {"Zuivering"}}
				_, body, n := o.Ask(t, o.Credential(t, backoffice.PrivacyRead), watchedQuery, json.RawMessage(`{"first": 3}`), header)
				if calls = n; bytes.Contains(body, []byte(`"errors"`)) {
					t.Fatalf("%s", body)
				}
			})
			operation := received.named("query")
			if operation == nil || hex.EncodeToString(operation.GetTraceId()) != clientsTrace || hex.EncodeToString(operation.GetParentSpanId()) != clientsSpan ||
				operation.GetKind() != otlp.Span_SPAN_KIND_SERVER || textOf(operation, "backoffice.document") != backoffice.DocumentID(watchedQuery) ||
				numberOf(operation, "backoffice.statements") != int64(calls) || numberOf(operation, "backoffice.cost") <= 0 {
				t.Fatalf("%v", operation)
			}
			levels := received.below(operation)
			if len(levels) != 3 {
				t.Fatalf("%d levels: %v", len(levels), levels)
			}
			for i, name := range []string{"customers.page", "relations.page", "customers.many"} {
				level, statements := levels[i], received.below(levels[i])
				of := slices.IndexFunc(statements, func(s *otlp.Span) bool { return s.GetName() == name })
				if of < 0 {
					t.Fatalf("level %d has no %s: %v", i, name, statements)
				}
				if level.GetName() != "level" || numberOf(level, "backoffice.fields") <= 0 || numberOf(level, "backoffice.rows") <= 0 || numberOf(level, "backoffice.statements") <= 0 ||
					numberOf(statements[of], "backoffice.rows") <= 0 || textOf(statements[of], "backoffice.server") != "primary" ||
					statements[of].GetEndTimeUnixNano() > level.GetEndTimeUnixNano() || level.GetEndTimeUnixNano() > operation.GetEndTimeUnixNano() {
					t.Errorf("level %d: %v %v", i, level, statements[of])
				}
			}
			for _, theirs := range []string{"Boekhouding", "displayName", "85073000160", "Zuivering", "first:", "Van Damme"} {
				if bytes.Contains(received.received.Bytes(), []byte(theirs)) {
					t.Errorf("a trace holds %q", theirs)
				}
			}
			if !strings.Contains(received.resource, "v1.2.3") || !strings.Contains(received.resource, `"backoffice"`) {
				t.Errorf("of %s", received.resource)
			}
		})
	}
}

//nolint:paralleltest // the environment is the process's
func TestWhatIsNotSampledIsNotTraced(t *testing.T) {
	received := traced(t, gatewaytest.Engines["SQLite"], map[string]string{"OTEL_TRACES_SAMPLER": "parentbased_always_off"}, func(o *gatewaytest.Office) {
		credential := o.Credential(t, backoffice.SettingsWrite)
		o.Ask(t, credential, watchedQuery, json.RawMessage(`{"first": 3}`), nil)
		o.Ask(t, credential, watchedQuery, json.RawMessage(`{"first": 3}`), http.Header{"Traceparent": {"00-" + clientsTrace + "-" + clientsSpan + "-00"}})
		o.Ask(t, credential, `mutation { createLabel(input: {name: "Nieuw"}) { label { id } } }`, nil, http.Header{"Traceparent": {"00-" + clientsTrace + "-" + clientsSpan + "-01"}})
	})
	if received.named("mutation") == nil || received.named("query") != nil || received.named("labels.insert") == nil {
		t.Errorf("%v", received.spans)
	}
}
