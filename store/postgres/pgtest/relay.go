package pgtest

import (
	"net"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// Relay leads to the server of the tests over TCP, and can forget connections as a router does: they stay open, and
// nothing comes through any more, while new ones work.
type Relay struct {
	address   string
	forgotten atomic.Int64 // connections up to this number
	accepted  atomic.Int64
}

// NewRelay starts a relay, until the test ends.
func NewRelay(t testing.TB) *Relay {
	t.Helper()
	r := &Relay{}
	path := filepath.Join(Socket(t), ".s.PGSQL.5432")
	r.address = Serve(t, func(client net.Conn) {
		number := r.accepted.Add(1)
		server, err := net.Dial("unix", path)
		if err != nil {
			return
		}
		defer func() { _ = server.Close() }()
		go r.pass(number, server, client)
		r.pass(number, client, server)
	})
	return r
}

// pass copies what comes, until the connection is forgotten: from then on it comes to nothing.
func (r *Relay) pass(number int64, to, from net.Conn) {
	buffer := make([]byte, 16<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			break
		}
		if number > r.forgotten.Load() {
			if _, err := to.Write(buffer[:n]); err != nil {
				break
			}
		}
	}
	if number > r.forgotten.Load() {
		_ = to.Close()
	}
}

// Forget forgets the connections that there are.
func (r *Relay) Forget() { r.forgotten.Store(r.accepted.Load()) }

// Through turns the URL of a schema into one that leads through the relay.
func (r *Relay) Through(url string) string {
	_, schema, _ := strings.Cut(url, "search_path=")
	return "postgres://postgres@" + r.address + "/postgres?sslmode=disable&search_path=" + schema
}
