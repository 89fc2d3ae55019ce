package gateway

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/limits"
	"example.org/backoffice/graphql/trusted"
)

// trusts has an operator trust texts as a set, and returns their identifiers.
func (o *office) trusts(t testing.TB, set string, texts ...string) (ids []string) {
	t.Helper()
	documents := make([]*trusted.Document, len(texts))
	for i, text := range texts {
		documents[i] = &trusted.Document{Place: fmt.Sprint(i), Text: text}
		ids = append(ids, backoffice.DocumentID(text))
	}
	checked, err := trusted.Check(NewDocumentChecker(unhurried()), documents)
	if err != nil {
		t.Fatal(err)
	}
	act := backoffice.Trusting{Set: set, Documents: checked, Now: backoffice.InstantOf(time.Now())}
	if _, err := act.Trust(t.Context(), o.Store); err != nil {
		t.Fatal(err)
	}
	return ids
}

// confined issues a pair that may send trusted documents alone.
func (o *office) confined(t testing.TB, scopes ...backoffice.Scope) [2]string {
	t.Helper()
	now := backoffice.InstantOf(time.Now())
	pair, err := backoffice.NewCredential(backoffice.NewID(), "confined", scopes, now, 0)
	if err != nil {
		t.Fatal(err)
	}
	pair.TrustedOnly = true
	secret, err := auth.IssuePair(t.Context(), o.Store, pair, now)
	if err != nil {
		t.Fatal(err)
	}
	return [2]string{pair.ID, secret}
}

// graphql posts a GraphQL request as it is, and returns what a client makes of the answer.
func (o *office) graphql(t testing.TB, pair [2]string, body string) (status int, code, text string, calls int) {
	t.Helper()
	ctx, counter := backoffice.WithStatementCount(t.Context())
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/graphql", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/graphql-response+json")
	return o.answered(t, r, pair, counter)
}

