package gateway_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/demo"
	"example.org/backoffice/gateway"
	"example.org/backoffice/gateway/gatewaytest"
	"example.org/backoffice/graphql/execute"
	"example.org/backoffice/graphql/limits"
	"example.org/backoffice/loaders"
)

// endpoint is a gateway over a demo's office, and what executes its operations below transport, authentication
// and limits.
type endpoint struct {
	handler http.Handler
	backend *gateway.Backend
	schema  graphql.ExecutableSchema
	beneath *executor.Executor
	request *http.Request
	caller  *backoffice.Principal
	ids     []string // of its customers
}

// openEndpoint is as the server puts it together, its log written to nowhere.
func openEndpoint(b *testing.B, database string) *endpoint {
	b.Helper()
	settings := gateway.Settings{Database: database, Files: gatewaytest.FilesLost(b), Keyset: filepath.Join("..", "testdata", "keyset.json")}
	h, err := settings.Open(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	filler := demo.Demo{Store: h.Store, Files: h.Files, Keys: h.Keys, Customers: 2_000, Seed: 1, Now: time.Now()}
	if err := filler.Fill(b.Context()); err != nil {
		b.Fatal(err)
	}
	issued, secret, err := auth.Issue(b.Context(), h.Store, "benchmark", backoffice.AllScopes, 0)
	if err != nil {
		b.Fatal(err)
	}
	c := gateway.Config{Limits: limits.Defaults(), Cache: gatewaytest.TestedCache, Webhooks: gateway.WebhookSettings{Off: true}, Log: slog.New(slog.NewJSONHandler(io.Discard, nil))}
	o := gatewaytest.ServeConfig(b, h, c)
	s, end, err := gateway.NewServer(h, c)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(end)
	schema := s.Schema()
	request, err := http.NewRequest(http.MethodPost, "/graphql", nil)
	if err != nil {
		b.Fatal(err)
	}
	request.Header = http.Header{
		"Content-Type": {"application/json"}, "Accept": {"application/graphql-response+json"},
		auth.ClientIDHeader: {issued.ID}, auth.ClientSecretHeader: {secret},
	}
	var page struct {
		Data struct {
			Customers struct{ Nodes []struct{ ID string } }
		}
	}
	_, answer, _ := o.Ask(b, [2]string{issued.ID, secret}, `{ customers(first: 500) { nodes { id } } }`, nil, nil)
	if err := json.Unmarshal(answer, &page); err != nil {
		b.Fatal(err)
	}
	var ids []string
	for _, node := range page.Data.Customers.Nodes {
		ids = append(ids, node.ID)
	}
	return &endpoint{
		handler: o.Handler, backend: h, schema: schema, beneath: executor.New(schema), ids: ids, request: request,
		caller: &backoffice.Principal{ClientID: issued.ID, Name: issued.Name, Scopes: issued.Scopes},
	}
}

// drain takes an answer and keeps only how it began and how long it was.
type drain struct {
	header        http.Header
	status, bytes int
}

func (d *drain) Header() http.Header              { return d.header }
func (d *drain) WriteHeader(status int)           { d.status = status }
func (d *drain) SetWriteDeadline(time.Time) error { return nil }
func (d *drain) Write(b []byte) (int, error) {
	d.bytes += len(b)
	return len(b), nil
}

// whole answers a request as the server does, from its headers to the last byte.
func (e *endpoint) whole(b *testing.B, body []byte) {
	request := *e.request
	request.Body, request.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	w := &drain{header: http.Header{}}
	e.handler.ServeHTTP(w, &request)
	if w.status != http.StatusOK || w.bytes < 20 {
		b.Fatalf("%d, %d bytes", w.status, w.bytes)
	}
}

// execution executes the same operation, parsed, validated and its variables read before.
func (e *endpoint) execution(b *testing.B, text string, document *ast.QueryDocument, variables map[string]any) {
	ctx, _ := backoffice.WithStatementCount(auth.WithPrincipal(context.Background(), e.caller))
	ctx, release := execute.WithBuffer(loaders.With(ctx, e.backend.Store))
	defer release()
	defer loaders.From(ctx).Close()
	operation := &graphql.OperationContext{
		RawQuery: text, Doc: document, Operation: document.Operations[0], Variables: variables, RecoverFunc: graphql.DefaultRecover,
	}
	responses, ctx := e.beneath.DispatchOperation(graphql.WithOperationContext(ctx, operation), operation)
	if response := responses(ctx); len(response.Errors) > 0 || len(response.Data) < 20 {
		b.Fatal(response)
	}
}

// BenchmarkEndpoint measures the processor's time of a request through the whole handler, with authentication and
// limits, and how much of it the execution of its operation does not account for: transport, authentication, limits
// and the process around them. The two take turns, so that they meet the same noise. With PostgreSQL the database's
// own time is in neither.
func BenchmarkEndpoint(b *testing.B) {
	gatewaytest.Tuned(b)
	for engine, fresh := range gatewaytest.Engines {
		b.Run(engine, func(b *testing.B) {
			e := openEndpoint(b, fresh(b))
			for _, q := range []struct {
				name, text string
				vary       bool
			}{
				{"Q2", `query ($id: ID!) { customer(id: $id) { name transcripts(first: 10) { nodes { status checklist { name } } } } }`, true},
				{"Q5", `{ customers(first: 100) { nodes { id name email updatedAt } } }`, false},
				{"nothing", `{ __typename }`, false},
			} {
				b.Run(q.name, func(b *testing.B) { e.measure(b, q.text, q.vary) })
			}
		})
	}
}

func (e *endpoint) measure(b *testing.B, text string, vary bool) {
	document, errs := gqlparser.LoadQueryWithRules(e.schema.Schema(), text, nil)
	if errs != nil {
		b.Fatal(errs)
	}
	variables := []map[string]any{{}}
	if vary {
		variables = nil
		for _, id := range e.ids {
			variables = append(variables, map[string]any{"id": id})
		}
	}
	bodies := make([][]byte, len(variables))
	for i, values := range variables {
		bodies[i], _ = json.Marshal(map[string]any{"query": text, "variables": values}) // of texts alone
	}
	const turn = 50
	var whole, below time.Duration
	b.ReportAllocs()
	for done := 0; done < b.N; done += turn {
		last := min(done+turn, b.N)
		start := gatewaytest.ProcessorTime(b)
		for i := done; i < last; i++ {
			e.whole(b, bodies[i%len(bodies)])
		}
		between := gatewaytest.ProcessorTime(b)
		b.StopTimer() // what is reported beside is of the whole alone
		for i := done; i < last; i++ {
			e.execution(b, text, document, variables[(i+len(variables)/2)%len(variables)]) // none that the store has just read
		}
		below += gatewaytest.ProcessorTime(b) - between
		whole += between - start
		b.StartTimer()
	}
	b.ReportMetric(float64(whole.Microseconds())/float64(b.N), "cpu-µs/op")
	b.ReportMetric(float64(below.Microseconds())/float64(b.N), "cpu-µs-executing/op")
	b.ReportMetric(100*float64(whole-below)/float64(whole), "%around")
}
