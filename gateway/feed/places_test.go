package feed

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/changes/webhooks"
	"example.org/backoffice/gateway"
	"example.org/backoffice/gateway/gatewaytest"
	"example.org/backoffice/store/postgres/pgtest"
)

// lost is an office whose last entries are lost, and what somebody remembers of them.
type lost struct {
	kept       string // a copy of its store from before the last entries
	memory     gateway.CacheSettings
	office     *gatewaytest.Office
	credential [2]string
	cursor     string            // of the last entry that was lost
	lists      map[string]string // a query that goes on after a cursor, by field
}

// another are the histories, by the act with which each begins: each returns an office that lacks what is remembered.
var another = map[string]func(t *testing.T, l *lost) *gatewaytest.Office{
	"restore":  func(t *testing.T, l *lost) *gatewaytest.Office { return renewed(t, l.of(t, l.kept), "restore") },
	"failover": func(t *testing.T, l *lost) *gatewaytest.Office { return renewed(t, l.of(t, l.kept), "failover") }, // noticed by a follower
	"cache drop": func(t *testing.T, l *lost) *gatewaytest.Office {
		return renewed(t, l.office, "cache drop")
	},
	"begin_history": func(t *testing.T, l *lost) *gatewaytest.Office { // a server took over, and nobody knew the lost entries
		if strings.HasPrefix(l.kept, "sqlite:") {
			return nil // none takes over an embedded store
		}
		pgtest.Execute(t, l.kept, "UPDATE change_horizon SET server = 'another'")
		return l.of(t, l.kept)
	},
	anotherStore: func(t *testing.T, l *lost) *gatewaytest.Office {
		o := gatewaytest.OpenOn(t, "sqlite:"+filepath.Join(t.TempDir(), "another.db")) // no copy of the one of all tests
		l.credential = o.Credential(t, backoffice.AllScopes...)
		return o
	},
}

const anotherStore = "another store"

// of serves a store that is there, with a credential that it knows.
func (l *lost) of(t *testing.T, url string) *gatewaytest.Office {
	t.Helper()
	o := gatewaytest.ServeCached(t, gatewaytest.Settings(t, url), l.memory)
	o.Credentials = l.office.Credentials
	return o
}

func renewed(t *testing.T, o *gatewaytest.Office, act string) *gatewaytest.Office {
	t.Helper()
	page, err := backoffice.ReadChangePage(t.Context(), o.Store, backoffice.ChangeQuery{After: backoffice.FromOldest})
	if err != nil {
		t.Fatal(err)
	}
	old := ""
	if act == "failover" {
		old = page.History
	}
	if err := o.Store.RenewHistory(t.Context(), old, act, backoffice.InstantOf(time.Now())); err != nil {
		t.Fatal(err)
	}
	return o
}

// copyOf copies a store that nobody has open.
func copyOf(t *testing.T, url string) string {
	t.Helper()
	if path, embedded := strings.CutPrefix(url, "sqlite:"); embedded {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		path = filepath.Join(t.TempDir(), "backoffice.db")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return "sqlite:" + path
	}
	name := func(url string) string {
		_, name, _ := strings.Cut(url, "@/")
		name, _, _ = strings.Cut(name, "?")
		return name
	}
	of := pgtest.Database(t)
	pgtest.Execute(t, pgtest.URL("postgres"), "DROP DATABASE "+name(of))
	pgtest.Execute(t, pgtest.URL("postgres"), "CREATE DATABASE "+name(of)+" TEMPLATE "+name(url))
	return of
}

