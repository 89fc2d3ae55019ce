package graphqlhttp

import (
	"cmp"
	"context"
	"encoding/base64"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"example.org/backoffice/backoffice"
)

// The WebSocket protocol graphql-transport-ws. The credential is in the payload of connection_init, since a browser's
// page sets no headers: another site's page may open a socket, but nothing that the browser sends signs anybody in.

const socketProtocol = "graphql-transport-ws"

// Codes with which a connection is closed. Clients try again after the other codes, which are RFC 6455's.
const (
	closeBadMessage   websocket.StatusCode = 4400
	closeUnauthorized websocket.StatusCode = 4401
	closeForbidden    websocket.StatusCode = 4403
	closeProtocol     websocket.StatusCode = 4406
	closeInitTimeout  websocket.StatusCode = 4408
	closeTaken        websocket.StatusCode = 4409
	closeTooManyInits websocket.StatusCode = 4429
	closeInternal     websocket.StatusCode = 4500
)

const (
	initTime       = 10 * time.Second
	goodbyeTime    = time.Second // for the client to close, too
	mostNewcomers  = 1000        // connections that have not signed in
	mostOperations = 50          // of a connection at one time; as many again may still be stopping
	envelopeBytes  = 4 << 10
	mostGreeting   = 32 << 10 // bytes of a message before the client has signed in
	mostIdentifier = 256      // bytes
)

// SignIn authenticates a socket by its first message, as if in headers; r is the request that opened it. Errors:
// RateLimited after too many failures of one client, and the answer to a request without a valid credential.
type SignIn func(ctx context.Context, r *http.Request, sent http.Header) (Connect, error)

// Connect counts a socket. Its operations run in own; open ends, with own or before, when the socket has to be closed,
// with the reason as its cause.
type Connect func() (own, open context.Context, leave func(), err error)

func IsSocket(r *http.Request) bool {
	return r.Method == http.MethodGet && hasToken(r.Header["Connection"], "upgrade") &&
		hasToken(r.Header["Upgrade"], "websocket")
}

func hasToken(values []string, token string) bool {
	return slices.ContainsFunc(strings.Split(strings.Join(values, ","), ","),
		func(part string) bool { return strings.EqualFold(strings.TrimSpace(part), token) })
}

// Socket serves a WebSocket of a client's address for as long as it is open. The middleware in front has checked its
// origin, and nothing else: the client signs in on the socket, through signIn.
func (g *GraphQL) Socket(w http.ResponseWriter, r *http.Request, from netip.Addr, signIn SignIn) {
	if r.Header.Get("Sec-Websocket-Version") != "13" {
		w.Header().Set("Sec-Websocket-Version", "13")
		g.Refuse(w, r, backoffice.Errorf(backoffice.BadInput, "the WebSocket protocol version must be 13"))
		return
	}
	keys := r.Header.Values("Sec-Websocket-Key")
	if key, err := base64.StdEncoding.DecodeString(strings.Join(keys, ",")); err != nil || len(key) != 16 {
		g.Refuse(w, r, backoffice.Errorf(backoffice.BadInput, "the WebSocket key must be 16 bytes in base64"))
		return // Accept would repeat it
	}
	wire := &corked{ResponseWriter: w}
	connection, err := websocket.Accept(wire, r, &websocket.AcceptOptions{Subprotocols: []string{socketProtocol},
		InsecureSkipVerify: true, CompressionMode: websocket.CompressionDisabled})
	if err != nil {
		return // answered
	}
	defer func() { _ = connection.CloseNow() }()
	connection.SetReadLimit(mostGreeting)
	s := &socket{GraphQL: g, connection: connection, wire: wire, request: r, operations: map[string]*running{}}
	if connection.Subprotocol() != socketProtocol {
		s.close(closeProtocol, "Subprotocol not acceptable: the subprotocol is "+socketProtocol)
		return
	}
	signedIn := g.newcomers.enter(from, func() { _ = connection.CloseNow() })
	defer signedIn()
	own, open, leave := s.greet(signIn, signedIn)
	if own == nil {
		return
	}
	defer leave()
	signedIn()
	connection.SetReadLimit(int64(g.limits.Body + envelopeBytes))
	s.serve(own, open)
}

