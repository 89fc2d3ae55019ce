package answers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway"
	"example.org/backoffice/gateway/gatewaytest"
)

const memory = 32 << 20

// keeping is the small office behind a server that keeps answers, on each engine.
func keeping(t *testing.T, test func(t *testing.T, o *gatewaytest.Office)) {
	for engine, database := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o := serving(t, gatewaytest.Settings(t, database(t)), gateway.CacheSettings{Cache: memory})
			o.Fill(t)
			test(t, o)
		})
	}
}

// credentials issues them before the server reads those that there are.
func credentials(t testing.TB, o *gatewaytest.Office) (nobody, all [2]string) {
	t.Helper()
	all = o.Credential(t, backoffice.AllScopes...)
	return o.Credential(t), all
}

func hits(t testing.TB, o *gatewaytest.Office) int {
	t.Helper()
	return o.Metric(t, "backoffice_answers_hits_total")
}

// asks fails unless the answer is data alone, and returns it.
func asks(t testing.TB, o *gatewaytest.Office, credential [2]string, query string, variables string) string {
	t.Helper()
	status, body, _ := o.Ask(t, credential, query, json.RawMessage(variables), nil)
	if status != http.StatusOK || strings.Contains(string(body), `"errors"`) {
		t.Fatalf("%s: %d %s", query, status, body)
	}
	return string(body)
}

const names = `query N($first: Int) { customers(first: $first) { nodes { id displayName } } }`

func TestAnAnswerIsKeptFromTheSecondUseOn(t *testing.T) {
	t.Parallel()
	keeping(t, func(t *testing.T, o *gatewaytest.Office) {
		credential, all := credentials(t, o)
		restricted := o.RestrictedCredential(t, "other", backoffice.RestrictionFields{Customers: []string{"acme"}})
		first := asks(t, o, credential, names, `{"first": 3}`)
		for i, want := range []int{0, 1, 2} {
			if got := asks(t, o, credential, names, `{"first": 3}`); got != first || hits(t, o) != want {
				t.Errorf("request %d: %d hits instead of %d, %s", i+2, hits(t, o), want, got)
			}
		}
		if other := asks(t, o, credential, names, `{"first": 2}`); other == first || hits(t, o) != 2 {
			t.Errorf("other variables: %s", other)
		}
		asks(t, o, credential, `{ customers(first: 3) { nodes { id displayName } } }`, "null")
		asks(t, o, all, names, `{"first": 3}`)
		if hits(t, o) != 2 {
			t.Error("another document or another view was answered with it")
		}
		if same := asks(t, o, restricted, names, `{"first": 3}`); same == first {
			t.Errorf("a restricted credential sees %s", same)
		}
	})
}

func TestNoRequestIsAnsweredWithoutAPollAfterItCameIn(t *testing.T) {
	t.Parallel()
	keeping(t, func(t *testing.T, o *gatewaytest.Office) {
		credential, writer := credentials(t, o)
		for range 2 {
			asks(t, o, credential, names, `{}`)
		}
		for polls := -1; polls != o.Metric(t, "backoffice_cache_looks_total"); time.Sleep(500 * time.Millisecond) {
			polls = o.Metric(t, "backoffice_cache_looks_total") // of what the server does when it starts
		}
		for i := range 20 {
			before, kept := o.Metric(t, "backoffice_cache_looks_total"), hits(t, o)
			asks(t, o, credential, names, `{}`)
			if polls := o.Metric(t, "backoffice_cache_looks_total") - before; polls != 1 || hits(t, o) != kept+1 {
				t.Fatalf("a kept answer took %d polls and was kept %d times", polls, hits(t, o)-kept)
			}
			name := fmt.Sprint("Renamed ", i)
			asks(t, o, writer, fmt.Sprintf(`mutation { updateCustomer(input: {id: "acme", name: %q}) { userErrors { code } } }`, name), "null")
			for range 2 {
				if got := asks(t, o, credential, names, `{}`); !strings.Contains(got, name) {
					t.Fatalf("after a change to %s: %s", name, got)
				}
			}
		}
	})
}