// remembered makes an office with entries that only one copy of its store has, and remembers places of them.
func remembered(t *testing.T, url string, memory gateway.CacheSettings) *lost {
	t.Helper()
	l := &lost{memory: memory, lists: map[string]string{}}
	credentials := map[string][2]string{}
	t.Run("the office of before", func(t *testing.T) { // which closes its store at the end
		o := gatewaytest.OpenOn(t, url)
		o.MakeCustomer(t)
		o.Credential(t, backoffice.AllScopes...)
		credentials = o.Credentials
	})
	l.kept = copyOf(t, url)
	l.office = gatewaytest.ServeCached(t, gatewaytest.Settings(t, url), memory)
	l.office.Credentials = credentials
	l.credential = l.office.Credential(t, backoffice.AllScopes...)
	for range 6 {
		l.office.MakeCustomer(t)
	}
	l.cursor = l.office.LatestCursor(t)
	for _, field := range gatewaytest.PagedFields(gatewaytest.SchemaOf(t, l.office)) {
		_, body, _ := l.office.Ask(t, l.credential, `{ `+field+`(first: 2) { pageInfo { endCursor } } }`, nil, nil)
		_, cursor, _ := strings.Cut(string(body), `"endCursor":"`)
		cursor, _, found := strings.Cut(cursor, `"`)
		if !found {
			t.Fatalf("%s: %s", field, body)
		}
		l.lists[field] = `{ ` + field + `(first: 500, after: "` + cursor + `") { totalCount edges { cursor node { id } } pageInfo { hasPreviousPage } } }`
		l.office.Ask(t, l.credential, l.lists[field], nil, nil) // so that memory has it
	}
	return l
}

// refusedAsExpired reports whether an answer refuses a cursor.
func refusedAsExpired(status int, body string) bool {
	return status == http.StatusGone || strings.Contains(body, "CURSOR_EXPIRED")
}

func TestNoPlaceOfALostHistoryIsTakenForOneOfThePresent(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		for history, begin := range another {
			for _, memory := range []gateway.CacheSettings{{}, {Cache: 32 << 20}} {
				t.Run(fmt.Sprintf("%s/%s/%d MiB", engine, history, memory.Cache>>20), func(t *testing.T) {
					t.Parallel()
					l := remembered(t, database(t), memory)
					o := begin(t, l)
					if o == nil {
						return
					}
					for range 10 {
						o.MakeCustomer(t) // past all numbers that were lost
					}
					f := o.Follower(t, l.credential)
					for row, ask := range goOn {
						if status, body := ask(t, o, f, l.cursor); !refusedAsExpired(status, body) {
							t.Errorf("%s × %s: %d %s", row, history, status, body)
						}
						if status, body := ask(t, o, f, o.LatestCursor(t)); status != http.StatusOK || strings.Contains(body, `"errors"`) {
							t.Errorf("%s × %s: the present end: %d %s", row, history, status, body)
						}
					}
					draft := webhooks.Draft{URL: "https://127.0.0.1:1/", From: l.cursor}
					if _, _, err := webhooks.Create(t.Context(), o.Store, o.Keys, draft); backoffice.KindOf(err) != backoffice.CursorExpired {
						t.Errorf("webhooks create --from × %s: %v", history, err)
					}
					draft.From = ""
					hook, _, err := webhooks.Create(t.Context(), o.Store, o.Keys, draft)
					if err != nil {
						t.Fatal(err)
					}
					if err := webhooks.Rewind(t.Context(), o.Store, hook.ID, l.cursor); backoffice.KindOf(err) != backoffice.CursorExpired {
						t.Errorf("webhooks rewind --to × %s: %v", history, err)
					}
					l.wantListsOf(t, o, history)
				})
			}
		}
	}
}

// wantListsOf wants lists to go on after a cursor as the present store has them: a cursor of a list is a place by values.
func (l *lost) wantListsOf(t *testing.T, o *gatewaytest.Office, history string) {
	t.Helper()
	without := gatewaytest.Config(gatewaytest.Limits())
	without.Cache = gateway.CacheSettings{}
	plain := gatewaytest.ServeOpen(t, o.Backend, without)
	for field, query := range l.lists {
		_, got, _ := o.Ask(t, l.credential, query, nil, nil)
		_, want, _ := plain.Ask(t, l.credential, query, nil, nil)
		if gatewaytest.OfRequest.ReplaceAllString(string(got), "") != gatewaytest.OfRequest.ReplaceAllString(string(want), "") {
			t.Errorf("a cursor of %s × %s: %s, not %s", field, history, got, want)
		}
		var answer struct {
			Data map[string]struct{ Edges []any }
		}
		if err := json.Unmarshal(got, &answer); history != anotherStore && (err != nil || answer.Data[field].Edges == nil) {
			t.Errorf("a cursor of %s × %s: %s", field, history, got)
		}
	}
}
