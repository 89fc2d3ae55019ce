package agents

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway"
	"example.org/backoffice/gateway/gatewaytest"
)

// signed adds a caller's headers to each request.
type signed struct{ header http.Header }

func (s signed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	maps.Copy(r.Header, s.header)
	return http.DefaultTransport.RoundTrip(r)
}

// connect connects the SDK's client by HTTP.
func connect(t testing.TB, o *gatewaytest.Office, header http.Header) *mcp.ClientSession {
	t.Helper()
	server := httptest.NewServer(o.Handler)
	t.Cleanup(server.Close)
	client := mcp.NewClient(&mcp.Implementation{Name: "a test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: server.URL + "/mcp", HTTPClient: &http.Client{Transport: signed{header}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

func TestTheSDKsClientListsAndCallsTools(t *testing.T) {
	t.Parallel()
	gatewaytest.EachOffice(t, func(t *testing.T, o *gatewaytest.Office) {
		mark(t, o)
		session := connect(t, o, gatewaytest.CredentialHeader(o.Credential(t, backoffice.AllScopes...)))
		list, err := session.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		names := backoffice.Map(list.Tools, func(tool *mcp.Tool) string { return tool.Name })
		if len(names) != len(tools)+2 || !slices.IsSorted(names) || list.CacheScope != "private" || list.TTLMs == 0 {
			t.Errorf("%q, kept for %d ms, %s", names, list.TTLMs, list.CacheScope)
		}
		for _, tool := range list.Tools {
			if !tool.Annotations.ReadOnlyHint || tool.Description == "" {
				t.Errorf("%s: %+v", tool.Name, tool)
			}
		}
		for _, d := range tools {
			params := &mcp.CallToolParams{Name: d.Name}
			if d.arguments != "" {
				params.Arguments = json.RawMessage(d.arguments)
			}
			result, err := session.CallTool(t.Context(), params)
			if err != nil || result.IsError || len(result.Content) == 0 {
				t.Errorf("%s: %+v %v", d.Name, result, err)
				continue
			}
			structure, err := json.Marshal(result.StructuredContent)
			if err != nil {
				t.Error(err)
			}
			var twin any
			if err := json.Unmarshal([]byte(result.Content[0].(*mcp.TextContent).Text), &twin); err != nil {
				t.Error(err)
			}
			if again := gatewaytest.JSON(t, twin); again != string(structure) {
				t.Errorf("%s: the text is another: %s\n%s", d.Name, again, structure)
			}
		}
		if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "nothing_85073003328"}); err == nil || strings.Contains(err.Error(), "85073003328") {
			t.Error(err)
		}
	})
}

// Clients of before the present revision say initialize first, and keep to what was agreed.
func TestOlderClientsAreServed(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	mark(t, o)
	header := gatewaytest.CredentialHeader(o.Credential(t))
	for _, version := range []string{"2025-03-26", "2025-06-18", "2025-11-25"} {
		r := gatewaytest.MessageOf(t, header, "initialize", map[string]any{"protocolVersion": version, "capabilities": map[string]any{}, "clientInfo": map[string]string{"name": "x", "version": "1"}})
		r.Header.Set("Mcp-Protocol-Version", version)
		w := o.Serve(r)
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"protocolVersion":"`+version+`"`) || !strings.Contains(w.Body.String(), `"capabilities":{"tools":{}}`) {
			t.Errorf("%s: %d %s", version, w.Code, w.Body)
		}
		if w.Header().Get("Mcp-Session-Id") != "" || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %v", version, w.Header())
		}
		r = gatewaytest.MessageOf(t, header, "tools/call", map[string]any{"name": "me"})
		r.Header.Set("Mcp-Protocol-Version", version)
		if w := o.Serve(r); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"structuredContent":{"viewer":{"name":"test",`) {
			t.Errorf("%s: %d %s", version, w.Code, w.Body)
		}
	}
}