// Stop closes the sockets that have not signed in. The others end with what Connect returned.
func (g *GraphQL) Stop() { g.newcomers.stop() }

type socket struct {
	*GraphQL
	connection *websocket.Conn
	wire       *corked
	request    *http.Request

	sending sync.Mutex

	mu         sync.Mutex
	operations map[string]*running // by the client's identifiers
	working    int                 // operations, including those still stopping
	work       sync.WaitGroup      // of operations
	closing    bool                // none begins any more
}

// running is an operation on a socket. Its identifier may be reused once the client has the message that it is over.
type running struct {
	*socket
	id   string
	stop context.CancelFunc
}

// close closes the connection with a reason, once.
func (s *socket) close(code websocket.StatusCode, reason string) {
	if len(reason) > 120 { // the limit of a control frame
		reason = strings.ToValidUTF8(reason[:120], "")
	}
	_ = s.connection.Close(code, reason)
}

// closeCodes are by the kind of the error for which a connection is closed; closeInternal for any other kind.
var closeCodes = map[backoffice.Kind]websocket.StatusCode{
	backoffice.Unauthenticated: closeUnauthorized,
	backoffice.Forbidden:       closeForbidden,
	backoffice.BadInput:        closeBadMessage,
	backoffice.RateLimited:     websocket.StatusTryAgainLater,
	backoffice.Unavailable:     websocket.StatusServiceRestart,
}

func (s *socket) closeFor(ctx context.Context, err error) {
	s.close(cmp.Or(closeCodes[backoffice.KindOf(err)], closeInternal), s.Present(ctx, err).Message)
}

// greet waits for the client to sign in, and returns what Connect does; nil when the connection was closed instead.
// over frees its place among the newcomers.
func (s *socket) greet(signIn SignIn, over func()) (own, open context.Context, leave func()) {
	late := time.AfterFunc(initTime, func() {
		over() // before waiting for the client again
		s.close(closeInitTimeout, "Connection initialisation timeout")
	})
	defer late.Stop()
	for {
		m, ok := s.read()
		switch {
		case !ok:
			return nil, nil, nil
		case m.kind == messagePing:
			_ = s.send(message{kind: messagePong})
		case m.kind == messageSubscribe:
			s.close(closeUnauthorized, "Unauthorized: connection_init comes first")
			return nil, nil, nil
		case m.kind == messageInit:
			late.Stop()
			return s.enter(signIn, m)
		}
	}
}

func (s *socket) enter(signIn SignIn, m message) (own, open context.Context, leave func()) {
	ctx := s.request.Context() // ends with the server's patience, not with the connection
	sent, ok := m.sent()
	if !ok {
		s.close(closeBadMessage,
			"the payload of connection_init must have x-client-id and x-client-secret, or authorization, as strings")
		return nil, nil, nil
	}
	connect, err := signIn(ctx, s.request, sent)
	switch {
	case backoffice.KindOf(err) == backoffice.RateLimited:
		s.close(closeTooManyInits, s.Present(ctx, err).Message)
		return nil, nil, nil
	case err == nil:
		own, open, leave, err = connect()
	}
	if err != nil {
		s.closeFor(ctx, err)
		return nil, nil, nil
	}
	_ = s.send(message{kind: messageAck})
	return own, open, leave
}

// serve reads the client's messages until the connection is closed, by it or after the end of open.
func (s *socket) serve(own, open context.Context) {
	var alive sync.WaitGroup
	defer alive.Wait()
	defer s.work.Wait()
	operations, cancel := context.WithCancel(own)
	defer cancel()
	defer func() { _ = s.connection.CloseNow() }()
	defer context.AfterFunc(open, func() {
		s.finish(own)
		time.AfterFunc(goodbyeTime, func() { _ = s.connection.CloseNow() })
		s.closeFor(open, context.Cause(open))
	})()
	alive.Go(func() { s.keepAlive(operations) })
	for {
		m, ok := s.read()
		if !ok {
			return
		}
		switch m.kind {
		case messageInit:
			s.close(closeTooManyInits, "Too many initialisation requests")
			return
		case messagePing:
			_ = s.send(message{kind: messagePong})
		case messageSubscribe:
			if !s.begin(operations, m) {
				s.close(closeTaken, "Subscriber for this id already exists")
				return
			}
		case messageComplete:
			s.end(m.id)
		}
	}
}