func (o *office) answered(t testing.TB, r *http.Request, pair [2]string, counter *backoffice.StatementCount) (status int, code, text string, calls int) {
	t.Helper()
	r.Header.Set(auth.ClientIDHeader, pair[0])
	r.Header.Set(auth.ClientSecretHeader, pair[1])
	w := httptest.NewRecorder()
	o.handler.ServeHTTP(w, r)
	var answer struct {
		Errors []struct {
			Message    string
			Extensions struct{ Code string }
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
		t.Fatalf("%v\n%s", err, w.Body)
	}
	if len(answer.Errors) > 0 {
		code = answer.Errors[0].Extensions.Code
	}
	return w.Code, code, strings.TrimSpace(w.Body.String()), counter.Count()
}

func (o *office) get(t testing.TB, pair [2]string, parameters url.Values) (status int, code, text string) {
	t.Helper()
	ctx, counter := backoffice.WithStatementCount(t.Context())
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/graphql?"+parameters.Encode(), http.NoBody)
	r.Header.Set("Accept", "application/graphql-response+json")
	status, code, text, _ = o.answered(t, r, pair, counter)
	return status, code, text
}

const listed = "query Listed($first: Int = 2) { customers(first: $first) { nodes { id displayName relations { nodes { kind } } } } }"

func TestADocumentIsNamedByItsIdentifierInEveryFormOfRequest(t *testing.T) {
	t.Parallel()
	for engine, database := range engines {
		t.Run("on "+engine, func(t *testing.T) {
			t.Parallel()
			o := openOfficeOn(t, database(t))
			pair := o.pair(t)
			id := o.trusts(t, "portal", listed)[0]
			hash := strings.TrimPrefix(id, "sha256:")
			_, _, want, _ := o.graphql(t, pair, `{"query":`+encoded(t, listed)+`,"variables":{"first":3}}`)
			_, _, again, texts := o.graphql(t, pair, `{"query":`+encoded(t, listed)+`,"variables":{"first":3}}`)
			if want != again || !strings.HasPrefix(want, `{"data"`) {
				t.Fatal(want)
			}
			for i, body := range []string{
				`{"documentId":"` + id + `","variables":{"first":3}}`,
				`{"documentId":"` + hash + `","variables":{"first":3},"operationName":"Listed"}`,
				`{"doc_id":"` + id + `","variables":{"first":3}}`,
				`{"doc_id":"` + strings.ToUpper(hash) + `","variables":{"first":3}}`,
				`{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"` + hash + `"}},"variables":{"first":3}}`,
				`{"documentId":"` + id + `","doc_id":"` + hash + `","query":` + encoded(t, listed) + `,"variables":{"first":3}}`,
			} {
				status, _, got, calls := o.graphql(t, pair, body)
				if status != 200 || got != want {
					t.Errorf("%s: %d %s", body, status, got)
				}
				if i > 0 && calls != texts { // the first asks the store for the document
					t.Errorf("%s: %d statements, and %d with the text", body, calls, texts)
				}
			}
			for _, parameters := range []url.Values{
				{"documentId": {id}}, {"doc_id": {hash}}, {"extensions": {`{"persistedQuery":{"version":1,"sha256Hash":"` + hash + `"}}`}},
			} {
				parameters.Set("variables", `{"first":3}`)
				if status, _, got := o.get(t, pair, parameters); status != 200 || got != want {
					t.Errorf("%v: %d %s", parameters, status, got)
				}
			}

			f := o.follower(t, pair)
			s := f.connects(t)
			s.says(t, `{"type":"subscribe","id":"1","payload":{"documentId":"`+id+`","variables":{"first":3}}}`)
			if m := s.hears(t); m.Type != "next" || string(m.Payload) != want {
				t.Errorf("on a socket: %s %s", m.Type, m.Payload)
			}
			events := o.send(t, pair, http.MethodPost, "/graphql", `{"documentId":"`+id+`","variables":{"first":3}}`)
			if events.Code != 200 {
				t.Error(events.Body)
			}
		})
	}
}

func TestAnUnknownIdentifierIsOneErrorEverywhere(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	pair, confined := o.pair(t), o.confined(t)
	for _, id := range []string{"unknown", backoffice.DocumentID("{ x }"), "sha256:", strings.Repeat("x", 256), "a\\u0000b", "Listed"} {
		for _, pair := range [][2]string{pair, confined} {
			if status, code, text, _ := o.graphql(t, pair, `{"documentId":"`+id+`"}`); status != 400 || code != "PERSISTED_DOCUMENT_NOT_FOUND" {
				t.Errorf("%s: %d %s", id, status, text)
			}
		}
	}
	if status, code, text := o.get(t, pair, url.Values{"documentId": {"unknown"}}); status != 400 || code != "PERSISTED_DOCUMENT_NOT_FOUND" {
		t.Errorf("GET: %d %s", status, text)
	}
	if w := o.send(t, pair, http.MethodPost, "/graphql", `{"documentId":"unknown"}`); w.Code != 200 || !strings.Contains(w.Body.String(), "PERSISTED_DOCUMENT_NOT_FOUND") {
		t.Errorf("as application/json: %d %s", w.Code, w.Body)
	}
	_, code, text, _ := o.graphql(t, pair, `{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"unknown"}}}`)
	if code != "PERSISTED_DOCUMENT_NOT_FOUND" || !strings.Contains(text, `"PersistedQueryNotSupported"`) { // by which Apollo's clients send the document
		t.Error(text)
	}
	s := o.follower(t, pair).connects(t)
	s.says(t, `{"type":"subscribe","id":"1","payload":{"documentId":"unknown"}}`)
	if m := s.hears(t); m.Type != "error" || !strings.Contains(string(m.Payload), "PERSISTED_DOCUMENT_NOT_FOUND") {
		t.Errorf("on a socket: %s %s", m.Type, m.Payload)
	}
}

func TestATextAndAnIdentifierHaveToAgree(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	pair, confined := o.pair(t), o.confined(t)
	id := o.trusts(t, "portal", listed)[0]
	for body, want := range map[string]string{
		`{"query":"{__typename}","documentId":"` + id + `"}`:                                     "BAD_USER_INPUT",
		`{"query":"{__typename}","doc_id":"unknown"}`:                                            "BAD_USER_INPUT",
		`{"query":"{__typename}","extensions":{"persistedQuery":{"sha256Hash":"unknown"}}}`:      "BAD_USER_INPUT",
		`{"documentId":"` + id + `","doc_id":"other"}`:                                           "BAD_USER_INPUT",
		`{"query":"{__typename}","documentId":"` + backoffice.DocumentID("{__typename}") + `"}`:  "",
		`{"query":"{__typename}","documentId":"","extensions":{"persistedQuery":{"version":1}}}`: "",
		`{"documentId":""}`: "BAD_USER_INPUT",
		`{"documentId":1}`:  "BAD_USER_INPUT",
		`{"documentId":"` + strings.Repeat("x", 257) + `"}`:  "BAD_USER_INPUT",
		`{"extensions":{"persistedQuery":null}}`:             "PERSISTED_DOCUMENT_NOT_FOUND",
		`{"query":"sha256:` + strings.Repeat("0", 64) + `"}`: "GRAPHQL_PARSE_FAILED",
		`{"query":"` + id + `"}`:                             "GRAPHQL_PARSE_FAILED", // no text is taken for an identifier
	} {
		if _, code, text, _ := o.graphql(t, pair, body); code != want {
			t.Errorf("%s: %s", body, text)
		}
	}
	if _, code, text, _ := o.graphql(t, confined, `{"query":"{__typename}","documentId":"`+id+`"}`); code != "BAD_USER_INPUT" {
		t.Errorf("a pair that may send trusted documents alone: %s", text)
	}
}

func TestAPairWithTrustedDocumentsAloneIsRefusedAllOthers(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	confined := o.confined(t, backoffice.SettingsWrite)
	const label = `mutation Label { createLabel(input: {name: "Trusted"}) { label { name } userErrors { code } } }`
	o.trusts(t, "portal", listed, label, "subscription S { changes(nouns: [LABEL]) { action } }")
	for _, query := range []string{"{ __typename }", "{ __schema { types { name } } }", `{ __type(name: "Customer") { name } }`, listed + " ", "{", "mutation { x }", label + "#"} {
		status, code, text, _ := o.graphql(t, confined, `{"query":`+encoded(t, query)+`}`)
		if status != 403 || code != "FORBIDDEN" || strings.Contains(text, "data") {
			t.Errorf("%s: %d %s", query, status, text)
		}
		if status, code, _ := o.get(t, confined, url.Values{"query": {query}}); status != 403 || code != "FORBIDDEN" {
			t.Errorf("GET %s: %d %s", query, status, code)
		}
	}
	if status, _, text, _ := o.graphql(t, confined, `{"query":`+encoded(t, listed)+`}`); status != 200 { // known as trusted
		t.Errorf("the text of a trusted document: %d %s", status, text)
	}
	if status, code, text := o.get(t, confined, url.Values{"documentId": {backoffice.DocumentID(label)}}); status != 405 || code != "BAD_USER_INPUT" {
		t.Errorf("a mutation with GET: %d %s", status, text)
	}
	if status, _, text, _ := o.graphql(t, confined, `{"documentId":"`+backoffice.DocumentID(label)+`"}`); status != 200 || !strings.Contains(text, "Trusted") {
		t.Errorf("a mutation with POST: %d %s", status, text)
	}
	s := o.follower(t, confined).connects(t)
	s.says(t, subscribing("1", "{ __typename }", nil))
	if m := s.hears(t); m.Type != "error" || !strings.Contains(string(m.Payload), "FORBIDDEN") {
		t.Errorf("on a socket: %s %s", m.Type, m.Payload)
	}
	s.says(t, subscribing("2", "subscription { changes { action } }", nil))
	if m := s.hears(t); m.Type != "error" || !strings.Contains(string(m.Payload), "FORBIDDEN") {
		t.Errorf("a subscription: %s %s", m.Type, m.Payload)
	}
	if w := o.send(t, confined, http.MethodGet, "/customers", ""); w.Code != 200 {
		t.Errorf("REST: %d", w.Code)
	}
}

func TestAnIdentifierIsOnlyWhatThePairMayReadAndPay(t *testing.T) {
	t.Parallel()
	bounds := unhurried()
	bounds.Tokens, bounds.Aliases, bounds.Directives, bounds.RootFields = 30, 3, 1, 3
	o := openOfficeWith(t, engines["SQLite"](t), bounds)
	confined, pair := o.confined(t), o.pair(t)
	var wide strings.Builder
	for i := range 10 {
		fmt.Fprintf(&wide, " a%d: viewer @include(if: true) @skip(if: false) { name }", i)
	}
	const numbers, costly = "query N { customers(first: 1) { nodes { registrationNumber } } }",
		"query C($n: Int!) { customers(first: $n) { nodes { relations(first: 500) { nodes { id } } } } }"
	ids := o.trusts(t, "portal", "query W {"+wide.String()+" }", numbers, costly)
	if status, _, text, _ := o.graphql(t, confined, `{"documentId":"`+ids[0]+`"}`); status != 200 {
		t.Errorf("the limits of form hold: %s", text)
	}
	if _, code, text, _ := o.graphql(t, pair, `{"query":`+encoded(t, "query W {"+wide.String()+" }")+`}`); code != limits.CodeToken {
		t.Errorf("they do not hold for a text: %s", text)
	}
	if _, code, text, _ := o.graphql(t, confined, `{"documentId":"`+ids[1]+`"}`); code != "FORBIDDEN" || !strings.Contains(text, `"registrationNumber":null`) {
		t.Errorf("a scope is not asked for: %s", text)
	}
	if _, code, text, _ := o.graphql(t, confined, `{"documentId":"`+ids[2]+`","variables":{"n":500}}`); code != limits.CodeCost {
		t.Errorf("the cost is not held to: %s", text)
	}
}

func TestWhatIsRemovedIsAnsweredForFiveSecondsAtMost(t *testing.T) {
	t.Parallel()
	for engine, database := range engines {
		t.Run("on "+engine, func(t *testing.T) {
			t.Parallel()
			o := openOfficeOn(t, database(t))
			pair := o.pair(t)
			id := o.trusts(t, "portal", listed)[0]
			if status, _, text, _ := o.graphql(t, pair, `{"documentId":"`+id+`"}`); status != 200 {
				t.Fatal(text)
			}
			if n, err := backoffice.RemoveTrusted(t.Context(), o.Store, id, 1); n != 1 || err != nil {
				t.Fatal(n, err)
			}
			until := time.Now().Add(5 * time.Second)
			for {
				_, code, _, _ := o.graphql(t, pair, `{"documentId":"`+id+`"}`)
				if code == "PERSISTED_DOCUMENT_NOT_FOUND" {
					break
				}
				if time.Now().After(until) {
					t.Fatal("it is still answered")
				}
				time.Sleep(100 * time.Millisecond)
			}
			o.trusts(t, "portal", listed)
			if status, _, text, _ := o.graphql(t, pair, `{"documentId":"`+id+`"}`); status != 200 { // at once
				t.Error(text)
			}
		})
	}
}

func TestADocumentIsReadFromTheStoreOnceHoweverManyAskForIt(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	pair := o.pair(t)
	id := o.trusts(t, "portal", "query Typename { __typename }")[0]
	total := 0
	for range 50 {
		_, _, _, calls := o.graphql(t, pair, `{"documentId":"`+id+`"}`)
		total += calls
	}
	if total < 1 || total > 3 { // once, and again after 4 seconds of a busy machine
		t.Errorf("it was read %d times", total)
	}
}
