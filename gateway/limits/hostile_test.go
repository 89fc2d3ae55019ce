package limits

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
	"example.org/backoffice/graphql/limits"
	"example.org/backoffice/store"
	"example.org/backoffice/store/postgres"
	"example.org/backoffice/store/sqlite"
)

// endless are statements that come to no end by themselves.
var endless = map[string]string{
	"SQLite":     "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c",
	"PostgreSQL": "SELECT pg_sleep(600)::text",
}

// hostile is an engine on which whatever one caller reads takes as long as it may.
type hostile struct {
	store.Engine
	statement string
	caller    atomic.Pointer[string]

	running atomic.Int64
}

func (h *hostile) Send(ctx context.Context, statements []*store.Statement, last bool) {
	caller, wanted := backoffice.SessionOf(ctx), h.caller.Load()
	if caller == nil || wanted == nil || caller.ClientID != *wanted {
		h.Engine.Send(ctx, statements, last)
		return
	}
	h.running.Add(1)
	defer h.running.Add(-1)
	for _, s := range statements {
		s.Text, s.Args, s.Each = h.statement, nil, func(*store.Row) error { return nil }
	}
	h.Engine.Send(ctx, statements, last)
}

// over puts it in front of a store's engine.
func (h *hostile) over(of backoffice.Store) backoffice.Store {
	wrap := func(engine store.Engine) store.Engine { h.Engine = engine; return h }
	if embedded, ok := of.(*sqlite.Store); ok {
		return embedded.Through(wrap)
	}
	return of.(*postgres.Store).Through(wrap)
}

func TestACallerWhoTakesAllThatCanBeHadLeavesTheOthersTheirs(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run("on "+engine, func(t *testing.T) {
			t.Parallel()
			url := database(t)
			bounds := limits.Defaults()
			gatewaytest.OpenWith(t, url, bounds)
			settings := gatewaytest.Settings(t, url)
			settings.Statement = 4 * time.Second
			greedy := &hostile{statement: endless[engine]}
			o := gatewaytest.ServeThrough(t, settings, bounds, greedy.over)
			credential, other := o.Credential(t), o.Credential(t, backoffice.AllScopes...)
			greedy.caller.Store(&credential[0])

			const read = `{"query": "{ labels(first: 3) { nodes { id } } }"}`
			clients, ended := sync.WaitGroup{}, make(chan struct{})
			for range 40 {
				clients.Go(func() {
					for {
						select {
						case <-ended:
							return
						default:
							o.Send(t, credential, http.MethodPost, "/graphql", read)
						}
					}
				})
			}
			defer clients.Wait()
			defer close(ended)
			for until := time.Now().Add(30 * time.Second); greedy.running.Load() < 12 && time.Now().Before(until); {
				time.Sleep(time.Millisecond) // until some of them wait for a connection
			}

			answered := func(what string, w *httptest.ResponseRecorder, status int) {
				t.Helper()
				if w.Code != status || strings.Contains(w.Body.String(), `"errors"`) {
					t.Errorf("%s: %d %s", what, w.Code, w.Body)
				}
			}
			began := time.Now()
			for round := range 3 {
				answered("readiness", o.Send(t, [2]string{}, http.MethodGet, "/readyz", ""), http.StatusOK)
				answered("another caller's query", o.Send(t, other, http.MethodPost, "/graphql", read), http.StatusOK)
				answered("another caller's write", o.Send(t, other, http.MethodPost, "/settings/labels", fmt.Sprintf(`{"name": "label %d"}`, round)), http.StatusCreated)
				answered("a disclosure, which the register takes", o.Send(t, other, http.MethodGet, "/customers/els/privacy", ""), http.StatusOK)
				issued, secret, err := auth.Issue(t.Context(), o.Store, fmt.Sprint("credential ", round), nil, 0)
				if err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Second) // since the authenticator looked for new credentials
				answered("a new credential, which is looked for in the store", o.Send(t, [2]string{issued.ID, secret}, http.MethodPost, "/graphql", read), http.StatusOK)
			}
			if took := time.Since(began); took > 30*time.Second {
				t.Errorf("they were answered after %v", took)
			}
		})
	}
}
