package restricted

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
	"example.org/backoffice/graphql/limits"
)

func getTrusted(t testing.TB, o *gatewaytest.Office, credential [2]string, parameters url.Values) (status int, code, text string) {
	t.Helper()
	ctx, counter := backoffice.WithStatementCount(t.Context())
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/graphql?"+parameters.Encode(), http.NoBody)
	r.Header.Set("Accept", "application/graphql-response+json")
	status, code, text, _ = o.Answered(t, r, credential, counter)
	return status, code, text
}

const listed = "query Listed($first: Int = 2) { customers(first: $first) { nodes { id displayName relations { nodes { kind } } } } }"

func TestADocumentIsNamedByItsIdentifierInEveryFormOfRequest(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run("on "+engine, func(t *testing.T) {
			t.Parallel()
			o := gatewaytest.OpenOn(t, database(t))
			credential := o.Credential(t)
			id := o.Trusts(t, "portal", listed)[0]
			hash := strings.TrimPrefix(id, "sha256:")
			_, _, want, _ := o.GraphQL(t, credential, `{"query":`+gatewaytest.JSON(t, listed)+`,"variables":{"first":3}}`)
			_, _, again, texts := o.GraphQL(t, credential, `{"query":`+gatewaytest.JSON(t, listed)+`,"variables":{"first":3}}`)
			if want != again || !strings.HasPrefix(want, `{"data"`) {
				t.Fatal(want)
			}
			for i, body := range []string{
				`{"documentId":"` + id + `","variables":{"first":3}}`,
				`{"documentId":"` + hash + `","variables":{"first":3},"operationName":"Listed"}`,
				`{"doc_id":"` + id + `","variables":{"first":3}}`,
				`{"doc_id":"` + strings.ToUpper(hash) + `","variables":{"first":3}}`,
				`{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"` + hash + `"}},"variables":{"first":3}}`,
				`{"documentId":"` + id + `","doc_id":"` + hash + `","query":` + gatewaytest.JSON(t, listed) + `,"variables":{"first":3}}`,
			} {
				status, _, got, calls := o.GraphQL(t, credential, body)
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
				if status, _, got := getTrusted(t, o, credential, parameters); status != 200 || got != want {
					t.Errorf("%v: %d %s", parameters, status, got)
				}
			}

			f := o.Follower(t, credential)
			s := f.Connects(t)
			s.Says(t, `{"type":"subscribe","id":"1","payload":{"documentId":"`+id+`","variables":{"first":3}}}`)
			if m := s.Hears(t); m.Type != "next" || string(m.Payload) != want {
				t.Errorf("on a socket: %s %s", m.Type, m.Payload)
			}
			events := o.Send(t, credential, http.MethodPost, "/graphql", `{"documentId":"`+id+`","variables":{"first":3}}`)
			if events.Code != 200 {
				t.Error(events.Body)
			}
		})
	}
}

func TestAnUnknownIdentifierIsOneErrorEverywhere(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	credential, confined := o.Credential(t), o.Confined(t)
	for _, id := range []string{"unknown", backoffice.DocumentID("{ x }"), "sha256:", strings.Repeat("x", 256), "a\\u0000b", "Listed"} {
		for _, credential := range [][2]string{credential, confined} {
			if status, code, text, _ := o.GraphQL(t, credential, `{"documentId":"`+id+`"}`); status != 400 || code != "PERSISTED_DOCUMENT_NOT_FOUND" {
				t.Errorf("%s: %d %s", id, status, text)
			}
		}
	}
	if status, code, text := getTrusted(t, o, credential, url.Values{"documentId": {"unknown"}}); status != 400 || code != "PERSISTED_DOCUMENT_NOT_FOUND" {
		t.Errorf("GET: %d %s", status, text)
	}
	if w := o.Send(t, credential, http.MethodPost, "/graphql", `{"documentId":"unknown"}`); w.Code != 200 || !strings.Contains(w.Body.String(), "PERSISTED_DOCUMENT_NOT_FOUND") {
		t.Errorf("as application/json: %d %s", w.Code, w.Body)
	}
	_, code, text, _ := o.GraphQL(t, credential, `{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"unknown"}}}`)
	if code != "PERSISTED_DOCUMENT_NOT_FOUND" || !strings.Contains(text, `"PersistedQueryNotSupported"`) { // by which Apollo's clients send the document
		t.Error(text)
	}
	s := o.Follower(t, credential).Connects(t)
	s.Says(t, `{"type":"subscribe","id":"1","payload":{"documentId":"unknown"}}`)
	if m := s.Hears(t); m.Type != "error" || !strings.Contains(string(m.Payload), "PERSISTED_DOCUMENT_NOT_FOUND") {
		t.Errorf("on a socket: %s %s", m.Type, m.Payload)
	}
}

