package agents

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway"
	"example.org/backoffice/gateway/gatewaytest"
)

func TestACallIsAnsweredAlikeFromMemory(t *testing.T) {
	t.Parallel()
	config := gatewaytest.Measured(t, gatewaytest.Config(gatewaytest.Spacious()))
	config.Agents, config.Cache = gateway.AgentSettings{MCP: true, Ask: true, Answer: answerBytes}, gateway.CacheSettings{Cache: 64 << 20}
	settings := gatewaytest.Settings(t, gatewaytest.Engines["SQLite"](t))
	b, err := settings.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	kept := gatewaytest.ServeConfig(t, b, config)
	checkAlike(t, kept)
	if kept.Metric(t, "backoffice_answers_hits_total") == 0 {
		t.Error("no call was answered from memory")
	}
}

func checkAlike(t *testing.T, o *gatewaytest.Office) {
	t.Helper()
	fill(t, o)
	people(t, o, 200, func(i int) string { return "A <customer> & co" })
	mark(t, o)
	header := gatewaytest.CredentialHeader(o.Credential(t, backoffice.AllScopes...))
	calls := map[string]string{}
	for _, d := range tools {
		calls[d.Name] = d.arguments
	}
	maps.Copy(calls, map[string]string{"customers": `{"first":500}`, "card_with_number": `{"id":5,"x":1}`, "nothing": `{}`, "search_schema": `{"words":"customer"}`, "explain": `{"query":"{ customers { totalCount } }"}`, "query": `{"query":"{ x }"}`})
	for version, meta := range map[string]map[string]any{
		"2025-06-18": nil, "2025-11-25": nil,
		"2026-07-28": {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": map[string]any{}},
	} {
		for name, arguments := range calls {
			params := map[string]any{"name": name}
			if arguments != "" {
				params["arguments"] = json.RawMessage(arguments)
			}
			if meta != nil {
				params["_meta"] = meta
			}
			answers := make([]any, 3)
			for i := range answers {
				r := gatewaytest.MessageOf(t, header, "tools/call", params)
				r.Header.Set("Mcp-Protocol-Version", version)
				r.Header.Set("Mcp-Method", "tools/call")
				r.Header.Set("Mcp-Name", name)
				w := o.Serve(r)
				if err := json.Unmarshal(w.Body.Bytes(), &answers[i]); err != nil || w.Code != http.StatusOK && name != "nothing" || w.Header().Get("Cache-Control") != "no-store" || w.Header().Get("Content-Type") != "application/json" {
					t.Errorf("%s %s: %d %v %s", version, name, w.Code, w.Header(), w.Body)
				}
			}
			for _, answer := range answers[1:] {
				if diff := cmp.Diff(answers[0], answer); diff != "" {
					t.Errorf("%s %s: %s", version, name, diff)
				}
			}
		}
	}
}

// A message whose headers say something else than its body is refused by the SDK, as the protocol wants.
func TestAMessageThatContradictsItselfIsRefused(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	mark(t, o)
	header := gatewaytest.CredentialHeader(o.Credential(t))
	full := map[string]any{"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": map[string]any{}}
	for what, of := range map[string]struct {
		meta           map[string]any
		version, names string
	}{
		"another tool":            {full, "2026-07-28", "customers"},
		"another version":         {map[string]any{"io.modelcontextprotocol/protocolVersion": "2026-07-28"}, "2025-11-25", "me"},
		"no version":              {map[string]any{"io.modelcontextprotocol/clientCapabilities": map[string]any{}}, "2026-07-28", "me"},
		"a version of the future": {map[string]any{"io.modelcontextprotocol/protocolVersion": "2030-01-01", "io.modelcontextprotocol/clientCapabilities": map[string]any{}}, "2030-01-01", "me"},
	} {
		r := gatewaytest.MessageOf(t, header, "tools/call", map[string]any{"name": "me", "_meta": of.meta})
		r.Header.Set("Mcp-Protocol-Version", of.version)
		r.Header.Set("Mcp-Method", "tools/call")
		r.Header.Set("Mcp-Name", of.names)
		if w := o.Serve(r); w.Code != http.StatusBadRequest {
			t.Errorf("%s: %d %s", what, w.Code, w.Body)
		}
	}
}

// slow is a store that, when it is told to, answers one caller no sooner than that the request is over.
type slow struct {
	backoffice.Store
	next atomic.Bool
	held chan struct{}
}

func (s *slow) BeginSnapshot(ctx context.Context) backoffice.Snapshot {
	if auth.From(ctx) != nil && s.next.CompareAndSwap(true, false) {
		s.held <- struct{}{}
		<-ctx.Done()
	}
	return s.Store.BeginSnapshot(ctx)
}

func TestACallThatIsEndedSaysSo(t *testing.T) {
	t.Parallel()
	for what, of := range map[string]struct {
		lasts time.Duration
		ends  func(t *testing.T, o *gatewaytest.Office, credential string, goAway func())
		want  string // empty where nobody listens
	}{
		"there is no more time": {lasts: time.Second, want: `"backoffice/code":"TIMEOUT"`},
		"its rights have ended": {lasts: time.Hour, want: `"code":"UNAUTHENTICATED"`,
			ends: func(t *testing.T, o *gatewaytest.Office, credential string, _ func()) {
				if err := o.Store.UpdateCredential(t.Context(), credential, func(c *backoffice.Credential) error { c.Revoke(backoffice.InstantOf(time.Now())); return nil }); err != nil {
					t.Error(err)
				}
			}},
		"its client has gone": {lasts: time.Hour,
			ends: func(_ *testing.T, _ *gatewaytest.Office, _ string, goAway func()) { goAway() }},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			store, bounds := &slow{held: make(chan struct{})}, gatewaytest.Limits()
			bounds.Time = of.lasts
			o := gatewaytest.ServeThrough(t, gatewaytest.Settings(t, gatewaytest.Engines["SQLite"](t)), bounds, func(s backoffice.Store) backoffice.Store {
				store.Store = s
				return store
			})
			mark(t, o)
			credential := o.Credential(t, backoffice.AllScopes...)
			ctx, goAway := context.WithCancel(t.Context())
			defer goAway()
			r := gatewaytest.MessageOf(t, gatewaytest.CredentialHeader(credential), "tools/call", map[string]any{"name": "customers"}).WithContext(ctx)
			store.next.Store(true)
			go func() {
				<-store.held
				if of.ends != nil {
					of.ends(t, o, credential[0], goAway)
				}
			}()
			if w := o.Serve(r); !strings.Contains(w.Body.String(), of.want) {
				t.Errorf("%d %s", w.Code, w.Body)
			}
		})
	}
}
