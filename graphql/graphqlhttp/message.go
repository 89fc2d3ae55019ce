package graphqlhttp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"github.com/coder/websocket"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// message is a message of the protocol graphql-transport-ws.
type message struct {
	id, kind string
	payload  *object       // of incoming messages
	answer   *answer       // the payload of next
	errors   gqlerror.List // the payload of error
}

const (
	messageInit      = "connection_init"
	messageAck       = "connection_ack"
	messagePing      = "ping"
	messagePong      = "pong"
	messageSubscribe = "subscribe"
	messageNext      = "next"
	messageError     = "error"
	messageComplete  = "complete"
)

// parseMessage reads a client's message; ok is false for anything else.
func parseMessage(text string, nesting int) (m message, ok bool) {
	value, err := parseJSON(text, nesting)
	top, isObject := value.(*object)
	if err != nil || !isObject {
		return m, false
	}
	m.kind, _ = top.members["type"].(string)
	m.id, _ = top.members["id"].(string)
	payload, given := top.members["payload"]
	m.payload, ok = payload.(*object)
	hasID, hasPayload := m.id != "" && len(m.id) <= mostIdentifier, ok
	switch m.kind {
	case messageInit, messagePing, messagePong:
		return m, hasPayload || !given || payload == nil
	case messageSubscribe:
		return m, hasID && hasPayload
	case messageComplete:
		return m, hasID
	}
	return m, false
}

// signsIn are the headers that connection_init may carry.
var signsIn = []string{"X-Client-Id", "X-Client-Secret", "Authorization", "X-Access-Purpose"}

// sent returns the payload of connection_init as headers. Their names are case-insensitive.
func (m message) sent() (sent http.Header, ok bool) {
	sent = http.Header{}
	if m.payload == nil {
		return sent, true
	}
	for name, value := range m.payload.members {
		if name = http.CanonicalHeaderKey(name); !slices.Contains(signsIn, name) {
			continue
		}
		text, isText := value.(string)
		if !isText || sent[name] != nil {
			return nil, false
		}
		if text != "" {
			sent[name] = []string{text}
		}
	}
	return sent, true
}

// request is the operation of a subscribe message. "explain": true in its extensions replaces the header of a request.
func (m message) request() (request, *RequestError) {
	asked, refused := requestOf(m.payload.members)
	if extensions, ok := m.payload.members["extensions"].(*object); ok {
		if explained, _ := extensions.members["explain"].(bool); explained {
			asked.explain = explainCost
		}
	}
	return asked, refused
}

func (m message) appendTo(text *bytes.Buffer) error {
	text.WriteString(`{"type":"` + m.kind + `"`)
	if m.id != "" {
		text.WriteString(`,"id":`)
		text.Write(appendEncoded(nil, m.id))
	}
	switch {
	case m.answer != nil:
		text.WriteString(`,"payload":`)
		if err := m.answer.appendTo(text); err != nil {
			return err
		}
	case m.errors != nil:
		text.WriteString(`,"payload":`)
		encoded, err := json.Marshal(m.errors)
		if err != nil {
			return err
		}
		text.Write(encoded)
	}
	text.WriteByte('}')
	return nil
}

// read waits for the next message; ok is false when the connection is closed, as it is for an invalid one.
func (s *socket) read() (m message, ok bool) {
	kind, text, err := s.connection.Read(context.Background()) // ended by Close, which has the reason
	if err != nil {
		return m, false
	}
	if m, ok = parseMessage(string(text), s.limits.Nesting+2); !ok || kind != websocket.MessageText {
		s.close(closeBadMessage, "Invalid message received")
		return m, false
	}
	return m, true
}

// send sends messages together, and fails when the client reads nothing for too long.
func (s *socket) send(messages ...message) error {
	s.sending.Lock()
	defer s.sending.Unlock()
	return s.sendNow(messages)
}

// send drops messages of an operation that the client has ended, whose identifier may be another's. The last one frees
// it.
func (o *running) send(messages ...message) error {
	o.sending.Lock()
	defer o.sending.Unlock()
	o.mu.Lock()
	owns := o.operations[o.id] == o
	if owns && messages[0].kind != messageNext {
		delete(o.operations, o.id)
	}
	o.mu.Unlock()
	if !owns {
		return errGone
	}
	return o.sendNow(messages)
}

func (s *socket) sendNow(messages []message) error {
	s.wire.cork()
	for _, m := range messages {
		if err := s.write(m); err != nil {
			return errors.Join(err, s.wire.uncork())
		}
	}
	return s.wire.uncork()
}

func (s *socket) write(m message) error {
	var text bytes.Buffer
	if err := m.appendTo(&text); err != nil {
		return err
	}
	return s.connection.Write(context.Background(), websocket.MessageText, text.Bytes()) // which buffers it
}