func TestTheEndpointAdmitsOnlyWhatItIsFor(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	mark(t, o)
	credential := o.Credential(t)
	header := gatewaytest.CredentialHeader(credential)
	for method, params := range map[string]any{
		"prompts/list": map[string]any{}, "resources/list": map[string]any{}, "logging/setLevel": map[string]string{"level": "debug"},
		"completion/complete": map[string]any{"ref": map[string]string{"type": "ref/prompt", "name": "x"}, "argument": map[string]string{"name": "a", "value": "b"}},
	} {
		for version, status := range map[string]int{"": 200, "2025-03-26": 200, "2025-11-25": 200, "2026-07-28": 404} {
			r := gatewaytest.MessageOf(t, header, method, params)
			r.Header.Set("Mcp-Protocol-Version", version)
			if w := o.Serve(r); w.Code != status || !strings.Contains(w.Body.String(), `"this server has tools, and nothing else"`) {
				t.Errorf("%s of %q: %d %s", method, version, w.Code, w.Body)
			}
		}
	}
	if a := o.Agent(t, header, "tools/list", map[string]string{"cursor": "x"}); !strings.Contains(a.Error, "one page") {
		t.Error(a.Whole)
	}
	batch := o.Serve(gatewaytest.NewRequest(t, credential, http.MethodPost, "/mcp", ` [{"jsonrpc":"2.0","id":1,"method":"ping"}]`))
	if batch.Code != http.StatusBadRequest {
		t.Errorf("several messages at once: %d %s", batch.Code, batch.Body)
	}
	if get := o.Send(t, credential, http.MethodGet, "/mcp", ""); get.Code != http.StatusMethodNotAllowed || get.Header().Get("Allow") != "POST" {
		t.Errorf("GET: %d", get.Code)
	}
	page := gatewaytest.MessageOf(t, header, "tools/list", map[string]any{})
	page.Header.Set("Origin", "https://elsewhere.example")
	if w := o.Serve(page); w.Code != http.StatusForbidden {
		t.Errorf("a page of elsewhere: %d %s", w.Code, w.Body)
	}
	if a := o.Agent(t, http.Header{}, "tools/list", map[string]any{}); a.Status != http.StatusUnauthorized {
		t.Errorf("nobody: %d %s", a.Status, a.Whole)
	}
	large := gatewaytest.MessageOf(t, header, "tools/call", map[string]any{"name": "me", "arguments": map[string]string{"x": strings.Repeat("x", gatewaytest.Limits().Body)}})
	if w := o.Serve(large); w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("a large request: %d", w.Code)
	}
	config := gatewaytest.Config(gatewaytest.Limits())
	config.Agents = gateway.AgentSettings{}
	if closed := gatewaytest.ServeOpen(t, o.Backend, config); closed.Agent(t, header, "tools/list", map[string]any{}).Status != http.StatusNotFound {
		t.Error("the endpoint is served by default")
	}
}

func TestAnArgumentThatIsWrongIsRefusedWithoutRepeatingIt(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	mark(t, o)
	header := gatewaytest.CredentialHeader(o.Credential(t))
	for arguments, want := range map[string]string{
		`{"secret-85073003328": 1}`:     "there is no variable",
		`{"first": "85073003328 rows"}`: `the variable "$first" is not of type "Int"`,
		`{"first": 100000}`:             "500",
		`[1]`:                           "the variables are a JSON object",
	} {
		a := o.Calls(t, header, "customers", arguments)
		if !a.IsError || !strings.Contains(a.Said(), want) || strings.Contains(a.Whole, "85073003328") {
			t.Errorf("%s: %s", arguments, a.Whole)
		}
	}
}

