package limits

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway"
	"example.org/backoffice/gateway/gatewaytest"
	"example.org/backoffice/graphql/limits"
	"example.org/backoffice/store/postgres/pgtest"
)

// outage is a gateway over the office with a proxy before its database that can do harm.
type outage struct {
	*gatewaytest.Office
	proxy *pgtest.Proxy
	id    [2]string // a credential with every scope
	time  time.Duration
	made  atomic.Int64
}

// openOutage fills a database and opens it through a proxy, for requests that may take only so long.
func openOutage(t testing.TB, requests time.Duration, change func(*gateway.Settings)) *outage {
	t.Helper()
	database := gatewaytest.PostgreSQL(t)
	id := gatewaytest.OpenOn(t, database).Credential(t, backoffice.AllScopes...)
	proxy := pgtest.NewProxy(t)
	settings := gatewaytest.Settings(t, proxy.Through(database))
	settings.Statement = 0 // as usual: the tests are about time
	if change != nil {
		change(&settings)
	}
	bounds := limits.Defaults()
	bounds.Time = requests
	return &outage{Office: gatewaytest.Serve(t, settings, bounds), proxy: proxy, id: id, time: requests}
}

// everyKind is requests of each kind, every one of which needs the store.
var everyKind = map[string]func(t testing.TB, o *outage) *httptest.ResponseRecorder{
	"a list of GraphQL": func(t testing.TB, o *outage) *httptest.ResponseRecorder {
		return o.Send(t, o.id, http.MethodPost, "/graphql", `{"query": "{ customers(first: 3) { nodes { id transcripts(first: 2) { totalCount nodes { id status } } } } }"}`)
	},
	"an object of GraphQL, which may be null": func(t testing.TB, o *outage) *httptest.ResponseRecorder {
		return o.Send(t, o.id, http.MethodPost, "/graphql", `{"query": "{ __typename customer(id: \"acme\") { id } checklist(id: \"none\") { id } }"}`)
	},
	"a mutation": func(t testing.TB, o *outage) *httptest.ResponseRecorder {
		return o.Send(t, o.id, http.MethodPost, "/graphql", fmt.Sprintf(`{"query": "mutation { createLabel(input: {name: \"made %d\"}) { label { id } userErrors { code } } }"}`, o.made.Add(1)))
	},
	"a list of REST": func(t testing.TB, o *outage) *httptest.ResponseRecorder {
		return o.Send(t, o.id, http.MethodGet, "/customers", "")
	},
	"a write of REST": func(t testing.TB, o *outage) *httptest.ResponseRecorder {
		return o.Send(t, o.id, http.MethodPost, "/settings/labels", fmt.Sprintf(`{"name": "made %d", "color": "#112233"}`, o.made.Add(1)))
	},
}

// refuses checks that every API says clearly, and in time, that the store is away.
func (o *outage) refuses(t testing.TB) {
	t.Helper()
	var clients sync.WaitGroup
	for name, ask := range everyKind {
		clients.Go(func() {
			began := time.Now()
			w := ask(t, o)
			if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
				t.Errorf("%s: %d, Retry-After %q: %s", name, w.Code, w.Header().Get("Retry-After"), w.Body)
			}
			if took := time.Since(began); took > o.time+10*time.Second {
				t.Errorf("%s hung for %v", name, took)
			}
		})
	}
	clients.Wait()
}

