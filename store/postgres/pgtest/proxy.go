package pgtest

import (
	"io"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"
)

// Proxy stands between a client and the server of the tests, and can do harm.
type Proxy struct{ *toxiproxy.Proxy }

// NewProxy starts a proxy, until the test ends.
func NewProxy(t testing.TB) *Proxy {
	t.Helper()
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
	p := &Proxy{toxiproxy.NewProxy(server, t.Name(), "127.0.0.1:0", Bridge(t))}
	p.Start(t)
	t.Cleanup(p.Stop)
	return p
}

// Through turns the URL of a database or a schema into one that leads through the proxy.
func (p *Proxy) Through(url string) string { return through(url, p.Listen) }

// through leaves out patient too: behind a proxy a server may be away, which the program's own times find out.
func through(url, address string) string {
	return strings.NewReplacer("@/", "@"+address+"/", "host="+socket+"&", "", patient, "").Replace(url)
}

// Start lets clients connect, again after Stop.
func (p *Proxy) Start(t testing.TB) {
	t.Helper()
	if err := p.Proxy.Start(); err != nil {
		t.Fatal(err)
	}
}

// Poison adds a toxic, in toxiproxy's JSON.
func (p *Proxy) Poison(t testing.TB, toxic string) {
	t.Helper()
	if _, err := p.Toxics.AddToxicJson(strings.NewReader(toxic)); err != nil {
		t.Fatal(err)
	}
}

// Heal takes all toxics away.
func (p *Proxy) Heal(t testing.TB) { p.Toxics.ResetToxics(t.Context()) }

// Bridge leads from a TCP port to the socket of the tests' server, which has no port, until the test ends.
func Bridge(t testing.TB) (address string) {
	t.Helper()
	path := filepath.Join(Socket(t), ".s.PGSQL.5432")
	return Serve(t, func(client net.Conn) {
		server, err := net.Dial("unix", path)
		if err != nil {
			return
		}
		go func() { _, _ = io.Copy(server, client); _ = server.Close() }()
		_, _ = io.Copy(client, server)
	})
}

// Serve accepts connections until the test ends; each is closed when answer returns.
func Serve(t testing.TB, answer func(net.Conn)) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() { defer func() { _ = conn.Close() }(); answer(conn) }()
		}
	}()
	return listener.Addr().String()
}
