package parity

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"example.org/backoffice/auth"
	"example.org/backoffice/gateway/gatewaytest"
)

func TestAPreflightIsNoFailedSignIn(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	ask := func(method, path string, header http.Header) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, path, nil)
		r.Header = header
		w := httptest.NewRecorder()
		o.Handler.ServeHTTP(w, r)
		return w
	}
	for _, path := range []string{"/graphql", "/customers"} {
		for range 20 {
			preflight := http.Header{"Origin": {"https://elsewhere.example"}, "Access-Control-Request-Method": {"POST"}}
			if w := ask(http.MethodOptions, path, preflight); w.Code != http.StatusNoContent || w.Header().Get("Access-Control-Allow-Origin") != "" {
				t.Fatalf("%s: %d %v", path, w.Code, w.Header())
			}
		}
	}
	if w := ask(http.MethodGet, "/customers", http.Header{auth.ClientIDHeader: {"nobody"}}); w.Code != http.StatusUnauthorized {
		t.Errorf("the first failed sign-in: %d", w.Code)
	}
}

func TestARefusedMethodIsToldWhichWork(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	credential := o.Credential(t)
	for request, allow := range map[string]string{
		"FOO /graphql": "GET, POST, QUERY", "PUT /graphql": "GET, POST, QUERY", "FOO /graphql/export": "POST",
		"FOO /docs": "GET, HEAD", "FOO /graphiql": "GET, HEAD", "POST /livez": "GET, HEAD", "FOO /livez": "GET, HEAD",
		"POST /schema.graphqls": "GET, HEAD", "FOO /customers": "GET, HEAD, POST", "CONNECT /mcp": "POST",
	} {
		method, path, _ := strings.Cut(request, " ")
		w := o.Serve(gatewaytest.NewRequest(t, credential, method, path, ""))
		if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != allow {
			t.Errorf("%s: %d %q", request, w.Code, w.Header().Get("Allow"))
		}
	}
}

func TestTheSchemaIsTakenForNothingElse(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		w := httptest.NewRecorder()
		o.Handler.ServeHTTP(w, httptest.NewRequest(method, "/schema.graphqls", nil))
		if w.Code != http.StatusOK || w.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %d %v", method, w.Code, w.Header())
		}
	}
}

func TestTheSchemaThatIsServedIsTheFile(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("../../schema.graphqls")
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	gatewaytest.Open(t).Handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/schema.graphqls", nil))
	if w.Body.String() != string(file) {
		t.Error("the schema that is served is not schema.graphqls: run make generate")
	}
}
