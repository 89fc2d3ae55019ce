package graphqlhttp

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"example.org/backoffice/graphql/limits"
)

func TestARequestIsRefusedWithTheStatusThatSaysWhy(t *testing.T) {
	t.Parallel()
	g := endpoint()
	good := body("{ __typename }")
	for _, c := range []struct {
		sentence string
		body     string
		change   func(*http.Request)
		status   int
		allow    string
	}{
		{"a form", "query=%7B__typename%7D", header("Content-Type", "application/x-www-form-urlencoded"), 415, ""},
		{"a multipart form", "--x--", header("Content-Type", "multipart/form-data; boundary=x"), 415, ""},
		{"plain text", good, header("Content-Type", "text/plain"), 415, ""},
		{"GraphQL as such", "{ __typename }", header("Content-Type", "application/graphql"), 415, ""},
		{"no content type", good, header("Content-Type", ""), 415, ""},
		{"another charset", good, header("Content-Type", "application/json; charset=utf-16"), 415, ""},
		{"a compressed body", good, header("Content-Encoding", "gzip"), 415, ""},
		{"an unacceptable answer", good, header("Accept", "text/html"), 406, ""},
		{"an answer that is refused", good, header("Accept", "application/json;q=0"), 406, ""},
		{"PUT", good, func(r *http.Request) { r.Method = http.MethodPut }, 405, "GET, POST, QUERY"},
		{"DELETE", good, func(r *http.Request) { r.Method = http.MethodDelete }, 405, "GET, POST, QUERY"},
		{"an empty body", "", nil, 400, ""},
		{"a list of operations", "[" + good + "," + good + "]", nil, 400, ""},
		{"a text", `"{ __typename }"`, nil, 400, ""},
		{"two bodies", good + good, nil, 400, ""},
		{"a key twice", `{"query":"{ __typename }","query":"{ __typename }"}`, nil, 400, ""},
		{"an unknown key", `{"query":"{ __typename }","variabels":{}}`, nil, 400, ""},
		{"no query", `{"operationName":"Q"}`, nil, 400, ""},
		{"variables that are a list", `{"query":"{ __typename }","variables":[]}`, nil, 400, ""},
		{"invalid UTF-8", "{\"query\":\"{ __typename } # \xff\"}", nil, 400, ""},
		{"invalid UTF-8 in parameters", "", func(r *http.Request) {
			r.Method, r.URL.RawQuery = http.MethodGet, "query=%7B__typename%7D%20%23%FF"
		}, 400, ""},
		{"deep variables", `{"query":"{ __typename }","variables":{"a":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + "}}", nil, 400, ""},
	} {
		t.Run(c.sentence, func(t *testing.T) {
			t.Parallel()
			change := c.change
			if change == nil {
				change = func(*http.Request) {}
			}
			got := post(t, g, c.body, change)
			if got.status != c.status || got.code() != "BAD_USER_INPUT" || got.Data != nil || got.header.Get("Allow") != c.allow {
				t.Errorf("%d %v %s, want %d", got.status, got.header, got.text, c.status)
			}
		})
	}
}

func TestAnEmptyDocumentIdentifierIsNone(t *testing.T) {
	t.Parallel()
	for range 50 { // in any order of the keys
		q, refused := requestOf(map[string]any{"documentId": "one", "doc_id": "", "extensions": &object{members: map[string]any{"persistedQuery": &object{}}}})
		if refused != nil || q.documentID != "one" {
			t.Fatalf("%v: it is %q", refused, q.documentID)
		}
		if q, refused = requestOf(map[string]any{"query": nil, "documentId": nil, "doc_id": "one"}); refused != nil || q.documentID != "one" {
			t.Fatalf("null: %v: it is %q", refused, q.documentID)
		}
	}
}

func TestABodyAtTheLimitIsReadAndOneByteMoreIsNot(t *testing.T) {
	t.Parallel()
	g := endpoint()
	most := limits.Defaults().Body
	text := body("{ __typename }")
	text += strings.Repeat(" ", most-len(text))
	if got := post(t, g, text); got.status != 200 {
		t.Errorf("at the limit: %d", got.status)
	}
	for sentence, change := range map[string]func(*http.Request){
		"a stated length":    func(*http.Request) {},
		"no stated length":   func(r *http.Request) { r.ContentLength = -1 },
		"a length too small": func(r *http.Request) { r.ContentLength = 10 },
	} {
		if got := post(t, g, text+" ", change); got.status != 413 {
			t.Errorf("%s: %d", sentence, got.status)
		}
	}
}

func TestTheAnswerHasTheMediaTypeThatWasAskedFor(t *testing.T) {
	t.Parallel()
	g := endpoint()
	for accept, want := range map[string]string{
		"":                                  "application/json",
		"*/*":                               "application/json",
		"application/*":                     "application/json",
		mediaGraphQL:                        mediaGraphQL,
		"application/json, multipart/mixed": "application/json",
		"application/graphql-response+json, application/json;q=0.9":           mediaGraphQL,
		"application/json;q=0.5, application/graphql-response+json; q=0.9":    mediaGraphQL,
		"text/html, application/graphql-response+json;charset=utf-8, */*;q=0": mediaGraphQL,
		"*/*, application/json;q=0":                                           mediaGraphQL,
		"application/json;q=0.1, */*;q=0.5":                                   mediaGraphQL,
		"*/*, application/json;q=0.5, application/graphql-response+json;q=0":  "application/json",
		"application/graphql-response+json;q=0.2, */*, application/json;q=.1": mediaGraphQL,
		"*/*, application/json":                                               "application/json",
		"application/json;q=0.5, */*;q=0.5":                                   "application/json",
		"application/json, text/plain, */*":                                   "application/json",
	} {
		got := post(t, g, body("{ __typename }"), header("Accept", accept))
		if got.status != 200 || got.header.Get("Content-Type") != want+"; charset=utf-8" {
			t.Errorf("%q: %d %s", accept, got.status, got.header.Get("Content-Type"))
		}
		bad := post(t, g, body("{ nothing }"), header("Accept", accept))
		if status := map[string]int{mediaGraphQL: 400, "application/json": 200}[want]; bad.status != status || bad.Data != nil {
			t.Errorf("%q: an invalid document is answered with %d", accept, bad.status)
		}
	}
}

func TestGETAnswersQueriesAndRefusesMutations(t *testing.T) {
	t.Parallel()
	g := endpoint()
	get := func(parameters url.Values) reply {
		r := httptest.NewRequest(http.MethodGet, "/graphql?"+parameters.Encode(), nil)
		r.Header.Set("Accept", mediaGraphQL)
		return serve(t, g, r)
	}
	if got := get(url.Values{"query": {"query Q($id: ID!) { customer(id: $id) { id } }"}, "variables": {`{"id":"a"}`}, "operationName": {"Q"}}); got.status != 200 {
		t.Errorf("a query: %d %s", got.status, got.text)
	}
	got := get(url.Values{"query": {`mutation { deleteUser(input: {id: "a"}) { deletedUserId } }`}})
	if got.status != 405 || got.header.Get("Allow") != "POST" {
		t.Errorf("a mutation: %d %v", got.status, got.header)
	}
	for sentence, parameters := range map[string]url.Values{
		"no query":            {},
		"a parameter twice":   {"query": {"{ __typename }", "{ __typename }"}},
		"an unknown one":      {"query": {"{ __typename }"}, "x": {"1"}},
		"broken variables":    {"query": {"{ __typename }"}, "variables": {"{"}},
		"a list of variables": {"query": {"{ __typename }"}, "variables": {"[]"}},
	} {
		if got := get(parameters); got.status != 400 || got.code() != codeBadInput {
			t.Errorf("%s: %d %s", sentence, got.status, got.text)
		}
	}
}

func FuzzTheBodyParserNeverEchoesNorPanics(f *testing.F) {
	for _, seed := range []string{body("{ __typename }"), `[]`, `{"query":1}`, `{"query":"{","variables":{"a":[1,{"b":null}]}}`, "\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, refused := parseBody(text, 64)
		if refused == nil && q.query == "" {
			t.Error("a request without a query")
		}
		if refused != nil && (refused.status != 400 || len(refused.errs[0].Message) > 120) {
			t.Errorf("%d %s", refused.status, refused.errs[0].Message)
		}
	})
}
