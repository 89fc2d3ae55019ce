package agents

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway"
	"example.org/backoffice/gateway/gatewaytest"
)

// What agents did is in two reports: the calls, which a server stores when it stops, and the register.
func TestTheReportsSayWhatAgentsDid(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			settings := gatewaytest.Settings(t, database(t))
			o := gatewaytest.Serve(t, settings, gatewaytest.Limits())
			o.Fill(t)
			mark(t, o)
			header := gatewaytest.CredentialHeader(o.Credential(t, backoffice.AllScopes...))
			made := o.MakeCustomer(t)
			for _, tool := range []string{"card", "card_with_number", "card_with_number", "nothing"} {
				o.Calls(t, header, tool, `{"id":"`+made+`"}`)
			}
			o.Answers(t, o.Credential(t, backoffice.AllScopes...), `{ customer(id: "`+made+`") { registrationNumber } }`)
			o.Stop()
			keyset, err := filepath.Abs(settings.Keyset)
			if err != nil {
				t.Fatal(err)
			}
			run := func(args ...string) string {
				command, err := gatewaytest.Command(t.Context(), append([]string{"--database=" + settings.Database, "--files=" + settings.Files, "--keyset=" + keyset}, args...)...)
				if err != nil {
					t.Fatal(err)
				}
				out, err := command.Output()
				if err != nil {
					t.Fatalf("%q: %v %s", args, err, out)
				}
				return string(out)
			}
			if out := run("consultations", "report", made); strings.Count(out, "\n") != 4 {
				t.Error(out)
			}
			if out := run("consultations", "report", made, "--tool", "card_with_number"); strings.Count(out, "mcp:card_with_number") != 2 || strings.Count(out, "\n") != 3 {
				t.Error(out)
			}
			if out := run("consultations", "report", made, "--tool", "card"); strings.Count(out, "\n") != 1 {
				t.Error(out)
			}
			within(t, "the counts of a server that stops", func() bool {
				out := run("tools", "report", "--format=csv", "--month="+backoffice.InstantOf(time.Now()).String()[:7])
				return strings.Contains(out, ",card,1,") && strings.Contains(out, ",card_with_number,2,") && !strings.Contains(out, "nothing")
			})
		})
	}
}

// A tool whose list is cut runs again with the rows that fit, and its caller pays for both.
func TestTheLogSaysWhatACutToolCost(t *testing.T) {
	t.Parallel()
	var log gatewaytest.SafeBuffer
	config := gatewaytest.Config(gatewaytest.Spacious())
	config.Agents, config.Log = gateway.AgentSettings{MCP: true, Answer: answerBytes}, slog.New(slog.NewJSONHandler(&log, nil))
	settings := gatewaytest.Settings(t, gatewaytest.Engines["SQLite"](t))
	b, err := settings.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	o := gatewaytest.ServeConfig(t, b, config)
	people(t, o, 200, func(int) string { return strings.Repeat("x", 100) })
	const text = `query Nodes($first: Int) { customers(first: $first) { nodes { id displayName } } }`
	o.Tool(t, backoffice.Tool{Name: "nodes", About: "Customers."}, text)
	credential := o.Credential(t)
	a := o.Calls(t, gatewaytest.CredentialHeader(credential), "nodes", `{"first":200}`)
	if len(a.Meta.Cut) != 1 {
		t.Fatal(a.Whole)
	}
	for _, first := range []int{200, a.Meta.Cut[0].Rows} {
		if status, body, _ := o.Ask(t, credential, text, fmt.Appendf(nil, `{"first":%d}`, first), nil); status != http.StatusOK {
			t.Fatalf("%d %s", status, body)
		}
	}
	var costs []int
	for text := range strings.Lines(log.String()) {
		var line struct{ Cost int }
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatal(err)
		}
		if line.Cost > 0 {
			costs = append(costs, line.Cost)
		}
	}
	if len(costs) != 3 || costs[0] != costs[1]+costs[2] {
		t.Errorf("the cut tool, both alone: %d", costs)
	}
}
