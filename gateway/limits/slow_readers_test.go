package limits

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
	"example.org/backoffice/graphql/limits"
)

// deafClient opens connections whose buffers hold next to nothing, so that what is not read stays with the server.
var deafClient = &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := net.Dialer{Control: func(_, _ string, c syscall.RawConn) error {
		return c.Control(func(fd uintptr) { _ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4096) })
	}}
	return dialer.DialContext(ctx, network, address)
}}}

// longFields and longRead select 8 MiB, more than the buffers of a connection hold.
var (
	longFields = func() (fields string) {
		for i := range 28 {
			fields += fmt.Sprintf(" a%d: customVariables", i)
		}
		return fields
	}()
	longRead = "{ transcripts(first: 5, orderBy: {field: UPDATED_AT, direction: DESC}) { nodes { id" + longFields + " } } }"
)

// unreadAnswers ask for a long answer on each transport, and read nothing of it.
var unreadAnswers = map[string]func(t *testing.T, f gatewaytest.Follower){
	"JSON": func(t *testing.T, f gatewaytest.Follower) { sendUnread(t, f, "/graphql", "application/json", longRead) },
	"Server-Sent Events": func(t *testing.T, f gatewaytest.Follower) {
		sendUnread(t, f, "/graphql", "text/event-stream", longRead)
	},
	"a subscription": func(t *testing.T, f gatewaytest.Follower) {
		sendUnread(t, f, "/graphql", "text/event-stream",
			`subscription { changes(after: "`+f.Beginning(t)+`", nouns: [TRANSCRIPT]) { object { ... on Transcript { id`+longFields+` } } } }`)
	},
	"an export": func(t *testing.T, f gatewaytest.Follower) {
		sendUnread(t, f, "/graphql/export?format=jsonl", "*/*", strings.Replace(longRead, "first: 5, ", "", 1))
	},
	"a socket": func(t *testing.T, f gatewaytest.Follower) {
		c, response, err := websocket.Dial(t.Context(), f.Address+"/graphql", &websocket.DialOptions{
			HTTPClient: deafClient, Subprotocols: []string{"graphql-transport-ws"},
		})
		if err != nil {
			t.Fatal(response, err)
		}
		t.Cleanup(func() { _ = c.CloseNow() })
		s := gatewaytest.Socket{Conn: c}
		s.Says(t, fmt.Sprintf(`{"type":"connection_init","payload":{"x-client-id":%q,"x-client-secret":%q}}`, f.Credential[0], f.Credential[1]))
		go func() { // until an answer has room: without one the socket is idle, which it may be
			for i := 0; err == nil; i++ {
				asked := gatewaytest.Subscribing(fmt.Sprint(i), longRead, nil)
				err = c.Write(t.Context(), websocket.MessageText, []byte(asked))
				time.Sleep(time.Second / 4)
			}
		}()
	},
	"REST": func(t *testing.T, f gatewaytest.Follower) {
		sendUnread(t, f, "/transcripts?pageSize=500", "application/json", "")
	},
}

// sendUnread sends a request and does not read the answer.
func sendUnread(t *testing.T, f gatewaytest.Follower, path, accept, query string) {
	t.Helper()
	method, body := http.MethodGet, io.Reader(http.NoBody)
	if query != "" {
		text, _ := json.Marshal(map[string]string{"query": query})
		method, body = http.MethodPost, strings.NewReader(string(text))
	}
	r, err := http.NewRequestWithContext(t.Context(), method, f.Address+path, body)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": accept, "Accept-Encoding": "identity", auth.ClientIDHeader: f.Credential[0], auth.ClientSecretHeader: f.Credential[1],
	} {
		r.Header.Set(name, value)
	}
	response, err := deafClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = response.Body.Close() })
	if begun, err := io.ReadAll(io.LimitReader(response.Body, 200)); err != nil || response.StatusCode != http.StatusOK || strings.Contains(string(begun), "errors") {
		t.Fatalf("%s: %s %s %v", path, response.Status, begun, err)
	}
}

func TestAClientThatReadsNothingGivesItsPlaceBackOnEveryTransport(t *testing.T) {
	t.Parallel()
	for transport, open := range unreadAnswers {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			o := gatewaytest.Open(t)
			slow, other := o.Credential(t), o.Credential(t, backoffice.AllScopes...)
			fillLong(t, o)
			var inside atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				inside.Add(1)
				defer inside.Add(-1)
				o.Handler.ServeHTTP(w, r)
			}))
			t.Cleanup(server.Close)
			for i := range 3 {
				if i == 0 || transport != "an export" { // of which a credential has one
					open(t, gatewaytest.Follower{Address: server.URL, Credential: slow})
				}
			}
			began := time.Now()
			for inside.Load() > 0 && time.Since(began) < 2*limits.SendTime+20*time.Second {
				if status, body, _ := o.Ask(t, other, `{ customers(first: 500) { totalCount } }`, nil, nil); status != http.StatusOK {
					t.Errorf("somebody else is refused: %d %s", status, body)
				}
				time.Sleep(100 * time.Millisecond)
			}
			if n := inside.Load(); n > 0 {
				t.Errorf("%d of 3 are still answered after %s", n, time.Since(began))
			}
		})
	}
}

// fillLong adds transcripts with custom variables of 60 kB, so that five of them are a long answer.
func fillLong(t *testing.T, o *gatewaytest.Office) {
	t.Helper()
	value, _ := json.Marshal(map[string]string{"text": strings.Repeat("x", 60_000)})
	checklist := ""
	if answer := o.Query(t, o.Credential(t, backoffice.AllScopes...), `{ checklists(first: 50) { nodes { id financialYear { isCurrentYear } } } }`, "{}"); len(answer.Errors) == 0 {
		var data struct {
			Checklists struct {
				Nodes []struct {
					ID            string
					FinancialYear struct{ IsCurrentYear bool }
				}
			}
		}
		if err := json.Unmarshal(answer.Data, &data); err != nil {
			t.Fatal(err)
		}
		for _, c := range data.Checklists.Nodes {
			if c.FinancialYear.IsCurrentYear {
				checklist = c.ID
			}
		}
	}
	for range 150 {
		text, _ := json.Marshal(map[string]any{"checklist": checklist, "customer": "acme", "customVariables": json.RawMessage(value)})
		if w := o.Send(t, o.Credential(t, backoffice.AllScopes...), http.MethodPost, "/checklists/assign", string(text)); w.Code != http.StatusCreated {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	}
}

func TestSocketsOnWhichNobodySignsInKeepNobodyOut(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	f := o.Follower(t, o.Credential(t))
	silent := make([]gatewaytest.Socket, 1_100) // more than there is room for
	for i := range silent {
		s, err := f.Dial(t.Context(), nil, "graphql-transport-ws")
		if err != nil {
			t.Fatalf("socket %d: %v", i, err)
		}
		t.Cleanup(func() { _ = s.CloseNow() })
		silent[i] = s
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for i := range 20 {
		s, err := f.Connect(ctx)
		if err != nil {
			t.Fatalf("sign-in %d: %v", i, err)
		}
		_ = s.CloseNow()
	}
	if _, err := silent[0].Hear(ctx); err == nil || ctx.Err() != nil {
		t.Errorf("the oldest goes on: %v", err)
	}
}
