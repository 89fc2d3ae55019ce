package limits

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway"
	"example.org/backoffice/gateway/gatewaytest"
	"example.org/backoffice/graphql/graphqlhttp"
	"example.org/backoffice/httpserver"
)

// linesWith are the lines with a message.
func linesWith(t testing.TB, l *gatewaytest.LogLines, message string) (lines []map[string]any) {
	t.Helper()
	l.Mu.Lock()
	defer l.Mu.Unlock()
	for text := range strings.Lines(l.Text.String()) {
		var line map[string]any
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		if line["msg"] == message {
			lines = append(lines, line)
		}
	}
	return lines
}

// watchedOffice is an office that logs operations which take as long.
func watchedOffice(t testing.TB, database string, slow time.Duration) (*gatewaytest.Office, *gatewaytest.LogLines) {
	t.Helper()
	log := &gatewaytest.LogLines{}
	settings := gatewaytest.Settings(t, database)
	backend, err := settings.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	o := gatewaytest.ServeConfig(t, backend, gateway.Config{Limits: gatewaytest.Limits(), Webhooks: gateway.WebhookSettings{Off: true}, Log: slog.New(slog.NewJSONHandler(log, nil)), Server: httpserver.Settings{Slow: slow}})
	o.Fill(t)
	return o, log
}

const watchedQuery = `query Q($first: Int) { customers(first: $first, filter: {search: "Boekhouding"}) { nodes { relations(first: 5) { edges { otherCustomer { displayName } } } } } }`

func TestASlowOperationIsLoggedWithItsLevelsAndNothingOfWhatItSays(t *testing.T) {
	t.Parallel()
	for engine, fresh := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o, log := watchedOffice(t, fresh(t), time.Nanosecond)
			credential := o.Credential(t, backoffice.PrivacyRead)
			status, body, calls := o.Ask(t, credential, watchedQuery, json.RawMessage(`{"first": 3}`), http.Header{"X-Request-Id": {"of-slow"}})
			if status != http.StatusOK || bytes.Contains(body, []byte(`"errors"`)) {
				t.Fatalf("%d %s", status, body)
			}
			lines := linesWith(t, log, "slow operation")
			if len(lines) != 1 {
				t.Fatalf("%v", lines)
			}
			line := lines[0]
			for key, want := range map[string]any{
				"request": "of-slow", "client": credential[0], "type": "query", "document": backoffice.DocumentID(watchedQuery), "statements": float64(calls), "level": "WARN",
			} {
				if line[key] != want {
					t.Errorf("%s is %v, not %v", key, line[key], want)
				}
			}
			told, _ := json.Marshal(line["levels"])
			var levels []graphqlhttp.Level
			if err := json.Unmarshal(told, &levels); err != nil || len(levels) != 3 {
				t.Fatalf("%v: %s", err, told)
			}
			for i, name := range []string{"customers.page", "relations.page", "customers.many"} {
				of := slices.IndexFunc(levels[i].Statements, func(s graphqlhttp.Statement) bool { return s.Name == name })
				if of < 0 || levels[i].Statements[of].Rows == 0 || levels[i].Rows == 0 || levels[i].Fields == 0 || levels[i].Milliseconds <= 0 {
					t.Errorf("level %d has no %s: %s", i, name, told)
				}
			}
			if all := log.Text.String(); strings.Contains(all, "Boekhouding") || strings.Contains(all, "displayName") || line["cost"] == 0.0 {
				t.Errorf("the log holds too much, or no cost: %s", all)
			}
		})
	}
}

func TestADocumentThatHoldsAGuardedValueIsNotToldByItsDigest(t *testing.T) {
	t.Parallel()
	o, log := watchedOffice(t, gatewaytest.Engines["SQLite"](t), time.Nanosecond)
	query := `{ customers(filter: {registrationNumber: "85073000160"}) { nodes { id } } }`
	if status, body, _ := o.Ask(t, o.Credential(t, backoffice.PrivacyRead), query, nil, nil); status != http.StatusOK {
		t.Fatalf("%s", body)
	}
	lines := linesWith(t, log, "slow operation")
	if len(lines) != 1 || lines[0]["document"] != "" || len(lines[0]["shape"].(string)) != 16 {
		t.Errorf("%v", lines)
	}
}

func TestWhatIsNotSlowIsNotLoggedAsSuch(t *testing.T) {
	t.Parallel()
	for _, slow := range []time.Duration{0, time.Hour} {
		o, log := watchedOffice(t, gatewaytest.Engines["SQLite"](t), slow)
		o.Ask(t, o.Credential(t), watchedQuery, json.RawMessage(`{"first": 3}`), nil)
		if lines := linesWith(t, log, "slow operation"); len(lines) != 0 || len(linesWith(t, log, "request")) == 0 {
			t.Errorf("%s: %v", slow, lines)
		}
	}
}

func TestExplainTellsWhatEachLevelTook(t *testing.T) {
	t.Parallel()
	for engine, fresh := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o := gatewaytest.OpenOn(t, fresh(t))
			explained := func(query string) (storeCalls int, levels []graphqlhttp.Level) {
				_, body, _ := o.Ask(t, o.Credential(t, backoffice.AllScopes...), query, json.RawMessage(`{"first": 3}`), http.Header{"X-Explain": {"true"}})
				var answer struct {
					Extensions struct {
						Cost struct {
							StoreCalls int
							Levels     []graphqlhttp.Level
						}
					}
				}
				if err := json.Unmarshal(body, &answer); err != nil {
					t.Fatal(err)
				}
				return answer.Extensions.Cost.StoreCalls, answer.Extensions.Cost.Levels
			}
			for query, least := range map[string]int{
				watchedQuery: 3,
				`mutation { createLabel(input: {name: "Nieuw"}) { label { id name } userErrors { code } } }`: 1,
			} {
				calls, levels := explained(query)
				statements := 0
				for _, level := range levels {
					for _, s := range level.Statements {
						if s.Name == "" || s.Milliseconds < 0 || s.Waited > s.Milliseconds+1_000 {
							t.Errorf("%+v", s)
						}
						statements += s.Times
					}
				}
				if len(levels) < least || statements != calls || calls == 0 {
					t.Errorf("%s: %d statements in %d levels, and %d were counted: %+v", query, statements, len(levels), calls, levels)
				}
			}
		})
	}
}