func TestATextAndAnIdentifierHaveToAgree(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	credential, confined := o.Credential(t), o.Confined(t)
	id := o.Trusts(t, "portal", listed)[0]
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
		if _, code, text, _ := o.GraphQL(t, credential, body); code != want {
			t.Errorf("%s: %s", body, text)
		}
	}
	if _, code, text, _ := o.GraphQL(t, confined, `{"query":"{__typename}","documentId":"`+id+`"}`); code != "BAD_USER_INPUT" {
		t.Errorf("a credential that may send trusted documents alone: %s", text)
	}
}

func TestACredentialWithTrustedDocumentsAloneIsRefusedAllOthers(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	confined := o.Confined(t, backoffice.SettingsWrite)
	const label = `mutation Label { createLabel(input: {name: "Trusted"}) { label { name } userErrors { code } } }`
	o.Trusts(t, "portal", listed, label, "subscription S { changes(nouns: [LABEL]) { action } }")
	for _, query := range []string{"{ __typename }", "{ __schema { types { name } } }", `{ __type(name: "Customer") { name } }`, listed + " ", "{", "mutation { x }", label + "#"} {
		status, code, text, _ := o.GraphQL(t, confined, `{"query":`+gatewaytest.JSON(t, query)+`}`)
		if status != 403 || code != "FORBIDDEN" || strings.Contains(text, "data") {
			t.Errorf("%s: %d %s", query, status, text)
		}
		if status, code, _ := getTrusted(t, o, confined, url.Values{"query": {query}}); status != 403 || code != "FORBIDDEN" {
			t.Errorf("GET %s: %d %s", query, status, code)
		}
	}
	if status, _, text, _ := o.GraphQL(t, confined, `{"query":`+gatewaytest.JSON(t, listed)+`}`); status != 200 { // known as trusted
		t.Errorf("the text of a trusted document: %d %s", status, text)
	}
	if status, code, text := getTrusted(t, o, confined, url.Values{"documentId": {backoffice.DocumentID(label)}}); status != 405 || code != "BAD_USER_INPUT" {
		t.Errorf("a mutation with GET: %d %s", status, text)
	}
	if status, _, text, _ := o.GraphQL(t, confined, `{"documentId":"`+backoffice.DocumentID(label)+`"}`); status != 200 || !strings.Contains(text, "Trusted") {
		t.Errorf("a mutation with POST: %d %s", status, text)
	}
	s := o.Follower(t, confined).Connects(t)
	s.Says(t, gatewaytest.Subscribing("1", "{ __typename }", nil))
	if m := s.Hears(t); m.Type != "error" || !strings.Contains(string(m.Payload), "FORBIDDEN") {
		t.Errorf("on a socket: %s %s", m.Type, m.Payload)
	}
	s.Says(t, gatewaytest.Subscribing("2", "subscription { changes { action } }", nil))
	if m := s.Hears(t); m.Type != "error" || !strings.Contains(string(m.Payload), "FORBIDDEN") {
		t.Errorf("a subscription: %s %s", m.Type, m.Payload)
	}
	if w := o.Send(t, confined, http.MethodGet, "/customers", ""); w.Code != 200 {
		t.Errorf("REST: %d", w.Code)
	}
}