// The SDK's own errors repeat parameters, names and headers.
func TestAnErrorOfTheProtocolRepeatsNothingButTheIdOfItsMessage(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	mark(t, o)
	credential := o.Credential(t)
	for _, version := range []string{"2025-03-26", "2025-11-25", "2026-07-28"} {
		meta := `"_meta":{}`
		if version == "2026-07-28" {
			meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
		}
		for _, id := range []string{"1720000000123", `"1720000000123 \"result\":"`} {
			for _, of := range []struct{ message, name, said string }{
				{`"jsonrpc":"2.0","method":"tools/call","params":["who_is",{"number":"85073003328"}]`, "customers", "check the message and its headers"},
				{`"jsonrpc":"2.0","method":"tools/call","params":{"name":{"who_is":"85073003328"},` + meta + `}`, "customers", "check the message and its headers"},
				{`"jsonrpc":"2.0","method":"tools/call","params":{"name":"who_is 85073003328",` + meta + `}`, "who_is 85073003328", "there is no such tool"},
				{`"jsonrpc":"2.0","method":"tools/call","params":{"name":"who_is 85073003328",` + meta + `}`, "who_is", ""}, // only a revision has this header
				{`"jsonrpc":"2.0","method":"tools/list","params":{"cursor":"who_is 85073003328",` + meta + `}`, "", "the list of tools has one page"},
				{`"jsonrpc":"2.0","method":"who_is 85073003328"`, "", "this server has tools"},
				{`"jsonrpc":"2.0","method":"who_is 85073003328","Method":"ping"`, "", ""}, // some readers of JSON take the last one
				{`"jsonrpc":"who_is 85073003328","method":"ping"`, "", "send one message"},
			} {
				r := gatewaytest.NewRequest(t, credential, http.MethodPost, "/mcp", `{"id":`+id+`,`+of.message+`}`)
				r.Header.Set("Accept", "application/json, text/event-stream")
				r.Header.Set("Mcp-Protocol-Version", version)
				method, _, _ := strings.Cut(of.message[strings.Index(of.message, `"method":"`)+len(`"method":"`):], `"`)
				r.Header.Set("Mcp-Method", method)
				r.Header.Set("Mcp-Name", of.name)
				w := o.Serve(r)
				var answer struct{ ID json.RawMessage }
				err := json.Unmarshal(w.Body.Bytes(), &answer)
				if repeats := strings.ReplaceAll(w.Body.String(), id, ""); strings.Contains(repeats, "who_is") || strings.Contains(repeats, "85073003328") || !strings.Contains(repeats, of.said) {
					t.Errorf("%s: %s: %d %s", version, of.message, w.Code, w.Body)
				}
				if isProtocol := of.said != "send one message"; isProtocol && (err != nil || string(answer.ID) != id) {
					t.Errorf("%s: the id of %s: %d %s", version, of.message, w.Code, w.Body)
				}
			}
			notification := gatewaytest.MessageOf(t, gatewaytest.CredentialHeader(credential), "who_is 85073003328", nil)
			notification.Body = io.NopCloser(strings.NewReader(`{"jsonrpc":"2.0","method":"who_is 85073003328"}`))
			notification.Header.Set("Mcp-Protocol-Version", version)
			if w := o.Serve(notification); w.Code != http.StatusAccepted || w.Body.Len() > 0 {
				t.Errorf("%s: a notification: %d %s", version, w.Code, w.Body)
			}
		}
	}
}

func TestAClientOfALaterRevisionIsToldWhichThereAre(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	r := gatewaytest.NewRequest(t, o.Credential(t), http.MethodPost, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01","io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`)
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Mcp-Protocol-Version", "2099-01-01")
	r.Header.Set("Mcp-Method", "tools/list")
	if w := o.Serve(r); !strings.Contains(w.Body.String(), `"data":{"supported":["2026-07-28"`) || strings.Contains(w.Body.String(), "2099") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestACallForWhichTheBudgetIsTooSmallSaysWhenToTryAgain(t *testing.T) {
	t.Parallel()
	bounds := gatewaytest.Limits()
	bounds.Budget, bounds.BudgetRestore = 100, 1
	o := gatewaytest.OpenWith(t, gatewaytest.Engines["SQLite"](t), bounds)
	people(t, o, 90, func(int) string { return "A customer" })
	mark(t, o)
	header := gatewaytest.CredentialHeader(o.Credential(t))
	if a := o.Calls(t, header, "customers", `{"first":90}`); a.IsError {
		t.Fatal(a.Whole)
	}
	a := o.Calls(t, header, "customers", `{"first":90}`)
	_, wait, _ := strings.Cut(a.Said(), "exhausted; try again in ")
	if seconds, err := strconv.Atoi(strings.TrimSuffix(wait, " s")); err != nil || !a.IsError || a.Meta.Code != "RATE_LIMITED" || seconds < 1 || seconds > 90 {
		t.Errorf("%s", a.Whole)
	}
}

func TestAPageOfAnOriginThatIsWrittenInUpperCaseMayCallTools(t *testing.T) {
	t.Parallel()
	config := gatewaytest.Config(gatewaytest.Limits())
	config.Server.Origins = []string{"https://Office.example"}
	settings := gatewaytest.Settings(t, gatewaytest.Engines["SQLite"](t))
	b, err := settings.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	o := gatewaytest.ServeConfig(t, b, config)
	header := gatewaytest.CredentialHeader(o.Credential(t))
	for origin, status := range map[string]int{
		"https://office.example": http.StatusOK, "https://other.example": http.StatusForbidden,
	} {
		header.Set("Origin", origin)
		if a := o.Agent(t, header, "tools/list", map[string]any{}); a.Status != status {
			t.Errorf("%s: %d %.300s", origin, a.Status, a.Whole)
		}
	}
}
