package limits

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
)

func TestAPlanTellsWhatAQueryNeedsAndRunsNothing(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	credential := o.Credential(t, backoffice.MinfinRead)
	before, last := len(o.RegisterEntries(t)), lastChange(t, o)
	for name, c := range map[string]struct {
		query, variables string
		cost, depth      int
		required         string
		missing          string // of a credential with minfin.read alone
	}{
		"a list": {`{ customers(first: 10) { totalCount nodes { displayName responsible { lastName } } } }`, "{}", 22, 4, "", ""},
		"a size in a variable, and a scope that the credential has": {
			`query Documents($n: Int!) { customers(first: $n) { nodes { minfinDocuments(first: 2) { nodes { name } } } } }`, `{"n": 7}`, 29, 5, "minfin.read", "",
		},
		"guarded fields": {`{ customers(first: 1) { nodes { ...Numbers } } } fragment Numbers on Customer { registrationNumber }`, "{}", 2, 3, "privacy.read", "privacy.read"},
		"a search by number, that the register is not told of": {
			`query Find($number: String) { customers(filter: {registrationNumber: $number}) { nodes { id } } }`, `{"number": "85073003328"}`, 51, 3, "privacy.read", "privacy.read",
		},
		"a number that is not given needs no scope": {
			`query Find($number: String) { customers(filter: {registrationNumber: $number}) { nodes { id } } }`, `{}`, 51, 3, "", "",
		},
		"more than may be asked": {
			`{ customers(first: 500) { nodes { transcripts(first: 500) { nodes { customer { id } } } } } }`, "{}", 501_001, 6, "", "",
		},
		"objects of unknown nouns":          {`{ nodes(ids: ["acme", "els"]) { ... on Customer { responsible { labels { id } } } ... on User { labels { id } } } }`, "{}", 8, 4, "", ""},
		"a numbered page that may be empty": {`{ customers(page: 3, pageSize: 2) { pageInfo { hasPreviousPage } } }`, "{}", 4, 3, "", ""},
		"groups":                            {`{ customersAggregate(groupBy: [CITY]) { groups { count } } }`, "{}", 1, 3, "", ""},
		"the schema":                        {`{ __schema { queryType { name } } }`, "{}", 1, 1, "", ""},
		"a mutation": {
			`mutation { createCustomer(input: {type: COMPANY, name: "Made", registrationNumber: "85073003328"}) { customer { id } } }`, "{}", 11, 3, "customers.write privacy.read", "customers.write privacy.read",
		},
		"a subscription": {`subscription { changes { objectId object { id } } }`, "{}", 2, 3, "", ""},
	} {
		status, plan, codes := o.Plan(t, credential, c.query, c.variables)
		if status != http.StatusOK || plan == nil || codes != nil {
			t.Errorf("%s: %d %v", name, status, codes)
			continue
		}
		if plan.Cost != c.cost || plan.Depth != c.depth || plan.MaximumCost != 50_000 ||
			!slices.Equal(plan.RequiredScopes, strings.Fields(c.required)) || !slices.Equal(plan.MissingScopes, strings.Fields(c.missing)) ||
			plan.RequiredScopes == nil || plan.MissingScopes == nil {
			t.Errorf("%s: %s", name, gatewaytest.JSON(t, plan))
		}
	}
	if len(o.RegisterEntries(t)) != before || lastChange(t, o) != last {
		t.Error("a plan was entered in the register, or has changed something")
	}
}

// lastChange is the cursor of the end of the change log.
func lastChange(t *testing.T, o *gatewaytest.Office) string {
	t.Helper()
	return string(o.Query(t, o.Credential(t, backoffice.MinfinRead), `{ changes(first: 0) { latestCursor } }`, "{}").Data)
}

func TestWhatIsNoQueryHasNoPlan(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	for query, code := range map[string]string{
		`{ customers(`:                  "GRAPHQL_PARSE_FAILED",
		`{ nothing }`:                   "GRAPHQL_VALIDATION_FAILED",
		`{ ... @defer { __typename } }`: "GRAPHQL_VALIDATION_FAILED",
		`query($n: Int!) { customers(first: $n) { totalCount } }`: "BAD_USER_INPUT",
	} {
		if status, plan, codes := o.Plan(t, o.Credential(t), query, "{}"); status != http.StatusBadRequest || plan != nil || len(codes) != 1 || codes[0] != code {
			t.Errorf("%s: %d %v %v", query, status, plan, codes)
		}
	}
	if status, _, codes := o.Plan(t, [2]string{"nobody", "nothing"}, `{ viewer { name } }`, "{}"); status != http.StatusUnauthorized {
		t.Errorf("without a credential: %d %v", status, codes)
	}
}

func TestAPlanIsTheSameForADocumentThatIsNamed(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	const text = `query Named($n: Int!) { customers(first: $n) { nodes { registrationNumber responsible { lastName } } } }`
	credential := o.Credential(t)
	id := o.Trusts(t, "portal", text)[0]
	_, want, _ := o.Plan(t, credential, text, `{"n": 4}`)
	for _, r := range []*http.Request{
		httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/graphql", strings.NewReader(gatewaytest.JSON(t, map[string]any{"documentId": id, "variables": map[string]int{"n": 4}}))),
		httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/graphql?documentId="+url.QueryEscape(id)+"&variables="+url.QueryEscape(`{"n": 4}`), nil),
	} {
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-Explain", "plan")
		r.Header.Set(auth.ClientIDHeader, credential[0])
		r.Header.Set(auth.ClientSecretHeader, credential[1])
		w := httptest.NewRecorder()
		o.Handler.ServeHTTP(w, r)
		var got struct {
			Extensions struct{ Plan *gatewaytest.Plan }
		}
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != http.StatusOK || gatewaytest.JSON(t, got.Extensions.Plan) != gatewaytest.JSON(t, want) {
			t.Errorf("%s: %d %s, want %s", r.Method, w.Code, w.Body, gatewaytest.JSON(t, want))
		}
	}
}
