package gatewaytest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// Socket is a WebSocket of a client.
type Socket struct{ *websocket.Conn }

// Message is a message of the server.
type Message struct {
	Type, ID string
	Payload  json.RawMessage
}

// Dial opens a socket without signing in.
func (f Follower) Dial(ctx context.Context, header http.Header, protocols ...string) (Socket, error) {
	c, response, err := websocket.Dial(ctx, f.Address+"/graphql", &websocket.DialOptions{Subprotocols: protocols, HTTPHeader: header})
	if err != nil && response != nil {
		err = fmt.Errorf("%d: %w", response.StatusCode, err)
	}
	return Socket{c}, err
}

// Connect opens a socket and signs in.
func (f Follower) Connect(ctx context.Context) (Socket, error) {
	s, err := f.Dial(ctx, nil, "graphql-transport-ws")
	if err != nil {
		return s, err
	}
	if err := s.Say(ctx, fmt.Sprintf(`{"type":"connection_init","payload":{"x-client-id":%q,"x-client-secret":%q}}`, f.Credential[0], f.Credential[1])); err != nil {
		return s, err
	}
	m, err := s.Hear(ctx)
	if err == nil && m.Type != "connection_ack" {
		err = errors.New("no connection_ack but " + m.Type)
	}
	return s, err
}

// Connects is Connect, which must succeed.
func (f Follower) Connects(t testing.TB) Socket {
	t.Helper()
	s, err := f.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.CloseNow() })
	return s
}

// Say sends a message.
func (s Socket) Say(ctx context.Context, text string) error {
	return s.Write(ctx, websocket.MessageText, []byte(text))
}

// Says is Say, which must succeed.
func (s Socket) Says(t testing.TB, text string) {
	t.Helper()
	if err := s.Say(t.Context(), text); err != nil {
		t.Fatal(err)
	}
}

// Hear waits for the next message.
func (s Socket) Hear(ctx context.Context) (m Message, err error) {
	_, text, err := s.Read(ctx)
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	return m, err
}

// Hears is Hear, which must succeed.
func (s Socket) Hears(t testing.TB) Message {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	m, err := s.Hear(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Closed waits until the server closes the socket.
func (s Socket) Closed(t testing.TB) websocket.CloseError {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for {
		_, err := s.Hear(ctx)
		if found, ok := errors.AsType[websocket.CloseError](err); ok {
			return found
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Subscribing is the message that begins an operation.
func Subscribing(id, query string, variables map[string]any) string {
	text, _ := json.Marshal(map[string]any{"type": "subscribe", "id": id, "payload": map[string]any{"query": query, "variables": variables}})
	return string(text)
}

// ChangeIn is the change in the message of a subscription.
func ChangeIn(t testing.TB, m Message) Change {
	t.Helper()
	var answer ChangeAnswer
	if err := json.Unmarshal(m.Payload, &answer); err != nil || m.Type != "next" || len(answer.Errors) > 0 {
		t.Fatalf("%s %s %s %v", m.Type, m.ID, m.Payload, err)
	}
	return answer.Data["changes"]
}
