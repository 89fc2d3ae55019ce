package graphqlhttp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/coder/websocket"

	"example.org/backoffice/graphql/limits"
)

// socketServer serves sockets on which everybody is signed in, and answers each operation with its name; Long with more
// than the buffers of a connection hold.
func socketServer(t *testing.T, executed func(operation string)) (address string) {
	t.Helper()
	g := New(scripted{func(_ context.Context, o *graphql.OperationContext) json.RawMessage {
		name := o.Operation.Name
		executed(name)
		if name == "Long" {
			name = strings.Repeat("x", 15<<20)
		}
		return json.RawMessage(`{"is":"` + name + `"}`)
	}}, limits.Defaults(), Hooks{})
	signIn := func(ctx context.Context, _ *http.Request, _ http.Header) (Connect, error) {
		return func() (own, open context.Context, leave func(), err error) { return ctx, ctx, func() {}, nil }, nil
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.Socket(w, r, netip.MustParseAddr("127.0.0.1"), signIn)
	}))
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

// deaf dials connections whose buffers hold next to nothing, so that what is not read stays with the server.
func deaf(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := net.Dialer{Control: func(_, _ string, c syscall.RawConn) error {
		return c.Control(func(fd uintptr) { _ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4096) })
	}}
	return dialer.DialContext(ctx, network, address)
}

func asking(id, operation string) string {
	return fmt.Sprintf(`{"type":"subscribe","id":%q,"payload":{"query":"query %s { __typename }"}}`, id, operation)
}

func TestAnIdentifierIsTheNewOperationsOnceTheOldOneWasEnded(t *testing.T) {
	t.Parallel()
	executed := make(chan string, 10)
	address := socketServer(t, func(operation string) { executed <- operation })
	c, _, err := websocket.Dial(t.Context(), "ws://"+address, &websocket.DialOptions{
		HTTPClient: &http.Client{Transport: &http.Transport{DialContext: deaf}}, Subprotocols: []string{socketProtocol},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.CloseNow() }()
	c.SetReadLimit(-1)
	say := func(text string) {
		if err := c.Write(t.Context(), websocket.MessageText, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	say(`{"type":"connection_init"}`)
	if _, _, err := c.Read(t.Context()); err != nil {
		t.Fatal(err)
	}
	say(asking("long", "Long"))
	_, long, err := c.Reader(t.Context()) // its answer is under way
	if err != nil {
		t.Fatal(err)
	}
	say(asking("1", "Old"))
	for <-executed != "Old" {
	}
	time.Sleep(100 * time.Millisecond) // for its answer to wait for the line
	say(`{"type":"complete","id":"1"}`)
	say(asking("1", "New"))
	if _, err := io.Copy(io.Discard, long); err != nil {
		t.Fatal(err)
	}
	var heard []string
	for len(heard) == 0 || heard[len(heard)-1] != `{"type":"complete","id":"1"}` {
		_, text, err := c.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), `"long"`) {
			heard = append(heard, string(text))
		}
	}
	if len(heard) != 2 || heard[0] != `{"type":"next","id":"1","payload":{"data":{"is":"New"}}}` {
		t.Errorf("%q", heard)
	}
}

func TestOperationsThatTheClientHasEndedCountUntilTheyEnd(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	executed, blocked := make(chan string, 2*mostOperations), make(chan struct{})
	address := socketServer(t, func(operation string) { executed <- operation; <-blocked })
	c, _, err := websocket.Dial(ctx, "ws://"+address, &websocket.DialOptions{Subprotocols: []string{socketProtocol}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.CloseNow() }()
	defer close(blocked)
	said := `{"type":"connection_init"}`
	for i := range 2*mostOperations + 2 {
		if err := c.Write(ctx, websocket.MessageText, []byte(said)); err != nil {
			t.Fatal(err)
		}
		id := fmt.Sprint(i)
		if err := c.Write(ctx, websocket.MessageText, []byte(asking(id, "Endless"))); err != nil {
			t.Fatal(err)
		}
		said = `{"type":"complete","id":"` + id + `"}`
		if i < 2*mostOperations {
			<-executed // before it is ended
		}
	}
	for _, expected := range []string{"connection_ack", "too many operations", "too many operations"} {
		if _, text, err := c.Read(ctx); err != nil || !strings.Contains(string(text), expected) {
			t.Fatalf("%s %v", text, err)
		}
	}
}

func TestAClientThatHasNotSignedInSendsShortMessagesOnly(t *testing.T) {
	t.Parallel()
	address := socketServer(t, func(string) {})
	for _, greeted := range []bool{false, true} {
		c, _, err := websocket.Dial(t.Context(), "ws://"+address,
			&websocket.DialOptions{Subprotocols: []string{socketProtocol}})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.CloseNow() }()
		said := []string{`{"type":"ping","payload":{"x":"` + strings.Repeat("x", mostGreeting) + `"}}`}
		if greeted {
			said = append([]string{`{"type":"connection_init"}`}, said...)
		}
		for _, text := range said {
			if err := c.Write(t.Context(), websocket.MessageText, []byte(text)); err != nil {
				t.Fatal(err)
			}
			_, _, err = c.Read(t.Context())
		}
		tooBig := websocket.CloseStatus(err) == websocket.StatusMessageTooBig
		if tooBig == greeted || greeted && err != nil {
			t.Errorf("signed in %t: %v", greeted, err)
		}
	}
}

func TestAHandshakeThatIsRefusedIsNotRepeated(t *testing.T) {
	t.Parallel()
	address := socketServer(t, func(string) {})
	for _, key := range []string{"85073003328", "", "AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Key: 85073003328"} {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n"+
			"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "+key+"\r\n\r\n")
		answer, err := io.ReadAll(c)
		if _ = c.Close(); err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 400") || strings.Contains(string(answer), "85073003328") {
			t.Errorf("%q: %s %v", key, answer, err)
		}
	}
}

func TestPingsOfAClientThatReadsNothingTakeNoMemory(t *testing.T) {
	t.Parallel()
	executed := make(chan string, 10)
	c, err := deaf(t.Context(), "tcp", socketServer(t, func(operation string) { executed <- operation }))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: "+socketProtocol+"\r\n\r\n")
	frame := func(opcode byte, payload string) string { // masked, by nothing
		return string([]byte{0x80 | opcode, 0x80 | byte(len(payload)), 0, 0, 0, 0}) + payload
	}
	_, _ = io.WriteString(c, frame(1, `{"type":"connection_init"}`)+frame(1, asking("1", "Long")))
	<-executed
	time.Sleep(100 * time.Millisecond) // for its answer to be under way
	pings := strings.Repeat(frame(9, strings.Repeat("x", 125)), 1000)
	for n := range 500 {
		if _, err = io.WriteString(c, pings); err != nil {
			t.Logf("the server hung up after %d kB", n*len(pings)/1000)
			return
		}
	}
	t.Error("the server buffered the answers to 65 MB of pings")
}
