package gateway_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.org/backoffice/auth/people/peopletest"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
)

// obeyedWithin is the promise of five seconds, with room for a busy machine.
const obeyedWithin = 30 * time.Second

// uses are requests that use again what a caller had before.
func (c *caller) uses(t *testing.T) map[string]func() *http.Request {
	t.Helper()
	uses := map[string]func() *http.Request{}
	add := func(row, method, path, body string, header ...string) {
		uses[row] = func() *http.Request { return c.request(t, method, path, strings.NewReader(body), header...) }
		w := httptest.NewRecorder()
		c.Handler.ServeHTTP(w, local(uses[row]()))
		if w.Code >= 400 {
			t.Fatalf("%s: %s: %d %s", c.name, row, w.Code, w.Body)
		}
	}
	graphql := func(row, query string) {
		add(row, http.MethodPost, "/graphql", gatewaytest.JSON(t, map[string]string{"query": query}))
	}
	add("a saved query's address", http.MethodGet, "/queries/Numbers.json", "")
	add("a tool's call", http.MethodPost, "/mcp", callOfNumbers, "Accept", "application/json, text/event-stream")
	graphql("a kept answer", `{ customers(first: 3) { nodes { id name registrationNumber } } }`)
	add("a kept answer of REST", http.MethodGet, "/customers/acme/privacy", "")
	add("a replay in REST", http.MethodPost, "/customers", `{"type":"Company","name":"`+c.names("replayed")+`"}`, "Idempotency-Key", c.names("key"))
	graphql("a replay in GraphQL", `mutation { createCustomer(input: {name: "`+c.names("replayed")+`", type: COMPANY, idempotencyKey: "`+c.names("graphql")+`"}) { customer { id registrationNumber } userErrors { code } } }`)
	add("a cursor of changes", http.MethodGet, "/changes?limit=1&after="+c.Cursor(t, 1), "")
	for _, field := range gatewaytest.PagedFields(gatewaytest.SchemaOf(t, c.Office)) {
		w := httptest.NewRecorder()
		c.Handler.ServeHTTP(w, local(c.request(t, http.MethodPost, "/graphql", strings.NewReader(gatewaytest.JSON(t, map[string]string{"query": `{ ` + field + `(first: 1) { pageInfo { endCursor } } }`})))))
		_, cursor, _ := strings.Cut(w.Body.String(), `"endCursor":"`)
		cursor, _, found := strings.Cut(cursor, `"`)
		if !found {
			t.Fatalf("%s: a cursor of %s: %s", c.name, field, w.Body)
		}
		graphql("a cursor of "+field, `{ `+field+`(first: 2, after: "`+cursor+`") { edges { cursor } } }`)
	}
	return uses
}

// local is a request as a server has it, from this machine.
func local(r *http.Request) *http.Request {
	of := httptest.NewRequestWithContext(r.Context(), r.Method, r.URL.RequestURI(), r.Body)
	n := addresses.Add(1) // ten failures of an address are slowed
	of.Header, of.RemoteAddr = r.Header, fmt.Sprintf("127.%d.%d.%d:1", n>>16&255, n>>8&255, n&255)
	return of
}

var addresses atomic.Int64

// answers is the status and the body of an answer, without what is each request's own.
func answers(h http.Handler, r *http.Request) (int, string) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, local(r))
	return w.Code, fmt.Sprint(w.Code, " ", w.Header().Get("ETag"), " ", gatewaytest.OfRequest.ReplaceAllString(w.Body.String(), ""))
}

// made is done when a customer of a name is stored.
func (c *caller) made(t *testing.T, name string) {
	t.Helper()
	for until := time.Now().Add(obeyedWithin); ; time.Sleep(20 * time.Millisecond) {
		if slices.ContainsFunc(gatewaytest.All(t, c.Store.Customers()), func(of *backoffice.Customer) bool { return of.DisplayName == name }) {
			return
		}
		if time.Now().After(until) {
			t.Fatalf("%s was not made", name)
		}
	}
}

func TestWhateverLastsFollowsTheRightsOfItsCaller(t *testing.T) {
	t.Parallel()
	for engine := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := openStage(t, engine)
			cells := make(map[string]*cell, len(columns))
			var begin sync.WaitGroup
			for n, name := range slices.Sorted(maps.Keys(columns)) {
				col := columns[name]
				of := &cell{caller: s.callerOf(t, name, col, n), column: col}
				cells[name] = of
				begin.Go(func() { of.begin(t) })
			}
			if begin.Wait(); t.Failed() {
				return
			}
			for until := time.Now().Add(time.Minute); s.Streams(t) < 4*len(columns); time.Sleep(20 * time.Millisecond) {
				if time.Now().After(until) {
					t.Fatalf("%d streams have begun, of %d", s.Streams(t), 4*len(columns))
				}
			}
			s.changed.Store(true)
			for _, of := range cells {
				if !of.person {
					of.change(t, of.column)
				}
			}
			peopletest.Write(t, s.path, s.mapText(true))
			s.ahead.Store(int64(tokenLife + 2*time.Minute))
			fresh := s.fresh(t)
			var judge sync.WaitGroup
			for _, of := range cells {
				if of.status != 0 {
					judge.Go(func() { of.judge(t, fresh) })
				}
			}
			judge.Wait()
			for _, of := range cells { // and those that go on have had as long as the others
				if of.status == 0 {
					of.judge(t, fresh)
				}
			}
			made := map[string]bool{}
			for _, c := range gatewaytest.All(t, s.Store.Customers()) {
				made[c.DisplayName] = true
			}
			for _, of := range cells {
				for _, way := range []string{"request", "socket"} {
					if made[of.names(way)] != (of.status == 0) {
						t.Errorf("%s: by a %s in progress something was made: %v", of.name, way, made[of.names(way)])
					}
				}
			}
		})
	}
}

