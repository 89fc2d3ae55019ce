package feed

import (
	"bufio"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
)

// wantCompleted says that the stream has to be over.
func wantCompleted(t testing.TB, s gatewaytest.Subscription) {
	t.Helper()
	if e, ok := s.Next(); !ok || e.Name != "complete" || e.Data != "" {
		t.Errorf("%+v", e)
	}
	if e, ok := s.Next(); ok {
		t.Errorf("after the end: %+v", e)
	}
}

func TestASubscriptionTellsWhatTheListOfChangesDoes(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run("on "+engine, func(t *testing.T) {
			t.Parallel()
			o := gatewaytest.OpenOn(t, database(t))
			all, some := o.Credential(t, backoffice.AllScopes...), o.Credential(t, backoffice.CustomersWrite)
			o.Write(t, all, `mutation { deleteCustomer(input: {id: "brouwerij"}) { userErrors { code } } }`)
			for _, credential := range [][2]string{all, some} {
				f := o.Follower(t, credential)
				listed, _ := o.ChangesAfter(t, credential, o.Cursor(t, 0), "")
				s := f.Subscribes(t, gatewaytest.EveryChange, map[string]any{"after": o.Cursor(t, 0)})
				for _, want := range listed.Nodes {
					if got := s.Change(t); gatewaytest.JSON(t, got) != gatewaytest.JSON(t, want) {
						t.Fatalf("%+v, listed %+v", got, want)
					}
				}
			}
			f := o.Follower(t, all)
			now, labels := f.Subscribes(t, gatewaytest.EveryChange, nil), f.Subscribes(t, gatewaytest.EveryChange, map[string]any{"nouns": []string{"LABEL"}})
			id := o.MakeCustomer(t)
			o.Write(t, all, `mutation { createLabel(input: {name: "Told"}) { userErrors { code } } }`)
			if c := now.Change(t); c.ObjectID != id || c.Action != "CREATED" || c.Object == nil || c.Object.ID != id || *c.ClientID != all[0] {
				t.Errorf("%+v", c)
			}
			if c := labels.Change(t); c.Noun != "LABEL" || c.Object == nil {
				t.Errorf("%+v", c)
			}
		})
	}
}

func TestASubscriptionIsAnOperationAsOthersAre(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	f := o.Follower(t, o.Credential(t, backoffice.AllScopes...))
	s := f.Subscribes(t, `subscription Follow($after: String, $with: Boolean!) { ...root } fragment root on Subscription { seen: changes(after: $after, nouns: [CUSTOMER]) {
		__typename objectId object @include(if: $with) { __typename ... on Customer { displayName transcripts(first: 2) { totalCount nodes { checklist { name } } } } } } }`, map[string]any{"after": o.Cursor(t, 0), "with": true})
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
	e, _ := s.Next()
	if err := json.Unmarshal([]byte(e.Data), &first); err != nil || first.Data.Seen.Typename != "Change" || first.Data.Seen.Object.Typename != "Customer" || first.Data.Seen.Object.DisplayName == "" {
		t.Errorf("%s %v", e.Data, err)
	}
	plain := f.Subscribes(t, `{ labels(first: 1) { nodes { name } } }`, nil)
	if e, _ := plain.Next(); e.Name != "next" || !strings.HasPrefix(e.Data, `{"data":{"labels":{"nodes":[{"name":`) {
		t.Errorf("a query: %+v", e)
	}
	wantCompleted(t, plain)
	written := f.Subscribes(t, `mutation { createLabel(input: {name: "By events"}) { label { name } userErrors { code } } }`, nil)
	if e, _ := written.Next(); e.Data != `{"data":{"createLabel":{"label":{"name":"By events"},"userErrors":[]}}}` {
		t.Errorf("a mutation: %+v", e)
	}
	wantCompleted(t, written)
}

