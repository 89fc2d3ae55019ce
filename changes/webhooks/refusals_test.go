package webhooks

import (
	"context"
	"encoding/binary"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// names is a server of names that knows one host, whose address is another one at each look-up, the last one from
// then on.
func names(t testing.TB, addresses ...string) (*net.Resolver, *atomic.Int32) {
	t.Helper()
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	asked := &atomic.Int32{}
	go func() {
		question := make([]byte, 1500)
		for {
			n, from, err := server.ReadFrom(question)
			if err != nil {
				return
			}
			_, _ = server.WriteTo(answerTo(question[:n], func() net.IP {
				return net.ParseIP(addresses[min(int(asked.Add(1)), len(addresses))-1])
			}), from)
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", server.LocalAddr().String())
	}}, asked
}

// answerTo answers a question for an IPv4 address, and any other with nothing (RFC 1035).
func answerTo(question []byte, address func() net.IP) []byte {
	end := 12
	for question[end] != 0 {
		end += int(question[end]) + 1
	}
	end += 5 // the root, the type and the class
	answer := append([]byte(nil), question[:end]...)
	answer[2], answer[3] = 0x81, 0x80
	for i := 6; i < 12; i++ {
		answer[i] = 0
	}
	if binary.BigEndian.Uint16(question[end-4:]) == 1 {
		answer[7] = 1
		answer = append(answer, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4)
		answer = append(answer, address().To4()...)
	}
	return answer
}

// The name resolves to where messages may go when it is looked up for the first time, and to a private network from
// the second time on: for the next message, or for a program that looks at the address first and connects then.
func TestANameThatResolvesToAPrivateNetworkAtTheSecondLookUpIsRefusedThere(t *testing.T) {
	t.Parallel()
	inside := receive(t, nil)
	_, port, _ := strings.Cut(strings.TrimPrefix(inside.URL, "https://"), ":")
	listener, err := net.Listen("tcp", "127.0.0.2:"+port)
	if err != nil {
		t.Skip("127.0.0.2 is no address of this machine")
	}
	_ = listener.Close()
	outside := receiveAt(t, "127.0.0.2:"+port, func(w http.ResponseWriter, _ *http.Request, _ posted) int {
		w.Header().Set("Connection", "close") // so that each message has a connection of its own
		return http.StatusOK
	})
	o := newOffice(t, engines["the embedded store"](t), nil)
	resolver, asked := names(t, "127.0.0.2", "127.0.0.1")
	id, _ := o.hook(t, "https://example.com:"+port)
	o.sender(t, func(s *Sender) {
		s.client = newClientOf(Settings{Networks: networks(t, "127.0.0.2")}, s.Keys, resolver) // 127.0.0.1 is private to it
		trust(s.client)
	})
	o.labels(t, "first", 1)
	waits(t, "the first message is received", func() bool { ids, _ := outside.told(); return len(ids) == 1 && o.stored(t, id).Message == nil })
	o.labels(t, "second", 1)
	waits(t, "the second fails", func() bool { return o.stored(t, id).Attempts == 1 })
	if hook := o.stored(t, id); !strings.Contains(hook.Failure, "private network") {
		t.Errorf("%+v", hook)
	}
	if asked.Load() < 2 || len(inside.all()) > 0 {
		t.Errorf("after %d look-ups the private network got %d messages", asked.Load(), len(inside.all()))
	}

	// A copy of the client that looks at what the name resolves to, and then connects, is fooled.
	resolver, _ = names(t, "127.0.0.2", "127.0.0.1")
	fooled := newClientOf(Settings{Networks: networks(t, "127.0.0.0/8")}, o.keys, resolver)
	trust(fooled)
	found, err := resolver.LookupIP(t.Context(), "ip4", "example.com")
	if err != nil || found[0].String() != "127.0.0.2" {
		t.Fatalf("%v %v", found, err)
	}
	answer, err := fooled.post(t.Context(), o.stored(t, id), "x", []byte(`{}`), time.Now())
	if err != nil || !answer.Received() || len(inside.all()) != 1 {
		t.Errorf("nobody would notice a client that looks before it connects: %+v %v", answer, err)
	}
}
