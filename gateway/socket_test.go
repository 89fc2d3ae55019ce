package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
)

// socket is a WebSocket as a client has it.
type socket struct{ *websocket.Conn }

// said is a message of the server.
type said struct {
	Type, ID string
	Payload  json.RawMessage
}

// dial opens a socket on which nobody has signed in.
func (f follower) dial(ctx context.Context, header http.Header, protocols ...string) (socket, error) {
	c, response, err := websocket.Dial(ctx, f.address+"/graphql", &websocket.DialOptions{Subprotocols: protocols, HTTPHeader: header})
	if err != nil && response != nil {
		err = fmt.Errorf("%d: %w", response.StatusCode, err)
	}
	return socket{c}, err
}

// connect opens a socket and signs in.
func (f follower) connect(ctx context.Context) (socket, error) {
	s, err := f.dial(ctx, nil, "graphql-transport-ws")
	if err != nil {
		return s, err
	}
	if err := s.say(ctx, fmt.Sprintf(`{"type":"connection_init","payload":{"x-client-id":%q,"x-client-secret":%q}}`, f.pair[0], f.pair[1])); err != nil {
		return s, err
	}
	m, err := s.hear(ctx)
	if err == nil && m.Type != "connection_ack" {
		err = errors.New("no connection_ack but " + m.Type)
	}
	return s, err
}

func (f follower) connects(t testing.TB) socket {
	t.Helper()
	s, err := f.connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.CloseNow() })
	return s
}

func (s socket) say(ctx context.Context, text string) error {
	return s.Write(ctx, websocket.MessageText, []byte(text))
}

func (s socket) says(t testing.TB, text string) {
	t.Helper()
	if err := s.say(t.Context(), text); err != nil {
		t.Fatal(err)
	}
}

// hear waits for the next message.
func (s socket) hear(ctx context.Context) (m said, err error) {
	_, text, err := s.Read(ctx)
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	return m, err
}

