package exports

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
)

// savedNames are the names of the saved queries that a credential sees.
func savedNames(t testing.TB, o *gatewaytest.Office, credential [2]string) (names []string) {
	t.Helper()
	_, body, _ := o.Ask(t, credential, "{ savedQueries { name } }", nil, nil)
	var answer struct {
		Data struct{ SavedQueries []struct{ Name string } }
	}
	if err := json.Unmarshal(body, &answer); err != nil || answer.Data.SavedQueries == nil {
		t.Fatalf("%s", body)
	}
	for _, q := range answer.Data.SavedQueries {
		names = append(names, q.Name)
	}
	return names
}

// fetchQuery gets an address as a credential, and returns the code of the first error.
func fetchQuery(t testing.TB, o *gatewaytest.Office, credential [2]string, path string, header ...string) (w *httptest.ResponseRecorder, code string) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody)
	r.Header.Set(auth.ClientIDHeader, credential[0])
	r.Header.Set(auth.ClientSecretHeader, credential[1])
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w = httptest.NewRecorder()
	o.Handler.ServeHTTP(w, r)
	var answer struct {
		Errors []struct{ Extensions struct{ Code string } }
	}
	if w.Code != http.StatusNotModified {
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
			t.Fatalf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	if len(answer.Errors) > 0 {
		code = answer.Errors[0].Extensions.Code
	}
	return w, code
}