func TestAnIdentifierIsOnlyWhatTheCredentialMayReadAndPay(t *testing.T) {
	t.Parallel()
	bounds := gatewaytest.Limits()
	bounds.Tokens, bounds.Aliases, bounds.Directives, bounds.RootFields = 30, 3, 1, 3
	o := gatewaytest.OpenWith(t, gatewaytest.Engines["SQLite"](t), bounds)
	confined, credential := o.Confined(t), o.Credential(t)
	var wide strings.Builder
	for i := range 10 {
		fmt.Fprintf(&wide, " a%d: viewer @include(if: true) @skip(if: false) { name }", i)
	}
	const numbers, costly = "query N { customers(first: 1) { nodes { registrationNumber } } }",
		"query C($n: Int!) { customers(first: $n) { nodes { relations(first: 500) { nodes { id } } } } }"
	ids := o.Trusts(t, "portal", "query W {"+wide.String()+" }", numbers, costly)
	if status, _, text, _ := o.GraphQL(t, confined, `{"documentId":"`+ids[0]+`"}`); status != 200 {
		t.Errorf("the limits of form hold: %s", text)
	}
	if _, code, text, _ := o.GraphQL(t, credential, `{"query":`+gatewaytest.JSON(t, "query W {"+wide.String()+" }")+`}`); code != limits.CodeToken {
		t.Errorf("they do not hold for a text: %s", text)
	}
	if _, code, text, _ := o.GraphQL(t, confined, `{"documentId":"`+ids[1]+`"}`); code != "FORBIDDEN" || !strings.Contains(text, `"registrationNumber":null`) {
		t.Errorf("a scope is not asked for: %s", text)
	}
	if _, code, text, _ := o.GraphQL(t, confined, `{"documentId":"`+ids[2]+`","variables":{"n":500}}`); code != limits.CodeCost {
		t.Errorf("the cost is not held to: %s", text)
	}
}

func TestWhatIsRemovedIsAnsweredForFiveSecondsAtMost(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run("on "+engine, func(t *testing.T) {
			t.Parallel()
			o := gatewaytest.OpenOn(t, database(t))
			credential := o.Credential(t)
			id := o.Trusts(t, "portal", listed)[0]
			if status, _, text, _ := o.GraphQL(t, credential, `{"documentId":"`+id+`"}`); status != 200 {
				t.Fatal(text)
			}
			if n, err := backoffice.RemoveTrusted(t.Context(), o.Store, id, 1); n != 1 || err != nil {
				t.Fatal(n, err)
			}
			until := time.Now().Add(30 * time.Second) // five on an idle machine
			for {
				_, code, _, _ := o.GraphQL(t, credential, `{"documentId":"`+id+`"}`)
				if code == "PERSISTED_DOCUMENT_NOT_FOUND" {
					break
				}
				if time.Now().After(until) {
					t.Fatal("it is still answered")
				}
				time.Sleep(100 * time.Millisecond)
			}
			o.Trusts(t, "portal", listed)
			if status, _, text, _ := o.GraphQL(t, credential, `{"documentId":"`+id+`"}`); status != 200 { // at once
				t.Error(text)
			}
		})
	}
}

func TestASubscriptionOfARemovedDocumentEnds(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	writes := o.Credential(t, backoffice.AllScopes...)
	id := o.Trusts(t, "portal", "subscription S { changes { noun } }")[0]
	s := o.Follower(t, o.Confined(t)).Connects(t)
	s.Says(t, `{"type":"subscribe","id":"1","payload":{"documentId":"`+id+`"}}`)
	ended := make(chan struct{})
	var writing sync.WaitGroup
	defer writing.Wait()
	defer close(ended)
	writing.Go(func() {
		for i := 0; ; i++ {
			o.Write(t, writes, fmt.Sprintf(`mutation { updateCustomer(input: {id: "acme", phone: "+32 2 %07d"}) { userErrors { message } } }`, i))
			select {
			case <-time.After(200 * time.Millisecond):
			case <-ended:
				return
			}
		}
	})
	if m := s.Hears(t); m.Type != "next" {
		t.Fatalf("%s %s", m.Type, m.Payload)
	}
	if n, err := backoffice.RemoveTrusted(t.Context(), o.Store, id, 1); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	for range 100 {
		switch m := s.Hears(t); {
		case m.Type == "next" && !strings.Contains(string(m.Payload), "errors"):
		case strings.Contains(string(m.Payload), "PERSISTED_DOCUMENT_NOT_FOUND"):
			return
		default:
			t.Fatalf("%s %s", m.Type, m.Payload)
		}
	}
	t.Error("it goes on")
}

func TestADocumentIsReadFromTheStoreOnceHoweverManyAskForIt(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	credential := o.Credential(t)
	id := o.Trusts(t, "portal", "query Typename { __typename }")[0]
	total := 0
	for range 50 {
		_, _, _, calls := o.GraphQL(t, credential, `{"documentId":"`+id+`"}`)
		total += calls
	}
	if total < 1 || total > 3 { // once, and again after 4 seconds of a busy machine
		t.Errorf("it was read %d times", total)
	}
}
