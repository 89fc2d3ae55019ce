package gateway

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
)

// post sends a GraphQL operation that is to be answered with events, if accept says no other.
func (f follower) post(ctx context.Context, query string, variables map[string]any, header ...string) (*http.Response, error) {
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, f.address+"/graphql", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "text/event-stream")
	r.Header.Set(auth.ClientIDHeader, f.pair[0])
	r.Header.Set(auth.ClientSecretHeader, f.pair[1])
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return http.DefaultClient.Do(r)
}

// told is the answer of an operation, of a subscription for one of its events.
type told struct {
	Data   map[string]toldChange
	Errors []struct {
		Message    string
		Path       []any
		Extensions map[string]any
	}
	Extensions map[string]any
}

// subscription to the feed over Server-Sent Events, as a client has it.
type subscribed struct{ *events }

func (f follower) subscribe(ctx context.Context, query string, variables map[string]any) (subscribed, error) {
	response, err := f.post(ctx, query, variables)
	if err != nil {
		return subscribed{}, err
	}
	if response.StatusCode != http.StatusOK || !strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream") {
		defer response.Body.Close()
		body, _ := io.ReadAll(response.Body)
		return subscribed{}, fmt.Errorf("the subscription is refused: %s %s", response.Status, body)
	}
	return subscribed{&events{response, bufio.NewScanner(response.Body)}}, nil
}

func (f follower) subscribes(t testing.TB, query string, variables map[string]any) subscribed {
	t.Helper()
	s, err := f.subscribe(t.Context(), query, variables)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.response.Body.Close() })
	return s
}

// told is the next event, which has to be an answer.
func (s subscribed) told(t testing.TB) (answer told) {
	t.Helper()
	e, ok := s.next()
	if err := json.Unmarshal([]byte(e.data), &answer); !ok || e.name != "next" || err != nil {
		t.Fatalf("%+v %v", e, err)
	}
	return answer
}

// change is the next event, which has to be a change without errors.
func (s subscribed) change(t testing.TB) toldChange {
	t.Helper()
	answer := s.told(t)
	if len(answer.Errors) > 0 || len(answer.Data) != 1 {
		t.Fatalf("%+v", answer)
	}
	for _, c := range answer.Data {
		return c
	}
	return toldChange{}
}

// completed says that the stream has to be over.
func (s subscribed) completed(t testing.TB) {
	t.Helper()
	if e, ok := s.next(); !ok || e.name != "complete" || e.data != "" {
		t.Errorf("%+v", e)
	}
	if e, ok := s.next(); ok {
		t.Errorf("after the end: %+v", e)
	}
}

const everyChange = `subscription($after: String, $nouns: [Noun!]) { changes(after: $after, nouns: $nouns) {
	cursor sequence noun objectId action fields clientId parents { noun id } object { id } } }`

func TestASubscriptionTellsWhatTheListOfChangesDoes(t *testing.T) {
	t.Parallel()
	for engine, database := range engines {
		t.Run("on "+engine, func(t *testing.T) {
			t.Parallel()
			o := openOfficeOn(t, database(t))
			all, some := o.pair(t, backoffice.AllScopes...), o.pair(t, backoffice.CustomersWrite)
			o.write(t, all, `mutation { deleteCustomer(input: {id: "brouwerij"}) { userErrors { code } } }`)
			for _, pair := range [][2]string{all, some} {
				f := o.follower(t, pair)
				listed, _ := o.changesAfter(t, pair, o.cursor(t, 0), "")
				s := f.subscribes(t, everyChange, map[string]any{"after": o.cursor(t, 0)})
				for _, want := range listed.Nodes {
					if got := s.change(t); encoded(t, got) != encoded(t, want) {
						t.Fatalf("%+v, listed %+v", got, want)
					}
				}
			}
			f := o.follower(t, all)
			now, labels := f.subscribes(t, everyChange, nil), f.subscribes(t, everyChange, map[string]any{"nouns": []string{"LABEL"}})
			id := o.makeCustomer(t)
			o.write(t, all, `mutation { createLabel(input: {name: "Told"}) { userErrors { code } } }`)
			if c := now.change(t); c.ObjectID != id || c.Action != "CREATED" || c.Object == nil || c.Object.ID != id || *c.ClientID != all[0] {
				t.Errorf("%+v", c)
			}
			if c := labels.change(t); c.Noun != "LABEL" || c.Object == nil {
				t.Errorf("%+v", c)
			}
		})
	}
}

func TestASubscriptionIsAnOperationAsOthersAre(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	f := o.follower(t, o.pair(t, backoffice.AllScopes...))
	s := f.subscribes(t, `subscription Follow($after: String, $with: Boolean!) { ...root } fragment root on Subscription { seen: changes(after: $after, nouns: [CUSTOMER]) {
		__typename objectId object @include(if: $with) { __typename ... on Customer { displayName transcripts(first: 2) { totalCount nodes { checklist { name } } } } } } }`, map[string]any{"after": o.cursor(t, 0), "with": true})
	var first struct {
		Data struct {
			Seen struct {
				Typename string `json:"__typename"`
				ObjectID string
				Object   struct {
					Typename    string `json:"__typename"`
					DisplayName string
					Transcripts struct {
						Nodes []struct{ Checklist struct{ Name string } }
					}
				}
			}
		}
	}
	e, _ := s.next()
	if err := json.Unmarshal([]byte(e.data), &first); err != nil || first.Data.Seen.Typename != "Change" || first.Data.Seen.Object.Typename != "Customer" || first.Data.Seen.Object.DisplayName == "" {
		t.Errorf("%s %v", e.data, err)
	}
	plain := f.subscribes(t, `{ labels(first: 1) { nodes { name } } }`, nil)
	if e, _ := plain.next(); e.name != "next" || !strings.HasPrefix(e.data, `{"data":{"labels":{"nodes":[{"name":`) {
		t.Errorf("a query: %+v", e)
	}
	plain.completed(t)
	written := f.subscribes(t, `mutation { createLabel(input: {name: "By events"}) { label { name } userErrors { code } } }`, nil)
	if e, _ := written.next(); e.data != `{"data":{"createLabel":{"label":{"name":"By events"},"userErrors":[]}}}` {
		t.Errorf("a mutation: %+v", e)
	}
	written.completed(t)
}

