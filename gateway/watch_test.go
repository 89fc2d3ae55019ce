package gateway

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/graphqlhttp"
	"example.org/backoffice/httpserver"
)

// logLines is a log that a test reads.
type logLines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logLines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

// of are the lines with a message.
func (l *logLines) of(t testing.TB, message string) (lines []map[string]any) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	for text := range strings.Lines(l.text.String()) {
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
func watchedOffice(t testing.TB, database string, slow time.Duration) (*office, *logLines) {
	t.Helper()
	log := &logLines{}
	settings := officeSettings(t, database)
	backend, err := settings.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	o := serveConfigured(t, backend, Config{Limits: unhurried(), Webhooks: WebhookSettings{Off: true}, Log: slog.New(slog.NewJSONHandler(log, nil)), Server: httpserver.Settings{Slow: slow}})
	o.fill(t)
	return o, log
}

const watchedQuery = `query Q($first: Int) { customers(first: $first, filter: {search: "Boekhouding"}) { nodes { relations(first: 5) { edges { otherCustomer { displayName } } } } } }`

func TestASlowOperationIsLoggedWithItsLevelsAndNothingOfWhatItSays(t *testing.T) {
	t.Parallel()
	for engine, fresh := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o, log := watchedOffice(t, fresh(t), time.Nanosecond)
			pair := o.pair(t, backoffice.PrivacyRead)
			status, body, calls := o.ask(t, pair, watchedQuery, json.RawMessage(`{"first": 3}`), http.Header{"X-Request-Id": {"of-slow"}})
			if status != http.StatusOK || bytes.Contains(body, []byte(`"errors"`)) {
				t.Fatalf("%d %s", status, body)
			}
			lines := log.of(t, "slow operation")
			if len(lines) != 1 {
				t.Fatalf("%v", lines)
			}
			line := lines[0]
			for key, want := range map[string]any{
				"request": "of-slow", "client": pair[0], "type": "query", "document": backoffice.DocumentID(watchedQuery), "statements": float64(calls), "level": "WARN",
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
			if all := log.text.String(); strings.Contains(all, "Boekhouding") || strings.Contains(all, "displayName") || line["cost"] == 0.0 {
				t.Errorf("the log holds too much, or no cost: %s", all)
			}
		})
	}
}

func TestADocumentThatHoldsAGuardedValueIsNotToldByItsDigest(t *testing.T) {
	t.Parallel()
	o, log := watchedOffice(t, engines["SQLite"](t), time.Nanosecond)
	query := `{ customers(filter: {registrationNumber: "85073000160"}) { nodes { id } } }`
	if status, body, _ := o.ask(t, o.pair(t, backoffice.PrivacyRead), query, nil, nil); status != http.StatusOK {
		t.Fatalf("%s", body)
	}
	lines := log.of(t, "slow operation")
	if len(lines) != 1 || lines[0]["document"] != "" || len(lines[0]["shape"].(string)) != 16 {
		t.Errorf("%v", lines)
	}
}

func TestWhatIsNotSlowIsNotLoggedAsSuch(t *testing.T) {
	t.Parallel()
	for _, slow := range []time.Duration{0, time.Hour} {
		o, log := watchedOffice(t, engines["SQLite"](t), slow)
		o.ask(t, o.pair(t), watchedQuery, json.RawMessage(`{"first": 3}`), nil)
		if lines := log.of(t, "slow operation"); len(lines) != 0 || len(log.of(t, "request")) == 0 {
			t.Errorf("%s: %v", slow, lines)
		}
	}
}

func TestExplainTellsWhatEachLevelTook(t *testing.T) {
	t.Parallel()
	for engine, fresh := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o := openOfficeOn(t, fresh(t))
			explained := func(query string) (storeCalls int, levels []graphqlhttp.Level) {
				_, body, _ := o.ask(t, o.pair(t, backoffice.SettingsWrite), query, json.RawMessage(`{"first": 3}`), http.Header{"X-Explain": {"true"}})
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
