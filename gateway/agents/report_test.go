package agents

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
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