func TestWhatDependsOnTheRequestIsNeverKept(t *testing.T) {
	t.Parallel()
	keeping(t, func(t *testing.T, o *gatewaytest.Office) {
		nobody, all := credentials(t, o)
		for _, query := range []string{
			`{ viewer { clientId name } customers { totalCount } }`,
			`{ documents { nodes { file { downloadPath } } } }`,
			`{ minfinDocuments { totalCount } }`,
			`{ changes { latestCursor } }`,
			`{ customers(filter: {updatedSince: "2020-01-01T00:00:00.000Z"}) { totalCount } }`,
			`{ customers(filter: {ids: ["acme"]}) { nodes { id } } }`,
			`{ customersAggregate(groupBy: [TYPE]) { groups { count } } }`,
			`{ __schema { queryType { name } } }`,
			`{ savedQueries { name } }`,
			`{ customer(id: "acme") { privacyAccesses { totalCount } } }`,
		} {
			for range 4 {
				asks(t, o, all, query, "null")
			}
			if hits(t, o) > 0 {
				t.Fatalf("kept: %s", query)
			}
		}
		for range 4 {
			if status, body, _ := o.Ask(t, nobody, `{ customers { nodes { id registrationNumber } } }`, nil, nil); !bytes.Contains(body, []byte("FORBIDDEN")) {
				t.Fatalf("%d %s", status, body)
			}
			_, body, _ := o.Ask(t, all, names, nil, http.Header{"X-Explain": {"true"}})
			if !bytes.Contains(body, []byte(`"storeCalls"`)) {
				t.Fatalf("without an explanation: %s", body)
			}
		}
		if hits(t, o) > 0 {
			t.Error("an answer with errors or with an explanation was kept")
		}
	})
}

func TestARegistrationNumberIsNeverKept(t *testing.T) {
	t.Parallel()
	keeping(t, func(t *testing.T, o *gatewaytest.Office) {
		all, number := o.Credential(t, backoffice.AllScopes...), gatewaytest.RegistrationNumbers[0]
		asks(t, o, all, `mutation { updateCustomer(input: {id: "acme", registrationNumber: "`+number+`"}) { userErrors { code } } }`, "null")
		const without = `{ customer(id: "acme") { id displayName } }`
		searches, variables := `query S($f: CustomerFilter) { customers(filter: $f) { nodes { id } } }`, `{"f": {"registrationNumber": "`+number+`"}}`
		for i := range 6 {
			for _, ask := range [][2]string{
				{`{ customer(id: "acme") { id displayName registrationNumber } }`, "null"},
				{`{ customer(id: "acme") { ...n } } fragment n on Customer { number: registrationNumber }`, "null"},
				{searches, variables},
				{`query S($n: String) { customers(filter: {registrationNumber: $n}) { nodes { id } } }`, `{"n": "` + number + `"}`},
			} {
				entries, kept := len(o.RegisterEntries(t)), hits(t, o)
				got := asks(t, o, all, ask[0], ask[1])
				if made := len(o.RegisterEntries(t)) - entries; made < 1 || hits(t, o) > kept {
					t.Fatalf("%s made %d entries of the register, and was kept %d times: %s", ask[0], made, hits(t, o)-kept, got)
				}
			}
			if got := asks(t, o, all, without, "null"); strings.Contains(got, number) {
				t.Fatalf("a query without the number has it: %s", got)
			}
			if i > 1 && hits(t, o) == 0 {
				t.Fatal("the query without the number is never kept, so nothing was shown")
			}
		}
		for range 3 { // the same document without a number may be kept
			asks(t, o, all, searches, `{"f": {"type": "COMPANY"}}`)
		}
	})
}

func TestAKeptAnswerIsChargedAndReportedAsIfExecuted(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			settings := gatewaytest.Settings(t, database(t))
			b, err := settings.Open(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			bounds := gatewaytest.Limits()
			bounds.Budget, bounds.BudgetRestore = 1_000_000, 1
			c := gatewaytest.Measured(t, gatewaytest.Config(bounds))
			c.Cache = gateway.CacheSettings{Cache: memory}
			o := gatewaytest.ServeConfig(t, b, c)
			o.Fill(t)
			credential := o.Credential(t)
			left := func() (n int) {
				r := gatewaytest.NewRequest(t, credential, http.MethodPost, "/graphql", gatewaytest.JSON(t, map[string]any{"query": names}))
				w := o.Serve(r)
				if _, err := fmt.Sscanf(w.Header().Get("RateLimit"), `"cost";r=%d`, &n); err != nil {
					t.Fatalf("%v: %v", w.Header(), err)
				}
				return n
			}
			at := []int{left(), left(), left(), left()}
			if hits(t, o) != 2 {
				t.Fatalf("%d kept answers", hits(t, o))
			}
			executed, kept := at[0]-at[1], at[2]-at[3]
			if executed <= 1 || executed != kept {
				t.Errorf("an executed query is charged %d, a kept answer %d", executed, kept)
			}
		})
	}
}

func TestNoCacheAnswersExecutesEveryQuery(t *testing.T) {
	t.Parallel()
	o := serving(t, gatewaytest.Settings(t, gatewaytest.Engines["SQLite"](t)), gateway.CacheSettings{Cache: memory, NoAnswers: true})
	o.Fill(t)
	for range 4 {
		asks(t, o, o.Credential(t), names, `{}`)
	}
	if strings.Contains(o.Metrics(t), "backoffice_answers_hits_total") {
		t.Error("answers are kept")
	}
}
