package feed

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
)

func TestASocketCarriesSubscriptionsQueriesAndMutations(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run("on "+engine, func(t *testing.T) {
			t.Parallel()
			o := gatewaytest.OpenOn(t, database(t))
			all := o.Credential(t, backoffice.AllScopes...)
			listed, _ := o.ChangesAfter(t, all, o.Cursor(t, 0), "")
			s := o.Follower(t, all).Connects(t)
			s.Says(t, gatewaytest.Subscribing("feed", gatewaytest.EveryChange, map[string]any{"after": o.Cursor(t, 0)}))
			for _, want := range listed.Nodes {
				m := s.Hears(t)
				if got := gatewaytest.ChangeIn(t, m); m.ID != "feed" || gatewaytest.JSON(t, got) != gatewaytest.JSON(t, want) {
					t.Fatalf("%+v, listed %+v", got, want)
				}
			}
			s.Says(t, gatewaytest.Subscribing("q", `{ labels(first: 1) { totalCount } }`, nil))
			if m := s.Hears(t); m.Type != "next" || m.ID != "q" || !strings.HasPrefix(string(m.Payload), `{"data":{"labels":{"totalCount":`) {
				t.Errorf("%s %s", m.Type, m.Payload)
			}
			if m := s.Hears(t); m.Type != "complete" || m.ID != "q" {
				t.Errorf("%+v", m)
			}
			s.Says(t, gatewaytest.Subscribing("q", `mutation { createLabel(input: {name: "On a socket"}) { label { name } } }`, nil))
			seen := map[string]int{}
			for range 3 {
				m := s.Hears(t)
				seen[m.ID+" "+m.Type]++
			}
			if seen["q next"] != 1 || seen["q complete"] != 1 || seen["feed next"] != 1 {
				t.Errorf("%v", seen)
			}
			s.Says(t, `{"type":"complete","id":"feed"}`)
			s.Says(t, `{"type":"ping"}`)
			if m := s.Hears(t); m.Type != "pong" {
				t.Errorf("%+v", m)
			}
			o.MakeCustomer(t)
			s.Says(t, gatewaytest.Subscribing("feed", gatewaytest.EveryChange, map[string]any{"after": listed.LatestCursor, "nouns": []string{"CUSTOMER"}}))
			if m := s.Hears(t); gatewaytest.ChangeIn(t, m).Noun != "CUSTOMER" {
				t.Errorf("%+v", m)
			}
		})
	}
}

func TestAnOperationThatIsRefusedEndsAloneOnItsSocket(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	s := o.Follower(t, o.Credential(t)).Connects(t)
	for query, code := range map[string]string{
		`subscription { changes(after: "x") { cursor } }`:              "BAD_USER_INPUT",
		`subscription { changes(after: "otherhistory.9") { cursor } }`: "CURSOR_EXPIRED",
		`subscription { a: changes { cursor } b: changes { cursor } }`: "GRAPHQL_VALIDATION_FAILED",
		`{ nothing }`: "GRAPHQL_VALIDATION_FAILED",
		``:            "BAD_USER_INPUT",
	} {
		s.Says(t, gatewaytest.Subscribing("1", query, nil))
		m := s.Hears(t)
		if m.Type != "error" || m.ID != "1" || !strings.Contains(string(m.Payload), `"code":"`+code+`"`) || m.Payload[0] != '[' {
			t.Errorf("%s: %s %s", query, m.Type, m.Payload)
		}
	}
	s.Says(t, gatewaytest.Subscribing("1", `{ viewer { name } }`, nil))
	if m := s.Hears(t); m.Type != "next" {
		t.Errorf("afterwards: %+v", m)
	}
}