func TestASubscriptionThatIsRefusedSaysWhyBeforeItBegins(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	all := o.follower(t, o.pair(t, backoffice.AllScopes...))
	deep := "id transcripts(first: 500) { nodes { id customer { relations(first: 100) { nodes { id } } } } }"
	for _, c := range []struct {
		f      follower
		query  string
		accept string
		status int
		code   string
	}{
		{all, `subscription { changes(after: "x") { cursor } }`, "", 400, "BAD_USER_INPUT"},
		{all, `subscription { changes(after: "otherhistory.9") { cursor } }`, "", 410, "CURSOR_EXPIRED"},
		{all, `subscription { changes(nouns: [CUSTOMERS]) { cursor } }`, "", 400, "GRAPHQL_VALIDATION_FAILED"},
		{all, `subscription { changes(last: 5) { cursor } }`, "", 400, "GRAPHQL_VALIDATION_FAILED"},
		{all, `subscription { a: changes { cursor } b: changes { cursor } }`, "", 400, "GRAPHQL_VALIDATION_FAILED"},
		{all, `subscription { changes { cursor } __typename }`, "", 400, "GRAPHQL_VALIDATION_FAILED"},
		{all, `subscription { changes @skip(if: true) { cursor } }`, "", 400, "GRAPHQL_VALIDATION_FAILED"},
		{all, `subscription { changes { cursor `, "", 400, "GRAPHQL_PARSE_FAILED"},
		{all, `subscription { changes { object { ... on Customer { ` + deep + ` } } } }`, "", 400, "COST_LIMIT"},
		{follower{address: all.address, pair: [2]string{all.pair[0], "wrong"}}, `subscription { changes { cursor } }`, "", 401, "UNAUTHENTICATED"},
		{all, `subscription { changes { cursor } }`, "application/json", 406, "BAD_USER_INPUT"},
		{all, `{ nothing }`, "", 400, "GRAPHQL_VALIDATION_FAILED"},
	} {
		var accept []string
		if c.accept != "" {
			accept = []string{"Accept", c.accept}
		}
		response, err := c.f.post(t.Context(), c.query, nil, accept...)
		if err != nil {
			t.Fatal(err)
		}
		var answer told
		err = json.NewDecoder(response.Body).Decode(&answer)
		response.Body.Close()
		if err != nil || response.StatusCode != c.status || len(answer.Errors) == 0 || answer.Errors[0].Extensions["code"] != c.code || answer.Data != nil {
			t.Errorf("%s: %d %+v %v", c.query, response.StatusCode, answer, err)
		}
	}
}

func TestSubscriptionsCountAsStreams(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	f := o.follower(t, o.pair(t, backoffice.AllScopes...))
	for i := range 20 {
		if i%2 == 0 {
			f.subscribes(t, everyChange, nil)
		} else {
			f.streams(t, "")
		}
	}
	response, err := f.post(t.Context(), everyChange, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusTooManyRequests || response.Header.Get("Retry-After") == "" {
		t.Errorf("%d %v", response.StatusCode, response.Header)
	}
}

func TestASubscriptionEndsWithItsPair(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	o.pair(t, backoffice.AllScopes...) // before the first request, so that it is known
	pair := o.pair(t, backoffice.SettingsWrite)
	s := o.follower(t, pair).subscribes(t, everyChange, nil)
	if err := auth.Revoke(t.Context(), o.Store, pair[0]); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if answer := s.told(t); answer.Data != nil || answer.Errors[0].Extensions["code"] != "UNAUTHENTICATED" || time.Since(began) > 5*time.Second {
		t.Errorf("%+v after %s", answer, time.Since(began))
	}
	s.completed(t)
}

func TestTheObjectsOfManyChangesAreReadTogether(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	all := o.pair(t, backoffice.AllScopes...)
	listed, _ := o.changesAfter(t, all, o.cursor(t, 0), "")
	nouns := map[string]bool{}
	for _, c := range listed.Nodes {
		nouns[c.Noun] = true
	}
	response, err := o.follower(t, all).post(t.Context(), everyChange, map[string]any{"after": o.cursor(t, 0)}, "X-Explain", "true")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	s := subscribed{&events{response, bufio.NewScanner(response.Body)}}
	for range listed.Nodes {
		answer := s.told(t)
		cost, _ := answer.Extensions["cost"].(map[string]any)
		if cost["storeCalls"] != float64(len(nouns)) || cost["cost"] != float64(3) {
			t.Fatalf("%d changes of %d nouns: %v", len(listed.Nodes), len(nouns), cost)
		}
	}
}
