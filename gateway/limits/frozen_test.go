package limits

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/backoffice/auth"
	"example.org/backoffice/gateway/gatewaytest"
	"example.org/backoffice/graphql/limits"
)

// kept is a client that sends all it has to say over one connection, as a proxy with keep-alive does.
type kept struct {
	*http.Client
	f       *gatewaytest.Faraway
	server  string
	name    string
	request func(f *gatewaytest.Faraway) gatewaytest.Write
	asked   int
	reused  int
}

// keepersOf are clients of each kind, with a connection of their own each.
func keepersOf(f *gatewaytest.Faraway, server string) (all []*kept) {
	for name, request := range map[string]func(f *gatewaytest.Faraway) gatewaytest.Write{
		"a list of GraphQL": func(*gatewaytest.Faraway) gatewaytest.Write {
			return gatewaytest.Write{Method: http.MethodPost, Path: "/graphql", Body: `{"query": "{ customers(first: 3) { nodes { id transcripts(first: 2) { totalCount nodes { id status } } } } }"}`}
		},
		"a mutation": func(f *gatewaytest.Faraway) gatewaytest.Write {
			return gatewaytest.Mutation("createLabel", fmt.Sprintf("name: %q", f.Word("label ")), "label { id }")
		},
		"a list of REST": func(*gatewaytest.Faraway) gatewaytest.Write {
			return gatewaytest.Write{Method: http.MethodGet, Path: "/customers"}
		},
		"a write of REST": func(f *gatewaytest.Faraway) gatewaytest.Write {
			return gatewaytest.Write{Method: http.MethodPost, Path: "/settings/labels", Body: fmt.Sprintf(`{"name": %q, "color": "#112233"}`, f.Word("label ")), Key: f.Word("key")}
		},
		"readiness": func(*gatewaytest.Faraway) gatewaytest.Write {
			return gatewaytest.Write{Method: http.MethodGet, Path: "/readyz"}
		},
	} {
		all = append(all, &kept{&http.Client{Transport: &http.Transport{MaxConnsPerHost: 1}}, f, server, name, request, 0, 0})
	}
	return all
}

// ask sends the client's request and returns the answer, read to its end.
func (k *kept) ask(t testing.TB) (status int, header http.Header, body string, took time.Duration) {
	t.Helper()
	k.asked++
	w := k.request(k.f)
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
		if info.Reused {
			k.reused++
		}
	}})
	r, err := http.NewRequestWithContext(ctx, w.Method, k.server+w.Path, strings.NewReader(w.Body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set(auth.ClientIDHeader, k.f.ID[0])
	r.Header.Set(auth.ClientSecretHeader, k.f.ID[1])
	if w.Key != "" {
		r.Header.Set("Idempotency-Key", w.Key)
	}
	began := time.Now()
	response, err := k.Do(r)
	if err != nil {
		t.Fatalf("%s: %v", k.name, err)
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatalf("%s: %v", k.name, err)
	}
	return response.StatusCode, response.Header, string(answer), time.Since(began)
}

func TestAPostgreSQLThatIsFrozenIsToldAndIsBackByItselfOnTheConnectionsOfBefore(t *testing.T) { //nolint:paralleltest // it holds seconds
	for name, limit := range map[string]time.Duration{"the store gives up first": limits.Defaults().Time, "the deadline comes first": 2 * time.Second} { // before a statement gives up; under the race detector a second is short
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bounds := limits.Defaults()
			bounds.Time = limit
			f := openFarawayWith(t, bounds, 0)
			server := httptest.NewServer(f.Handler)
			t.Cleanup(server.Close)
			freezeServer(t, f, server.URL)
		})
	}
}

// freezeServer asks on kept connections, more than there are to the store, before, while and after the store answers nobody.
func freezeServer(t *testing.T, f *gatewaytest.Faraway, server string) {
	var all []*kept
	for range 5 {
		all = append(all, keepersOf(f, server)...)
	}
	each := func(do func(k *kept)) {
		var clients sync.WaitGroup
		for _, k := range all {
			clients.Go(func() { do(k) })
		}
		clients.Wait()
	}
	well := func(k *kept) (ok bool, body string) {
		status, _, body, _ := k.ask(t)
		return status < 300 && !strings.Contains(body, `"errors"`), body
	}
	soon := func(k *kept) {
		ok, body := well(k)
		for until := time.Now().Add(time.Minute); !ok && time.Now().Before(until); ok, body = well(k) {
			time.Sleep(20 * time.Millisecond)
		}
		if !ok {
			t.Errorf("%s: %s", k.name, body)
		}
	}
	each(soon)
	f.Relay.Freeze()
	frozen := time.Now()
	for round := 0; round < 2 || time.Since(frozen) < 8*time.Second; round++ { // until the credentials that are known are too old, too
		each(func(k *kept) {
			status, header, body, took := k.ask(t)
			if status != http.StatusServiceUnavailable || header.Get("Retry-After") == "" && k.name != "readiness" {
				t.Errorf("round %d, %s: %d, Retry-After %q after %v: %s", round, k.name, status, header.Get("Retry-After"), took, body)
			}
		})
	}
	f.Relay.Thaw()
	each(func(k *kept) {
		soon(k)
		if k.reused != k.asked-1 {
			t.Errorf("%s was asked %d times, and %d of them not on its connection", k.name, k.asked, k.asked-1-k.reused)
		}
	})
}