// cell is a column with all that its caller has begun.
type cell struct {
	*caller
	*column
	lasting  map[string]ongoing
	uses     map[string]func() *http.Request
	download string // a signed path
	upload   string
}

func (c *cell) begin(t *testing.T) {
	c.known(t)
	c.uses = c.caller.uses(t)
	c.download, c.upload = c.downloadPath(t, "min-1", "MinfinDocument"), c.uploadPath(t, c.names("later"))
	c.lasting = map[string]ongoing{}
	for _, row := range slices.Sorted(maps.Keys(lasting)) {
		c.lasting[row] = lasting[row](t, c.caller)
	}
}

// known waits until the server knows the caller: it does not know a new credential at once.
func (c *cell) known(t *testing.T) {
	t.Helper()
	for code := 0; code != http.StatusOK; time.Sleep(20 * time.Millisecond) {
		code, _ = answers(c.Handler, c.viewer(t))
	}
}

func (c *cell) viewer(t *testing.T) *http.Request {
	t.Helper()
	return c.request(t, http.MethodPost, "/graphql", strings.NewReader(`{"query":"{ viewer { scopes restriction } }"}`))
}

// endsWithMap reports whether something ends with the map of people, whatever that gives: a signed path of theirs does.
func (c *cell) endsWithMap(row string) bool {
	return c.person && strings.HasSuffix(row, "by signed path")
}

// judge holds each cell of a column to what a new request is answered.
func (c *cell) judge(t *testing.T, fresh http.Handler) {
	t.Helper()
	obeyed, cancel := context.WithTimeout(t.Context(), obeyedWithin) // by all of the column's cells
	defer cancel()
	for row, of := range c.lasting {
		if c.endsWithMap(row) {
			e, _ := of.end(obeyed)
			if e.code == 0 || e.whole || !mute[row] && (e.code != http.StatusUnauthorized || !strings.Contains(e.said, "the access token has expired")) {
				t.Errorf("%s × %s: %.300v", row, c.name, e)
			}
			continue
		}
		if c.status == 0 {
			if len(of.ended) > 0 {
				t.Errorf("%s × %s: it ended: %.200v", row, c.name, <-of.ended)
				continue
			}
			of.let()
		}
		if e, ended := of.end(obeyed); ended {
			c.ends(t, row, e)
		} else {
			t.Errorf("%s × %s: it goes on", row, c.name)
		}
	}
	same := func(row string, of func() *http.Request) {
		_, want := answers(fresh, of())
		got := ""
		for obeys := true; obeys; time.Sleep(20 * time.Millisecond) {
			obeys = obeyed.Err() == nil
			if _, got = answers(c.Handler, of()); got == want {
				return
			}
			_, want = answers(fresh, of())
		}
		t.Errorf("%s × %s: %.300s, and a new server answers %.300s", row, c.name, got, want)
	}
	for _, row := range usedAgain {
		if c.uses[row] == nil && !strings.HasPrefix(row, "a signed") {
			t.Errorf("%s × %s: there is no such cell", row, c.name)
		}
	}
	same("a new request", func() *http.Request { return c.viewer(t) })
	for row, of := range c.uses {
		same(row, of)
	}
	signed := c.anonymous()
	for row, of := range map[string]struct{ path, own *http.Request }{
		"a signed download": {signed.request(t, http.MethodGet, c.download, http.NoBody), c.request(t, http.MethodGet, "/minfin/download/min-1", http.NoBody)},
		"a signed upload": {signed.request(t, http.MethodPut, c.upload, strings.NewReader("a line\n"), "Content-Type", "text/plain"),
			c.request(t, http.MethodPost, "/customers/acme/documents?name="+c.names("own"), strings.NewReader("a line\n"), "Content-Type", "text/plain")},
	} {
		got, said := answers(c.Handler, of.path)
		if want, _ := answers(fresh, of.own); got != want && !(c.person && got == http.StatusUnauthorized && strings.Contains(said, "has expired")) { // with the map
			t.Errorf("%s × %s: %s, and a new request %d", row, c.name, said, want)
		}
	}
}

// ends holds the end of something to what the column wants.
func (c *cell) ends(t *testing.T, row string, e ending) {
	t.Helper()
	socket := strings.HasSuffix(row, "on a socket")
	switch {
	case e.whole && e.again && c.status != 0: // "a cursor of changes" is the next poll
	case e.whole != (c.status == 0):
		t.Errorf("%s × %s: it came to its own end: %v %.300s", row, c.name, e.whole, e.said)
	case c.status == 0, mute[row], row == "an export" && c.format != "xlsx":
	case !strings.Contains(e.said, c.reason) && (!e.again || e.code != c.status):
		t.Errorf("%s × %s: it ended with %d %.300s, and not for %q", row, c.name, e.code, e.said, c.reason)
	case socket && e.code != 4000+c.status, !socket && e.code != c.status && !strings.Contains(row, "stream") && row != "a subscription over GraphQL SSE":
		t.Errorf("%s × %s: it ended with %d %.300s", row, c.name, e.code, e.said)
	}
}