// finish waits for the operations that have begun, but not beyond the end of own, and prevents others.
func (s *socket) finish(own context.Context) {
	s.mu.Lock()
	s.closing = true
	s.mu.Unlock()
	finished := make(chan struct{})
	go func() {
		s.work.Wait()
		close(finished)
	}()
	select {
	case <-finished:
	case <-own.Done():
	}
}

// keepAlive notices a client that has gone silently, and keeps proxies from closing the connection.
func (s *socket) keepAlive(ctx context.Context) {
	for backoffice.Sleep(ctx, idleEvery) == nil {
		waiting, cancel := context.WithTimeout(context.Background(), longestPong)
		err := s.connection.Ping(waiting)
		cancel()
		if err != nil {
			s.close(websocket.StatusPolicyViolation, "the client does not respond")
			return
		}
	}
}

// begin runs an operation; false when its identifier is in use.
func (s *socket) begin(ctx context.Context, m message) bool {
	s.mu.Lock()
	known, full := s.operations[m.id] != nil, len(s.operations) >= mostOperations || s.working >= 2*mostOperations
	s.mu.Unlock()
	switch {
	case known:
		return false
	case full: // rejected before anything else is read, so that the rejections do not pile up
		refused := s.Present(ctx, backoffice.Errorf(backoffice.RateLimited,
			"too many operations at a time: %d per connection", mostOperations))
		_ = s.send(message{id: m.id, kind: messageError, errors: gqlerror.List{refused}})
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing { // the client may send it again, to another server
		return true
	}
	ctx, stop := context.WithCancel(ctx)
	o := &running{socket: s, id: m.id, stop: stop}
	s.operations[m.id] = o
	s.working++
	s.work.Go(func() {
		o.run(ctx, m)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.working--
	})
	return true
}

func (s *socket) end(id string) {
	s.mu.Lock()
	o := s.operations[id]
	s.mu.Unlock()
	if o != nil {
		o.stop()
		o.release()
	}
}

// release frees the operation's identifier if it is still its own.
func (o *running) release() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.operations[o.id] == o {
		delete(o.operations, o.id)
	}
}

func (o *running) run(ctx context.Context, m message) {
	defer o.stop()
	var served served
	served.OnSocket = true
	defer served.end()
	defer o.release()
	a := o.guarded(ctx, mediaEvents, func() answer { return o.operate(ctx, m, &served) })
	switch {
	case ctx.Err() != nil: // nobody waits for it
	case a.streamed:
	case a.data == nil:
		_ = o.send(message{id: o.id, kind: messageError, errors: a.errors})
	default:
		if o.next([]answer{a}) == nil {
			_ = o.complete()
		}
	}
	o.done(ctx, &served, a)
}

func (o *running) operate(ctx context.Context, m message, served *served) answer {
	asked, wrong := m.request()
	if wrong != nil {
		return wrong.answer(mediaEvents)
	}
	q, refused := o.prepare(ctx, asked, o.request.Header, mediaEvents, served)
	switch {
	case refused != nil:
		return *refused
	case q.isSubscription():
		return o.subscribe(ctx, mediaEvents, q, func() subscriber { return o })
	}
	return o.inTime(ctx, mediaEvents, q, served)
}

func (o *running) next(answers []answer) error {
	messages := make([]message, len(answers))
	for i := range answers {
		messages[i] = message{id: o.id, kind: messageNext, answer: &answers[i]}
	}
	return o.send(messages...)
}

// idle implements subscriber: keepAlive does its work.
func (o *running) idle() error { return nil }

func (o *running) complete() error {
	return o.send(message{id: o.id, kind: messageComplete})
}