func TestASubscriptionThatIsRefusedSaysWhyBeforeItBegins(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	all := o.Follower(t, o.Credential(t, backoffice.AllScopes...))
	deep := "id transcripts(first: 500) { nodes { id customer { relations(first: 100) { nodes { id } } } } }"
	for _, c := range []struct {
		f      gatewaytest.Follower
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
		{gatewaytest.Follower{Address: all.Address, Credential: [2]string{all.Credential[0], "wrong"}}, `subscription { changes { cursor } }`, "", 401, "UNAUTHENTICATED"},
		{all, `subscription { changes { cursor } }`, "application/json", 406, "BAD_USER_INPUT"},
		{all, `{ nothing }`, "", 400, "GRAPHQL_VALIDATION_FAILED"},
	} {
		var accept []string
		if c.accept != "" {
			accept = []string{"Accept", c.accept}
		}
		response, err := c.f.Post(t.Context(), c.query, nil, accept...)
		if err != nil {
			t.Fatal(err)
		}
		var answer gatewaytest.ChangeAnswer
		err = json.NewDecoder(response.Body).Decode(&answer)
		response.Body.Close()
		if err != nil || response.StatusCode != c.status || len(answer.Errors) == 0 || answer.Errors[0].Extensions["code"] != c.code || answer.Data != nil {
			t.Errorf("%s: %d %+v %v", c.query, response.StatusCode, answer, err)
		}
	}
}

func TestSubscriptionsCountAsStreams(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	f := o.Follower(t, o.Credential(t, backoffice.AllScopes...))
	for i := range 20 {
		if i%2 == 0 {
			f.Subscribes(t, gatewaytest.EveryChange, nil)
		} else {
			mustStreamREST(t, f, "")
		}
	}
	response, err := f.Post(t.Context(), gatewaytest.EveryChange, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusTooManyRequests || response.Header.Get("Retry-After") == "" {
		t.Errorf("%d %v", response.StatusCode, response.Header)
	}
}

func TestASubscriptionEndsWithItsCredential(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	o.Credential(t, backoffice.AllScopes...) // before the first request, so that it is known
	credential := o.Credential(t, backoffice.SettingsWrite)
	s := o.Follower(t, credential).Subscribes(t, gatewaytest.EveryChange, nil)
	if err := auth.Revoke(t.Context(), o.Store, credential[0]); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if answer := s.Answer(t); answer.Data != nil || answer.Errors[0].Extensions["code"] != "UNAUTHENTICATED" || time.Since(began) > obeyedWithin {
		t.Errorf("%+v after %s", answer, time.Since(began))
	}
	wantCompleted(t, s)
}

func TestTheObjectsOfManyChangesAreReadTogether(t *testing.T) {
	t.Parallel()
	settings := gatewaytest.Settings(t, gatewaytest.Engines["SQLite"](t))
	gatewaytest.Serve(t, settings, gatewaytest.Limits()).Fill(t)
	o := gatewaytest.Serve(t, settings, gatewaytest.Limits()) // a server that was there before would tell some earlier
	all := o.Credential(t, backoffice.AllScopes...)
	listed, _ := o.ChangesAfter(t, all, o.Cursor(t, 0), "")
	nouns := map[string]bool{}
	for _, c := range listed.Nodes {
		nouns[c.Noun] = true
	}
	response, err := o.Follower(t, all).Post(t.Context(), gatewaytest.EveryChange, map[string]any{"after": o.Cursor(t, 0)}, "X-Explain", "true")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	s := gatewaytest.Subscription{Events: &gatewaytest.Events{Response: response, Lines: bufio.NewScanner(response.Body)}}
	for range listed.Nodes {
		answer := s.Answer(t)
		cost, _ := answer.Extensions["cost"].(map[string]any)
		if cost["storeCalls"] != float64(len(nouns)) || cost["cost"] != float64(3) {
			t.Fatalf("%d changes of %d nouns: %v", len(listed.Nodes), len(nouns), cost)
		}
	}
}
