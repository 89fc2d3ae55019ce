package answers

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"example.org/backoffice/gateway/gatewaytest"
)

// safely sends a query by GET or QUERY, for a client that has what the tags identify.
func safely(t testing.TB, o *gatewaytest.Office, credential [2]string, method, query, tags string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	path, body := "/graphql?query="+url.QueryEscape(query), ""
	if method == "QUERY" {
		path, body = "/graphql", gatewaytest.JSON(t, map[string]string{"query": query})
	}
	r := gatewaytest.NewRequest(t, credential, method, path, body)
	r.Header.Set("Accept", "application/graphql-response+json")
	if tags != "" {
		r.Header.Set("If-None-Match", tags)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return o.Serve(r)
}

func TestAClientThatHasTheAnswerIsToldSo(t *testing.T) {
	t.Parallel()
	keeping(t, func(t *testing.T, o *gatewaytest.Office) {
		credential, all := credentials(t, o)
		for _, method := range []string{http.MethodGet, "QUERY"} {
			tag := ""
			for i := range 20 {
				name := fmt.Sprint(method, " names it ", i)
				asks(t, o, all, fmt.Sprintf(`mutation { updateCustomer(input: {id: "acme", name: %q}) { userErrors { code } } }`, name), "null")
				w := safely(t, o, credential, method, long, tag)
				if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), name) || w.Header().Get("ETag") == tag {
					t.Fatalf("after a change: %d %v\n%s", w.Code, w.Header(), w.Body)
				}
				tag = w.Header().Get("ETag")
				if w.Header().Get("Cache-Control") != "private, no-cache" || w.Header().Get("Accept-Query") != "application/json" {
					t.Fatal(w.Header())
				}
				for turn := range 3 { // executed, and kept
					kept := hits(t, o)
					for _, tags := range []string{tag, "W/" + tag, `"x", ` + tag, "*"} {
						same := safely(t, o, credential, method, long, tags)
						if same.Code != http.StatusNotModified || same.Body.Len() > 0 || same.Header().Get("ETag") != tag ||
							same.Header().Get("Cache-Control") != "private, no-cache" || same.Header().Get("Content-Length") != "" {
							t.Fatalf("%s: %d %v %s", tags, same.Code, same.Header(), same.Body)
						}
					}
					if turn > 0 && hits(t, o) != kept+4 {
						t.Fatalf("of 4 answers %d were kept ones", hits(t, o)-kept)
					}
				}
				if other := safely(t, o, credential, method, long, `"x"`); other.Code != http.StatusOK {
					t.Fatal(other.Code)
				}
			}
		}
	})
}

func TestEachCodingAndMediaTypeHasATagOfItsOwn(t *testing.T) {
	t.Parallel()
	keeping(t, func(t *testing.T, o *gatewaytest.Office) {
		credential, all := credentials(t, o)
		tags := map[string]string{}
		for range 3 {
			for _, header := range [][]string{{"Accept-Encoding", "gzip"}, {"Accept-Encoding", "zstd"}, {"Accept-Encoding", "br"}, {"Accept", "application/json"}} {
				w := safely(t, o, credential, "QUERY", long, "", header...)
				tag, of := w.Header().Get("ETag"), strings.Join(header, " ")
				if other, known := tags[tag]; tag == "" || known && other != of {
					t.Errorf("%s has the tag %s of %s", of, tag, other)
				}
				tags[tag] = of
			}
		}
		if len(tags) != 4 {
			t.Errorf("four representations have %d tags", len(tags))
		}
		for query, credential := range map[string][2]string{
			`{ customers { nodes { id registrationNumber } } }`:       credential,
			`{ customers { nodes { registrationNumber } } }`:          all,
			`{ viewer { name } customers { nodes { id } } }`:          all,
			`{ customers(first: -1) { nodes { id } } }`:               credential,
			`{ documents { nodes { file { downloadPath size } } } } `: credential,
		} {
			if w := safely(t, o, credential, "QUERY", query, "*"); w.Code == http.StatusNotModified || w.Header().Get("ETag") != "" || w.Header().Get("Cache-Control") != "no-store" {
				t.Errorf("%s: %d %v", query, w.Code, w.Header())
			}
		}
		r := gatewaytest.NewRequest(t, credential, http.MethodPost, "/graphql", gatewaytest.JSON(t, map[string]string{"query": long}))
		r.Header.Set("If-None-Match", "*")
		if w := o.Serve(r); w.Code != http.StatusOK || w.Header().Get("ETag") != "" || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("POST: %d %v", w.Code, w.Header())
		}
	})
}

func TestQUERYWritesNothing(t *testing.T) {
	t.Parallel()
	keeping(t, func(t *testing.T, o *gatewaytest.Office) {
		credential, all := credentials(t, o)
		w := safely(t, o, all, "QUERY", `mutation { createLabel(input: {name: "By QUERY"}) { label { id } } }`, "")
		var answer struct{ Errors []struct{ Message string } }
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != http.StatusUnprocessableEntity || len(answer.Errors) != 1 || w.Header().Get("Allow") != "" {
			t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
		}
		if got := asks(t, o, credential, `{ labels { nodes { name } } }`, "null"); strings.Contains(got, "By QUERY") {
			t.Error(got)
		}
		if w := safely(t, o, credential, "QUERY", names, "", "Content-Type", "text/plain"); w.Code != http.StatusUnsupportedMediaType {
			t.Errorf("a text: %d", w.Code)
		}
		if w := safely(t, o, [2]string{}, "QUERY", names, "*"); w.Code != http.StatusUnauthorized {
			t.Errorf("nobody: %d", w.Code)
		}
	})
}
