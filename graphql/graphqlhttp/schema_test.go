package graphqlhttp

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/limits"
)

// contract is the project's own schema.
var contract = sync.OnceValue(func() *ast.Schema {
	text, err := os.ReadFile("../../schema.graphqls")
	if err != nil {
		panic(err)
	}
	return gqlparser.MustLoadSchema(&ast.Source{Name: "schema.graphqls", Input: string(text)})
})

// scripted answers each operation through a function of the test, or with null for every root field.
type scripted struct {
	answer func(ctx context.Context, operation *graphql.OperationContext) json.RawMessage
}

func (s scripted) Schema() *ast.Schema { return contract() }

func (s scripted) Complexity(context.Context, string, string, int, map[string]any) (int, bool) {
	return 0, false
}

func (s scripted) Exec(context.Context) graphql.ResponseHandler {
	done := false
	return func(ctx context.Context) *graphql.Response {
		if done {
			return nil
		}
		done = true
		operation := graphql.GetOperationContext(ctx)
		if s.answer != nil {
			return &graphql.Response{Data: s.answer(ctx, operation)}
		}
		return &graphql.Response{Data: nulls(operation)}
	}
}

func nulls(operation *graphql.OperationContext) json.RawMessage {
	out := map[string]any{}
	for _, field := range graphql.CollectFields(operation, operation.Operation.SelectionSet, nil) {
		out[field.Alias] = nil
		if field.Name == "__typename" {
			out[field.Alias] = "Query"
		}
	}
	data, _ := json.Marshal(out)
	return data
}

// reply is an answer as a client sees it.
type reply struct {
	status int
	header http.Header
	text   string
	Data   json.RawMessage
	Errors []struct {
		Message    string
		Path       []any
		Extensions struct {
			Code, RequestID, RequiredScope string
		}
	}
	Extensions struct {
		Cost          *explanation
		ErrorsOmitted int
	}
}

func (r reply) code() string {
	if len(r.Errors) == 0 {
		return ""
	}
	return r.Errors[0].Extensions.Code
}

// body makes the JSON body of a query.
func body(query string, variables ...map[string]any) string {
	object := map[string]any{"query": query}
	if len(variables) > 0 {
		object["variables"] = variables[0]
	}
	text, _ := json.Marshal(object)
	return string(text)
}

func post(t testing.TB, handler http.Handler, text string, change ...func(*http.Request)) reply {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/graphql", strings.NewReader(text))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", mediaGraphQL)
	for _, f := range change {
		f(r)
	}
	return serve(t, handler, r)
}

func serve(t testing.TB, handler http.Handler, r *http.Request) reply {
	t.Helper()
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	got := reply{status: w.Code, header: w.Header(), text: w.Body.String()}
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatalf("the answer is not JSON: %v\n%s", err, bytes.TrimSpace(w.Body.Bytes()))
	}
	if got.header.Get("Cache-Control") != "no-store" {
		t.Errorf("an answer may be stored: %v", got.header)
	}
	for _, problem := range got.Errors {
		if problem.Extensions.Code == "" {
			t.Errorf("an error has no code: %s", got.text)
		}
	}
	return got
}

func header(name, value string) func(*http.Request) {
	return func(r *http.Request) {
		if value == "" {
			r.Header.Del(name)
			return
		}
		r.Header.Set(name, value)
	}
}

// within has a request carry something.
func within(set func(*backoffice.Request)) func(*http.Request) {
	return func(r *http.Request) { *r = *r.WithContext(backoffice.WithRequest(r.Context(), set)) }
}

func named(id string) func(*http.Request) {
	return within(func(r *backoffice.Request) { r.ID = id })
}

// ledger is one that has to be asked before an answer leaves.
type ledger func() error

func (l ledger) Commit(context.Context) error { return l() }
func (ledger) CheckPurpose() error            { return nil }
func (ledger) Forget()                        {}

func (l ledger) keep(r *backoffice.Request) { r.Ledger = l }

func endpoint(hooks ...Hooks) *GraphQL {
	if len(hooks) == 0 {
		hooks = []Hooks{{}}
	}
	return New(scripted{}, limits.Defaults(), hooks[0])
}