func TestASavedQueryIsKeptFoundRunAndRemoved(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run("on "+engine, func(t *testing.T) {
			t.Parallel()
			o := gatewaytest.OpenOn(t, database(t))
			credential, other := o.Credential(t), o.Credential(t, backoffice.PrivacyRead)
			const document = "# Customers of a type\n# The first of them.\n\n# By identifier.\nquery OfType($type: CustomerType!, $first: Int! = 2) { customers(first: $first, filter: {type: $type}) { totalCount nodes { id } } }"
			if wrong := o.Saves(t, credential, map[string]any{"document": document}); wrong != nil {
				t.Fatal(wrong)
			}
			_, body, calls := o.Ask(t, other, "{ savedQueries { name title description document documentId requiredScopes cost } }", nil, nil)
			want := fmt.Sprintf(`{"data":{"savedQueries":[{"name":"OfType","title":"Customers of a type","description":"The first of them.\nBy identifier.","document":%s,"documentId":%q,"requiredScopes":[],"cost":103}]}}`,
				gatewaytest.JSON(t, document), backoffice.DocumentID(document))
			if diff := cmp.Diff(want, strings.TrimSpace(string(body))); diff != "" || calls != 1 {
				t.Error(diff, calls)
			}
			w, _ := fetchQuery(t, o, other, "/queries/OfType.json?type=COMPANY&first=3")
			_, direct, _ := o.Ask(t, other, strings.ReplaceAll(document, "$type: CustomerType!, $first: Int! = 2", "$type: CustomerType! = COMPANY, $first: Int! = 3"), nil, nil)
			if w.Code != 200 || w.Body.String() != string(direct) || w.Header().Get("Content-Type") != "application/json; charset=utf-8" || w.Header().Get("Cache-Control") != "no-store" {
				t.Errorf("%d %s\nwant %s", w.Code, w.Body, direct)
			}
			if again, _ := fetchQuery(t, o, other, "/queries/OfType.json?type=COMPANY&first=3", "If-None-Match", `"x", W/`+w.Header().Get("ETag")); again.Code != http.StatusNotModified || again.Body.Len() != 0 {
				t.Errorf("%d %s", again.Code, again.Body)
			}
			if byID := o.Send(t, other, http.MethodPost, "/graphql", `{"documentId":"`+backoffice.DocumentID(document)+`","variables":{"type":"COMPANY","first":3}}`); byID.Body.String() != w.Body.String() {
				t.Errorf("by its identifier: %s", byID.Body)
			}

			const rehearsed = `mutation { saveQuery(input: {document: "query Rehearsed { viewer { name } }"}, dryRun: true) { savedQuery { name } userErrors { code } } }`
			if _, body, _ := o.Ask(t, credential, rehearsed, nil, nil); strings.TrimSpace(string(body)) != `{"data":{"saveQuery":{"savedQuery":{"name":"Rehearsed"},"userErrors":[]}}}` || len(savedNames(t, o, credential)) != 1 {
				t.Errorf("a dry run: %s, and then there are %v", body, savedNames(t, o, credential))
			}
			replaced := strings.Replace(document, "Int! = 2", "Int!", 1)
			if wrong := o.Saves(t, other, map[string]any{"document": document}); !cmp.Equal(wrong, []string{"TAKEN name"}) {
				t.Errorf("another credential replaces it: %v", wrong)
			}
			if wrong := o.Saves(t, credential, map[string]any{"document": replaced, "title": " New title ", "description": ""}); wrong != nil {
				t.Error(wrong)
			}
			_, body, _ = o.Ask(t, credential, "{ savedQueries { title description cost } }", nil, nil)
			if got := strings.TrimSpace(string(body)); got != `{"data":{"savedQueries":[{"title":"New title","description":null,"cost":null}]}}` {
				t.Error(got)
			}
			remove := func(credential [2]string, name string) string {
				_, body, _ := o.Ask(t, credential, `mutation { removeSavedQuery(input: {name: "`+name+`"}) { removedName userErrors { code } } }`, nil, nil)
				return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(string(body)), `{"data":{"removeSavedQuery":`), "}}")
			}
			for _, step := range []struct {
				credential [2]string
				name, want string
			}{
				{other, "OfType", `{"removedName":null,"userErrors":[{"code":"NOT_ALLOWED"}]}`}, {credential, "Unknown", `{"removedName":null,"userErrors":[{"code":"NOT_FOUND"}]}`},
				{credential, "OfType", `{"removedName":"OfType","userErrors":[]}`}, {credential, "OfType", `{"removedName":null,"userErrors":[{"code":"NOT_FOUND"}]}`},
			} {
				if got := remove(step.credential, step.name); got != step.want {
					t.Errorf("%s: %s", step.name, got)
				}
			}
			if w, code := fetchQuery(t, o, credential, "/queries/OfType.json?type=COMPANY"); w.Code != 404 || code != "NOT_FOUND" || savedNames(t, o, credential) != nil {
				t.Errorf("%d %s", w.Code, w.Body)
			}
			log, err := o.Store.Changes(t.Context(), 0, 1000)
			if err != nil {
				t.Fatal(err)
			}
			var acts []string
			for _, entry := range log {
				if entry.Noun == backoffice.NounTrustedDocuments {
					acts = append(acts, entry.Action+" "+entry.ObjectID+" "+entry.ClientID)
				}
			}
			if diff := cmp.Diff([]string{"saveQuery OfType " + credential[0], "saveQuery OfType " + credential[0], "removeSavedQuery OfType " + credential[0]}, acts); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWhatCannotBeSavedSaysWhy(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	credential, confined := o.Credential(t, backoffice.AllScopes...), o.Confined(t)
	o.Trusts(t, "portal", "query Taken { viewer { name } }", "mutation save { saveQuery(input: {name: \"x\", document: \"query Q { viewer { name } }\"}) { userErrors { code } } }")
	const good = "query Good { viewer { name } }"
	for _, test := range []struct {
		input map[string]any
		want  string
	}{
		{map[string]any{"document": "{"}, "INVALID document"},
		{map[string]any{"document": "{ x }", "name": "X"}, "INVALID document"},
		{map[string]any{"document": "{ viewer { name } }"}, "REQUIRED name"},
		{map[string]any{"document": good, "name": ""}, "REQUIRED name"},
		{map[string]any{"document": good, "name": "a.b"}, "INVALID name"},
		{map[string]any{"document": good, "name": strings.Repeat("n", 101)}, "INVALID name"},
		{map[string]any{"document": good, "title": "a\nb"}, "INVALID title"},
		{map[string]any{"document": good, "title": strings.Repeat("é", 201)}, "INVALID title"},
		{map[string]any{"document": good, "description": "a\x01"}, "INVALID description"},
		{map[string]any{"document": good, "description": strings.Repeat("ab\n", 2000)}, "INVALID description"},
		{map[string]any{"document": good, "name": "Taken"}, "TAKEN name"},
		{map[string]any{"document": `mutation M { createLabel(input: {name: "x"}) { label { id } } }`}, "NOT_ALLOWED document"},
		{map[string]any{"document": "subscription S { changes { action } }"}, "NOT_ALLOWED document"},
		{map[string]any{"document": good + " query Two { viewer { name } }"}, "INVALID document"},
		{map[string]any{"document": "query V($after: String) { customers(after: $after) { totalCount } }"}, "INVALID document"},
		{map[string]any{"document": `query N { customers(filter: {registrationNumber: "85073003328"}) { totalCount } }`}, "INVALID document"},
		{map[string]any{"document": `query N($n: String = "85073003328") { customers(filter: {registrationNumber: $n}) { totalCount } }`}, "INVALID document"},
		{map[string]any{"document": "query C { customers(first: 500) { nodes { relations(first: 500) { nodes { id } } } } }"}, "INVALID document"},
		{map[string]any{"document": "query A {" + strings.Repeat(" a: viewer { name }", 31) + " }"}, "INVALID document"},
	} {
		if wrong := o.Saves(t, credential, test.input); !cmp.Equal(wrong, []string{test.want}) {
			t.Errorf("%v: %v", test.input, wrong)
		}
	}
	if names := savedNames(t, o, credential); !cmp.Equal(names, []string{"Taken"}) {
		t.Error(names)
	}
	if _, code, text, _ := o.GraphQL(t, confined, `{"documentId":"`+backoffice.DocumentID("mutation save { saveQuery(input: {name: \"x\", document: \"query Q { viewer { name } }\"}) { userErrors { code } } }")+`"}`); code != "FORBIDDEN" {
		t.Errorf("a credential for trusted documents alone saves: %s", text)
	}
}

func TestOfOneNameAnOperatorsQueryCounts(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	credential, confined := o.Credential(t), o.Confined(t)
	if wrong := o.Saves(t, credential, map[string]any{"document": "query Own { viewer { name } }"}); wrong != nil {
		t.Fatal(wrong)
	}
	if wrong := o.Saves(t, credential, map[string]any{"document": "query Both { viewer { name } }"}); wrong != nil {
		t.Fatal(wrong)
	}
	o.Trusts(t, "b", "# Titled\nquery Both { viewer { clientId } }", "mutation M { __typename }", "{ savedQueries { name } }")
	o.Trusts(t, "a", "query Both { viewer { __typename } }")
	if names := savedNames(t, o, credential); !cmp.Equal(names, []string{"Both", "Own"}) {
		t.Error(names)
	}
	if names := savedNames(t, o, confined); !cmp.Equal(names, []string{"Both"}) {
		t.Errorf("a credential for trusted documents alone sees %v", names)
	}
	if w, _ := fetchQuery(t, o, credential, "/queries/Both.json"); !strings.Contains(w.Body.String(), "clientId") {
		t.Errorf("%s", w.Body)
	}
	if w, code := fetchQuery(t, o, confined, "/queries/Own.json"); w.Code != 404 || code != "NOT_FOUND" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	own := backoffice.DocumentID("query Own { viewer { name } }")
	if _, code, text, _ := o.GraphQL(t, confined, `{"documentId":"`+own+`"}`); code != "PERSISTED_DOCUMENT_NOT_FOUND" {
		t.Errorf("what another credential has saved is run: %s", text)
	}
	if _, code, text, _ := o.GraphQL(t, confined, `{"query":"query Own { viewer { name } }"}`); code != "FORBIDDEN" {
		t.Errorf("what another credential has saved is run: %s", text)
	}
	if status, _, text, _ := o.GraphQL(t, credential, `{"documentId":"`+own+`"}`); status != 200 {
		t.Error(text)
	}
}

func TestTheParametersOfAnAddressAreVariables(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	credential := o.Credential(t)
	o.Trusts(t, "office",
		"query V($b: Boolean = false, $n: Int = 1, $ids: [ID!], $type: CustomerType, $f: CustomerFilter, $search: String) { "+
			"a: customers(first: $n, filter: $f) { nodes { id } } b: customers(filter: {type: $type, search: $search, ids: $ids}) { totalCount @include(if: $b) nodes { id } } }",
		"query Page($after: String) { customers(first: 1, after: $after) { nodes { id } } }")
	for parameters, want := range map[string]string{
		"":                                      `{"customers":{}}`,
		"b=true":                                "",
		"n=2&type=COMPANY":                      "",
		"type=":                                 "", // null
		"ids=customer-a&ids=customer-b":         "",
		`f={"type":"COMPANY","kboNumber":null}`: "",
		"search=100%25":                         "",
		"b=1":                                   "BAD_USER_INPUT",
		"b=TRUE":                                "BAD_USER_INPUT",
		"n=1&n=2":                               "BAD_USER_INPUT",
		"n=two":                                 "BAD_USER_INPUT",
		"n=1,\"b\":true":                        "BAD_USER_INPUT",
		"n=1e99":                                "BAD_USER_INPUT",
		"n=NaN":                                 "BAD_USER_INPUT",
		"n=999":                                 "BAD_USER_INPUT",
		"type=company":                          "BAD_USER_INPUT",
		"type=COMPANY&x=1":                      "BAD_USER_INPUT",
		"f=COMPANY":                             "BAD_USER_INPUT",
		`f={"tipe":1}`:                          "BAD_USER_INPUT",
		`f={"type":"COMPANY","type":"COMPANY"}`: "BAD_USER_INPUT",
		"search=ab":                             "BAD_USER_INPUT",
		"search=%ff":                            "BAD_USER_INPUT",
		"format=csv":                            "BAD_USER_INPUT",
		"%zz=1":                                 "BAD_USER_INPUT",
	} {
		w, code := fetchQuery(t, o, credential, "/queries/V.json?"+strings.NewReplacer(`"`, "%22", "{", "%7B", "}", "%7D").Replace(parameters))
		if strings.HasPrefix(want, "{") {
			want = ""
		}
		if code != want || (code == "") != (w.Code == 200) {
			t.Errorf("%s: %d %s", parameters, w.Code, w.Body)
		}
		if code != "" && w.Code != 400 {
			t.Errorf("%s: %d", parameters, w.Code)
		}
	}
	if w, code := fetchQuery(t, o, credential, "/queries/Page.json?after=x"); w.Code != 400 || code != "BAD_USER_INPUT" {
		t.Errorf("a reserved name: %d %s", w.Code, w.Body)
	}
	if w, code := fetchQuery(t, o, credential, "/queries/Page.json"); w.Code != 200 || code != "" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestAnAddressTakesNoRegistrationNumberAndNeedsEveryScope(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	all, none := o.Credential(t, backoffice.AllScopes...), o.Credential(t)
	o.Trusts(t, "office",
		"query Direct($n: String) { customers(filter: {registrationNumber: $n}) { totalCount } }",
		"query Inside($f: CustomerFilter) { ...F } fragment F on Query { customers(filter: $f) { totalCount } }",
		"query Spread($n: String) { ...F } fragment F on Query { customers(filter: {spouseRegistrationNumber: $n}) { totalCount } }",
		"query Shown { customers(first: 5) { nodes { id registrationNumber } } }",
		"query Plain { customers(first: 1) { nodes { id } } }")
	for _, path := range []string{
		"Direct.json?n=85073003328", "Spread.json?n=85073003328", "Inside.json?f=%7B%22registrationNumber%22%3A%2285073003328%22%7D",
	} {
		for _, credential := range [][2]string{all, none} {
			if w, code := fetchQuery(t, o, credential, "/queries/"+path); w.Code != 400 || code != "BAD_USER_INPUT" || strings.Contains(w.Body.String(), "85073003328") {
				t.Errorf("%s: %d %s", path, w.Code, w.Body)
			}
		}
	}
	for _, path := range []string{"Direct.json", "Direct.json?n=", "Inside.json?f=%7B%22registrationNumber%22%3Anull%7D", "Plain.json"} {
		if w, code := fetchQuery(t, o, all, "/queries/"+path); path != "Direct.json?n=" && (w.Code != 200 || code != "") {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	entries := func() int {
		counts, err := backoffice.ReadCounts(context.WithoutCancel(t.Context()), o.Store.Consultations(), backoffice.Root, backoffice.ConsultationCriteria{}, []string{backoffice.NoParent})
		if err != nil {
			t.Fatal(err)
		}
		return counts[backoffice.NoParent]
	}
	before := entries()
	if w, code := fetchQuery(t, o, none, "/queries/Shown.json"); w.Code != 403 || code != "FORBIDDEN" || !strings.Contains(w.Body.String(), `"requiredScope":"privacy.read"`) || strings.Contains(w.Body.String(), "data") {
		t.Errorf("without the scope: %d %s", w.Code, w.Body)
	}
	if entries() != before {
		t.Error("a refused query is in the register")
	}
	if w, _ := fetchQuery(t, o, all, "/queries/Shown.json", "X-Access-Purpose", "yearly check"); w.Code != 200 || entries() == before {
		t.Errorf("%d, and %d entries in the register", w.Code, entries()-before)
	}
	for path, status := range map[string]int{"/queries/Unknown.json": 404, "/queries/Plain": 404, "/queries/Plain.html": 404, "/queries/.json": 404, "/queries/Plain.json.json": 404} {
		if w, _ := fetchQuery(t, o, all, path); w.Code != status {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	if w, _ := fetchQuery(t, o, [2]string{all[0], "wrong"}, "/queries/Plain.json"); w.Code != 401 {
		t.Errorf("without a credential: %d", w.Code)
	}
	for _, path := range []string{"/queries/Unknown.json", "/queries/Plain.json?unknown=1"} {
		w, _ := fetchQuery(t, o, all, path)
		if media := w.Header().Get("Content-Type"); w.Code < 400 || media != "application/json; charset=utf-8" {
			t.Errorf("%s: %d %s", path, w.Code, media)
		}
	}
	if w := o.Send(t, all, http.MethodPost, "/queries/Plain.json", "{}"); w.Code != 405 || w.Header().Get("Allow") != "GET, HEAD" {
		t.Errorf("POST: %d %v", w.Code, w.Header())
	}
}