func TestASocketIsClosedWithTheProtocolsCodes(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	f := o.Follower(t, o.Credential(t, backoffice.AllScopes...))
	const plain = "graphql-transport-ws"
	init := func(id, secret string) string {
		return fmt.Sprintf(`{"type":"connection_init","payload":{"x-client-id":%q,"x-client-secret":%q}}`, id, secret)
	}
	right := init(f.Credential[0], f.Credential[1])
	feed := gatewaytest.Subscribing("1", gatewaytest.EveryChange, nil)
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
		"a wrong credential":                  {plain, []string{init(f.Credential[0], "wrong")}, 4401},
		"no credential":                       {plain, []string{`{"type":"connection_init"}`}, 4401},
		"a purpose with a number":             {plain, []string{strings.Replace(right, `"payload":{`, `"payload":{"x-access-purpose":"for 85073003328",`, 1)}, 4400},
		"connection_init twice":               {plain, []string{right, right}, 4429},
		"an identifier twice":                 {plain, []string{right, feed, feed}, 4409},
		"nothing":                             {plain, nil, 4408},
		"too long":                            {plain, []string{right, `{"type":"ping","payload":{"x":"` + strings.Repeat("x", 300<<10) + `"}}`}, 1009},
	} {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			s, err := f.Dial(t.Context(), nil, c.protocol)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = s.CloseNow() }()
			for _, text := range c.say {
				_ = s.Say(t.Context(), text)
			}
			if got := s.Closed(t); got.Code != c.code || got.Reason == "" || strings.Contains(got.Reason, "85073003328") {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestAnotherSitesPageOpensNoSocket(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	f := o.Follower(t, o.Credential(t))
	for origin, welcome := range map[string]bool{f.Address: true, "": true, "https://elsewhere.example": false, "null": false, "http://127.0.0.1:1": false} {
		header := http.Header{}
		if origin != "" {
			header.Set("Origin", origin)
		}
		s, err := f.Dial(t.Context(), header, "graphql-transport-ws")
		if (err == nil) != welcome || err != nil && !strings.HasPrefix(err.Error(), "403") {
			t.Errorf("%q: %v", origin, err)
		}
		if err == nil {
			_ = s.CloseNow()
		}
	}
}

func TestASocketEndsWithItsCredentialAndWithTheServer(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	o.Credential(t, backoffice.AllScopes...) // before the first request, so that it is known
	credential := o.Credential(t, backoffice.SettingsWrite)
	f := o.Follower(t, credential)
	idle, busy := f.Connects(t), f.Connects(t)
	busy.Says(t, gatewaytest.Subscribing("1", gatewaytest.EveryChange, nil))
	if err := auth.Revoke(t.Context(), o.Store, credential[0]); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	for name, s := range map[string]gatewaytest.Socket{"idle": idle, "busy": busy} {
		if got := s.Closed(t); got.Code != 4401 || !strings.Contains(got.Reason, "revoked") || time.Since(began) > obeyedWithin {
			t.Errorf("%s: %+v after %s", name, got, time.Since(began))
		}
	}
	other := o.Follower(t, o.Credential(t, backoffice.AllScopes...)).Connects(t)
	other.Says(t, gatewaytest.Subscribing("1", gatewaytest.EveryChange, nil))
	o.Stop()
	if got := other.Closed(t); got.Code != 1012 {
		t.Errorf("%+v", got)
	}
}

// lateStore returns from writes only later, once it is told to.
type lateStore struct {
	backoffice.Store
	wrote, on chan struct{} // nil: at once
}

func (s *lateStore) Write(ctx context.Context, do func(context.Context, backoffice.Tx) error) error {
	err := s.Store.Write(ctx, do)
	if s.wrote != nil {
		s.wrote <- struct{}{}
		select {
		case <-s.on:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return err
}

func TestAServerThatStopsFinishesTheMutationsOfItsSockets(t *testing.T) {
	t.Parallel()
	settings := gatewaytest.Settings(t, gatewaytest.Engines["SQLite"](t))
	b, err := settings.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	late := &lateStore{Store: b.Store}
	b.Store = late
	c := gatewaytest.Config(gatewaytest.Limits())
	c.Server.StopTime = 30 * time.Second
	o := gatewaytest.ServeConfig(t, b, c)
	o.Fill(t)
	f := o.Follower(t, o.Credential(t, backoffice.AllScopes...))
	idle, busy := f.Connects(t), f.Connects(t)
	idle.Says(t, gatewaytest.Subscribing("1", gatewaytest.EveryChange, nil))
	late.wrote, late.on = make(chan struct{}, 100), make(chan struct{})
	const mutation = `mutation { createLabel(input: {name: "%s"}) { label { name } } }`
	busy.Says(t, gatewaytest.Subscribing("1", gatewaytest.EveryChange, nil))
	busy.Says(t, gatewaytest.Subscribing("2", fmt.Sprintf(mutation, "Begun"), nil))
	<-late.wrote
	o.Stop()
	if got := idle.Closed(t); got.Code != 1012 {
		t.Errorf("%+v", got)
	}
	close(late.on)
	var heard []string
	for {
		m, err := busy.Hear(t.Context())
		if got, ok := errors.AsType[websocket.CloseError](err); ok {
			if got.Code != 1012 {
				t.Errorf("%+v", got)
			}
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if m.ID != "1" {
			heard = append(heard, m.ID+" "+m.Type+string(m.Payload))
		}
	}
	if want := []string{`2 next{"data":{"createLabel":{"label":{"name":"Begun"}}}}`, "2 complete"}; !slices.Equal(heard, want) {
		t.Errorf("%q", heard)
	}
}

func TestTwentySubscriptionsAndTwentySocketsAreACredentialsPart(t *testing.T) {
	t.Parallel()
	o := gatewaytest.OpenMeasured(t)
	f := o.Follower(t, o.Credential(t, backoffice.AllScopes...))
	var last gatewaytest.Socket
	for range 20 {
		last = f.Connects(t)
		last.Says(t, gatewaytest.Subscribing("1", gatewaytest.EveryChange, nil))
	}
	for o.Streams(t) < 20 {
		time.Sleep(10 * time.Millisecond)
	}
	last.Says(t, gatewaytest.Subscribing("2", gatewaytest.EveryChange, nil))
	if m := last.Hears(t); m.Type != "error" || m.ID != "2" || !strings.Contains(string(m.Payload), "RATE_LIMITED") {
		t.Errorf("%+v", m)
	}
	s, err := f.Dial(t.Context(), nil, "graphql-transport-ws")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.CloseNow() }()
	s.Says(t, fmt.Sprintf(`{"type":"connection_init","payload":{"x-client-id":%q,"x-client-secret":%q}}`, f.Credential[0], f.Credential[1]))
	if got := s.Closed(t); got.Code != 1013 {
		t.Errorf("%+v", got)
	}
	_ = last.CloseNow()
	for range 200 {
		if s, err := f.Connect(t.Context()); err == nil {
			_ = s.CloseNow()
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Error("the place of a socket that has gone is not given back")
}