// recovers checks that every API is itself again: in 5 seconds, or more on a busy machine.
func (o *outage) recovers(t testing.TB) {
	t.Helper()
	until := time.Now().Add(30 * time.Second)
	for name, ask := range everyKind {
		for w := ask(t, o); w.Code >= http.StatusBadRequest || strings.Contains(w.Body.String(), `"errors"`); w = ask(t, o) {
			if time.Now().After(until) {
				t.Fatalf("%s is not back: %d %s", name, w.Code, w.Body)
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
}

func TestADatabaseThatIsAwayIsToldByBothFacesAndIsBackByItself(t *testing.T) { //nolint:paralleltest // it holds seconds
	o := openOutage(t, 5*time.Second, nil)
	o.proxy.Stop() // before the first request: not even the credentials are known
	o.refuses(t)
	o.proxy.Start(t)
	o.recovers(t)
	o.proxy.Stop()
	o.refuses(t)
	o.proxy.Start(t)
	o.recovers(t)
}

func TestADatabaseThatGoesAwayWithinAnAnswerIsToldByBothFacesAndIsBackByItself(t *testing.T) { //nolint:paralleltest // it holds seconds
	o := openOutage(t, 5*time.Second, nil)
	o.recovers(t)
	o.proxy.Poison(t, `{"name": "cut", "type": "limit_data", "stream": "downstream", "attributes": {"bytes": 20}}`)
	o.refuses(t)
	o.proxy.Heal(t)
	o.recovers(t)
}

func TestADatabaseThatHangsIsToldByBothFacesBeforeTheDeadlineAndIsBackByItself(t *testing.T) { //nolint:paralleltest // it holds seconds
	for name, statement := range map[string]time.Duration{"statements give up": 500 * time.Millisecond, "the deadline comes first": time.Minute} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := openOutage(t, 5*time.Second, func(s *gateway.Settings) { s.Statement = statement })
			o.recovers(t)
			o.proxy.Poison(t, `{"name": "hole", "type": "timeout", "stream": "downstream", "attributes": {"timeout": 0}}`)
			o.refuses(t) // on connections that were good
			o.refuses(t) // on none
			o.proxy.Heal(t)
			o.recovers(t)
		})
	}
}

func TestFiveHundredClientsOnTenConnectionsAreServedOrToldToComeAgain(t *testing.T) { //nolint:paralleltest // it holds seconds
	o := openOutage(t, 10*time.Second, func(s *gateway.Settings) { s.Connections = 10 })
	o.recovers(t)
	o.proxy.Poison(t, `{"name": "slow", "type": "latency", "stream": "downstream", "attributes": {"latency": 200}}`)
	var served, refused atomic.Int64
	var clients sync.WaitGroup
	began := time.Now()
	for range 100 {
		for name, ask := range everyKind {
			clients.Go(func() {
				switch w := ask(t, o); {
				case w.Code < http.StatusBadRequest && !strings.Contains(w.Body.String(), `"errors"`):
					served.Add(1)
				case w.Code == http.StatusServiceUnavailable && w.Header().Get("Retry-After") != "":
					refused.Add(1)
				default:
					t.Errorf("%s: %d, Retry-After %q: %s", name, w.Code, w.Header().Get("Retry-After"), w.Body)
				}
			})
		}
	}
	clients.Wait()
	if took := time.Since(began); served.Load() == 0 || refused.Load() == 0 || took > o.time+10*time.Second {
		t.Errorf("of 500 clients %d were served and %d refused, in %v", served.Load(), refused.Load(), took)
	}
	o.proxy.Heal(t)
	o.recovers(t)
}

// This one is not parallel: what others run would look like a leak.
func TestOutagesLeaveNothingRunning(t *testing.T) {
	pgtest.Socket(t) // its server runs on
	before := goleak.IgnoreCurrent()
	t.Run("outages", func(t *testing.T) {
		o := openOutage(t, 5*time.Second, func(s *gateway.Settings) { s.Statement = 300 * time.Millisecond })
		o.recovers(t)
		for _, toxic := range []string{
			`{"name": "cut", "type": "limit_data", "stream": "downstream", "attributes": {"bytes": 20}}`,
			`{"name": "hole", "type": "timeout", "stream": "downstream", "attributes": {"timeout": 0}}`,
		} {
			o.proxy.Poison(t, toxic)
			o.refuses(t)
			o.proxy.Heal(t)
			o.recovers(t)
		}
	})
	goleak.VerifyNone(t, before)
}
