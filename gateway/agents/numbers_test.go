package agents

import (
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
)

// purposes are the entries of the register: purpose, who and which customer.
func purposes(t testing.TB, o *gatewaytest.Office) (lines []string) {
	t.Helper()
	err := backoffice.EachEntry(t.Context(), o.Store, backoffice.Span{}, func(e *backoffice.Consultation) error {
		purpose, subject, customer := "none", "a credential", "nobody"
		if e.Purpose != nil {
			purpose = *e.Purpose
		}
		if e.Subject != nil {
			subject = *e.Subject
		}
		if e.CustomerID != nil {
			customer = *e.CustomerID
		}
		lines = append(lines, fmt.Sprint(purpose, " ", subject, " ", e.Operation, " ", customer))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

func TestNumbersAreDisclosedOnlyWhereBothAllowItAndEachIsEntered(t *testing.T) {
	t.Parallel()
	d := open(t, "SQLite", gatewaytest.TestedCache)
	mark(t, d.Office)
	number := gatewaytest.RegistrationNumbers[0]
	may := gatewaytest.CredentialHeader(d.Credential(t, backoffice.AllScopes...))
	mayNot := gatewaytest.CredentialHeader(d.Credential(t))
	made := d.MakeCustomer(t)
	before := len(purposes(t, d.Office))
	within(t, "a new credential", func() bool { return d.Calls(t, mayNot, "me", "").Status == http.StatusOK })
	arguments := `{"id":"` + made + `"}`

	for name, a := range map[string]gatewaytest.ToolAnswer{
		"a tool without numbers":                        d.Calls(t, may, "card", arguments),
		"a credential without privacy.read":             d.Calls(t, mayNot, "card_with_number", arguments),
		"neither":                                       d.Calls(t, mayNot, "card", arguments),
		"a search of a tool without numbers":            d.Calls(t, may, "who_was", `{"number":"`+number+`"}`),
		"a filter of a tool without numbers":            d.Calls(t, may, "customers", `{"filter":{"registrationNumber":"`+number+`"}}`),
		"a search of a credential without privacy.read": d.Calls(t, mayNot, "who_is", `{"number":"`+number+`"}`),
		"a stated purpose is no right":                  d.Calls(t, http.Header{"X-Client-Id": may["X-Client-Id"], "X-Client-Secret": may["X-Client-Secret"], "X-Access-Purpose": {"please"}}, "card", arguments),
		"the argument of a query that is explained":     d.Calls(t, may, "explain", `{"query":"{ customers { nodes { registrationNumber } } }"}`),
	} {
		if strings.Contains(a.Whole, number) {
			t.Errorf("%s discloses it: %s", name, a.Whole)
		}
		card := strings.Contains(name, "search") || strings.Contains(name, "filter") || strings.Contains(name, "explained")
		if !card && (a.IsError || !strings.Contains(string(a.StructuredContent), `"registrationNumber":null`) || !slices.Contains(a.Meta.Withheld, "customer.registrationNumber") || !strings.Contains(a.Said(), "withheld")) {
			t.Errorf("%s: %s", name, a.Whole)
		}
	}
	if entries := purposes(t, d.Office)[before:]; len(entries) != 0 {
		t.Errorf("entered though nothing was disclosed: %q", entries)
	}

	forged := gatewaytest.NewRequest(t, d.Credential(t, backoffice.AllScopes...), http.MethodPost, "/graphql", `{"query":"{ viewer { name } }"}`)
	forged.Header.Set("X-Access-Purpose", "mcp:card")
	if w := d.Serve(forged); w.Code != http.StatusBadRequest {
		t.Errorf("somebody states the purpose of a tool: %d %s", w.Code, w.Body)
	}
	if a := d.Calls(t, may, "card_with_number", arguments); !strings.Contains(string(a.StructuredContent), `"registrationNumber":"`+number+`"`) || len(a.Meta.Withheld) != 0 {
		t.Error(a.Whole)
	}
	person := http.Header{"Authorization": {"Bearer " + d.Token(t, "ada", map[string]any{"groups": []string{"managers"}})}}
	if a := d.Calls(t, person, "card_with_number", arguments); !strings.Contains(a.Whole, number) {
		t.Error(a.Whole)
	}
	if a := d.Calls(t, person, "who_is", `{"number":"`+number+`"}`); !strings.Contains(a.Whole, made) {
		t.Error(a.Whole)
	}
	want := []string{"mcp:card_with_number a credential READ " + made, "mcp:card_with_number ada READ " + made, "mcp:who_is ada SEARCH " + made, "mcp:who_is ada SEARCH els"}
	if entries := purposes(t, d.Office)[before:]; !slices.Equal(entries, want) {
		t.Errorf("entered: %q", entries)
	}
}

// What an agent may not send is not in the description of its arguments.
func TestArgumentsThatTakeANumberAreDescribedOnlyToThoseWhoMaySendOne(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	mark(t, o)
	o.Tool(t, backoffice.Tool{Name: "search", About: "Customers.", Numbers: true}, `query Search($filter: CustomerFilter) { customers(filter: $filter) { totalCount } }`)
	o.Tool(t, backoffice.Tool{Name: "twins", About: "Possible duplicates.", Numbers: true}, `query Twins($by: DuplicateKey!) { duplicates(by: $by) { totalCount } }`)
	o.Credential(t, backoffice.AllScopes...)
	for name, of := range map[string]struct {
		scopes []backoffice.Scope
		n      int
	}{"without privacy.read": {nil, 0}, "with it": {backoffice.AllScopes, 5}} { // two fields of search's filter, who_is: the argument and that it is required, and what twins may share
		list := o.Agent(t, gatewaytest.CredentialHeader(o.Credential(t, of.scopes...)), "tools/list", map[string]any{})
		inputs := 0
		for _, tool := range list.Tools {
			inputs += strings.Count(string(tool.InputSchema), `egistrationNumber":`) + strings.Count(string(tool.InputSchema), `"number":`) + strings.Count(string(tool.InputSchema), `["number"]`) + strings.Count(string(tool.InputSchema), `"REGISTRATION_NUMBER"`)
		}
		if inputs != of.n {
			t.Errorf("%s: %d places of a number", name, inputs)
		}
	}
}

func TestNothingOfArgumentsAndAnswersIsInLogsOrMetrics(t *testing.T) {
	t.Parallel()
	log := &gatewaytest.LogLines{}
	settings := gatewaytest.Settings(t, gatewaytest.Engines["SQLite"](t))
	b, err := settings.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	config := gatewaytest.Measured(t, gatewaytest.Config(gatewaytest.Limits()))
	config.Log, config.Agents.Ask = slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})), true
	o := gatewaytest.ServeConfig(t, b, config)
	o.Fill(t)
	mark(t, o)
	header := gatewaytest.CredentialHeader(o.Credential(t, backoffice.AllScopes...))
	for tool, arguments := range map[string]string{
		"customers": `{"filter":{"search":"Brouwerij de Canary"}}`, "card": `{"id":"canary-1"}`, "who_is": `{"number":"85073003328"}`,
		"query":   `{"query":"{ customers(filter: {search: \"Canary three\"}) { nodes { displayName } } }"}`,
		"explain": `{"query":"{ customers(filter: {search: \"Canary four\"}) { totalCount } }"}`, "search_schema": `{"words":"canary five"}`,
		"anything": `{"id":"acme"}`, "nothing_canary": `{"canary": "canary six"}`, "me": `{"canary": "canary seven"}`,
	} {
		o.Calls(t, header, tool, arguments)
	}
	log.Mu.Lock()
	text := log.Text.String()
	log.Mu.Unlock()
	text += o.Metrics(t)
	for _, canary := range []string{"anary", "85073003328", "Brouwerij", "Acmé", "Zwaan"} {
		if strings.Contains(text, canary) {
			at := strings.Index(text, canary)
			t.Errorf("%q is in %s", canary, text[max(0, at-200):at+50])
		}
	}
	for _, want := range []string{`"tool":"customers"`, `"operation":"Customers"`, `backoffice_tool_calls_total{tool="who_is"} 1`, `backoffice_tool_calls_total{tool="query"} 1`, `"route":"/mcp"`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is neither in the log nor in the metrics", want)
		}
	}
}