func (s socket) hears(t testing.TB) said {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	m, err := s.hear(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// closed waits until the server closes the socket.
func (s socket) closed(t testing.TB) websocket.CloseError {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for {
		_, err := s.hear(ctx)
		if found, ok := errors.AsType[websocket.CloseError](err); ok {
			return found
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func subscribing(id, query string, variables map[string]any) string {
	text, _ := json.Marshal(map[string]any{"type": "subscribe", "id": id, "payload": map[string]any{"query": query, "variables": variables}})
	return string(text)
}

func changeIn(t testing.TB, m said) toldChange {
	t.Helper()
	var answer told
	if err := json.Unmarshal(m.Payload, &answer); err != nil || m.Type != "next" || len(answer.Errors) > 0 {
		t.Fatalf("%s %s %s %v", m.Type, m.ID, m.Payload, err)
	}
	return answer.Data["changes"]
}

func TestASocketCarriesSubscriptionsQueriesAndMutations(t *testing.T) {
	t.Parallel()
	for engine, database := range engines {
		t.Run("on "+engine, func(t *testing.T) {
			t.Parallel()
			o := openOfficeOn(t, database(t))
			all := o.pair(t, backoffice.AllScopes...)
			listed, _ := o.changesAfter(t, all, o.cursor(t, 0), "")
			s := o.follower(t, all).connects(t)
			s.says(t, subscribing("feed", everyChange, map[string]any{"after": o.cursor(t, 0)}))
			for _, want := range listed.Nodes {
				m := s.hears(t)
				if got := changeIn(t, m); m.ID != "feed" || encoded(t, got) != encoded(t, want) {
					t.Fatalf("%+v, listed %+v", got, want)
				}
			}
			s.says(t, subscribing("q", `{ labels(first: 1) { totalCount } }`, nil))
			if m := s.hears(t); m.Type != "next" || m.ID != "q" || !strings.HasPrefix(string(m.Payload), `{"data":{"labels":{"totalCount":`) {
				t.Errorf("%s %s", m.Type, m.Payload)
			}
			if m := s.hears(t); m.Type != "complete" || m.ID != "q" {
				t.Errorf("%+v", m)
			}
			s.says(t, subscribing("q", `mutation { createLabel(input: {name: "On a socket"}) { label { name } } }`, nil))
			seen := map[string]int{}
			for range 3 {
				m := s.hears(t)
				seen[m.ID+" "+m.Type]++
			}
			if seen["q next"] != 1 || seen["q complete"] != 1 || seen["feed next"] != 1 {
				t.Errorf("%v", seen)
			}
			s.says(t, `{"type":"complete","id":"feed"}`)
			s.says(t, `{"type":"ping"}`)
			if m := s.hears(t); m.Type != "pong" {
				t.Errorf("%+v", m)
			}
			o.makeCustomer(t)
			s.says(t, subscribing("feed", everyChange, map[string]any{"after": listed.LatestCursor, "nouns": []string{"CUSTOMER"}}))
			if m := s.hears(t); changeIn(t, m).Noun != "CUSTOMER" {
				t.Errorf("%+v", m)
			}
		})
	}
}

func TestAnOperationThatIsRefusedEndsAloneOnItsSocket(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	s := o.follower(t, o.pair(t)).connects(t)
	for query, code := range map[string]string{
		`subscription { changes(after: "x") { cursor } }`:              "BAD_USER_INPUT",
		`subscription { changes(after: "otherhistory.9") { cursor } }`: "CURSOR_EXPIRED",
		`subscription { a: changes { cursor } b: changes { cursor } }`: "GRAPHQL_VALIDATION_FAILED",
		`{ nothing }`: "GRAPHQL_VALIDATION_FAILED",
		``:            "BAD_USER_INPUT",
	} {
		s.says(t, subscribing("1", query, nil))
		m := s.hears(t)
		if m.Type != "error" || m.ID != "1" || !strings.Contains(string(m.Payload), `"code":"`+code+`"`) || m.Payload[0] != '[' {
			t.Errorf("%s: %s %s", query, m.Type, m.Payload)
		}
	}
	s.says(t, subscribing("1", `{ viewer { name } }`, nil))
	if m := s.hears(t); m.Type != "next" {
		t.Errorf("afterwards: %+v", m)
	}
}

func TestASocketIsClosedWithTheProtocolsCodes(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	f := o.follower(t, o.pair(t, backoffice.AllScopes...))
	const plain = "graphql-transport-ws"
	init := func(id, secret string) string {
		return fmt.Sprintf(`{"type":"connection_init","payload":{"x-client-id":%q,"x-client-secret":%q}}`, id, secret)
	}
	right := init(f.pair[0], f.pair[1])
	feed := subscribing("1", everyChange, nil)
	for sentence, c := range map[string]struct {
		protocol string
		say      []string
		code     websocket.StatusCode
	}{
		"another subprotocol":                 {"graphql-ws", nil, 4406},
		"no JSON":                             {plain, []string{"{"}, 4400},
		"no message":                          {plain, []string{`{"type":"start","id":"1","payload":{}}`}, 4400},
		"no identifier":                       {plain, []string{right, `{"type":"subscribe","payload":{"query":"{ viewer { name } }"}}`}, 4400},
		"no payload":                          {plain, []string{right, `{"type":"subscribe","id":"1"}`}, 4400},
		"an operation before connection_init": {plain, []string{feed}, 4401},
		"a wrong pair":                        {plain, []string{init(f.pair[0], "wrong")}, 4401},
		"no pair":                             {plain, []string{`{"type":"connection_init"}`}, 4401},
		"a purpose with a number":             {plain, []string{strings.Replace(right, `"payload":{`, `"payload":{"x-access-purpose":"for 85073003328",`, 1)}, 4400},
		"connection_init twice":               {plain, []string{right, right}, 4429},
		"an identifier twice":                 {plain, []string{right, feed, feed}, 4409},
		"nothing":                             {plain, nil, 4408},
		"too long":                            {plain, []string{right, `{"type":"ping","payload":{"x":"` + strings.Repeat("x", 300<<10) + `"}}`}, 1009},
	} {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			s, err := f.dial(t.Context(), nil, c.protocol)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = s.CloseNow() }()
			for _, text := range c.say {
				_ = s.say(t.Context(), text)
			}
			if got := s.closed(t); got.Code != c.code || got.Reason == "" || strings.Contains(got.Reason, "85073003328") {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestAnotherSitesPageOpensNoSocket(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	f := o.follower(t, o.pair(t))
	for origin, welcome := range map[string]bool{f.address: true, "": true, "https://elsewhere.example": false, "null": false, "http://127.0.0.1:1": false} {
		header := http.Header{}
		if origin != "" {
			header.Set("Origin", origin)
		}
		s, err := f.dial(t.Context(), header, "graphql-transport-ws")
		if (err == nil) != welcome || err != nil && !strings.HasPrefix(err.Error(), "403") {
			t.Errorf("%q: %v", origin, err)
		}
		if err == nil {
			_ = s.CloseNow()
		}
	}
}

func TestASocketEndsWithItsPairAndWithTheServer(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	o.pair(t, backoffice.AllScopes...) // before the first request, so that it is known
	pair := o.pair(t, backoffice.SettingsWrite)
	f := o.follower(t, pair)
	idle, busy := f.connects(t), f.connects(t)
	busy.says(t, subscribing("1", everyChange, nil))
	if err := auth.Revoke(t.Context(), o.Store, pair[0]); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	for name, s := range map[string]socket{"idle": idle, "busy": busy} {
		if got := s.closed(t); got.Code != 4401 || !strings.Contains(got.Reason, "revoked") || time.Since(began) > 5*time.Second {
			t.Errorf("%s: %+v after %s", name, got, time.Since(began))
		}
	}
	other := o.follower(t, o.pair(t, backoffice.AllScopes...)).connects(t)
	other.says(t, subscribing("1", everyChange, nil))
	o.stop()
	if got := other.closed(t); got.Code != 1012 {
		t.Errorf("%+v", got)
	}
}

func TestTwentySubscriptionsAndTwentySocketsAreAPairsPart(t *testing.T) {
	t.Parallel()
	o := openMeasured(t)
	f := o.follower(t, o.pair(t, backoffice.AllScopes...))
	var last socket
	for range 20 {
		last = f.connects(t)
		last.says(t, subscribing("1", everyChange, nil))
	}
	for o.followers(t) < 20 {
		time.Sleep(10 * time.Millisecond)
	}
	last.says(t, subscribing("2", everyChange, nil))
	if m := last.hears(t); m.Type != "error" || m.ID != "2" || !strings.Contains(string(m.Payload), "RATE_LIMITED") {
		t.Errorf("%+v", m)
	}
	s, err := f.dial(t.Context(), nil, "graphql-transport-ws")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.CloseNow() }()
	s.says(t, fmt.Sprintf(`{"type":"connection_init","payload":{"x-client-id":%q,"x-client-secret":%q}}`, f.pair[0], f.pair[1]))
	if got := s.closed(t); got.Code != 1013 {
		t.Errorf("%+v", got)
	}
	_ = last.CloseNow()
	for range 200 {
		if s, err := f.connect(t.Context()); err == nil {
			_ = s.CloseNow()
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Error("the place of a socket that has gone is not given back")
}
