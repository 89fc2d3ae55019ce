package pgtest

import (
	"net"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"
)

// Relay leads to the server of the tests over TCP, and can forget connections as a router does: they stay open, and
// nothing comes through any more, while new ones work.
type Relay struct {
	address   string
	forgotten atomic.Int64 // connections up to this number
	accepted  atomic.Int64
	trips     atomic.Int64
	frozen    atomic.Bool
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
		asking := &atomic.Bool{} // the client spoke last
		go r.pass(number, server, client, func() {
			if !asking.Swap(true) {
				r.trips.Add(1)
			}
		})
		r.pass(number, client, server, func() { asking.Store(false) })
	})
	return r
}

// pass copies what comes, until the connection is forgotten: from then on it comes to nothing.
func (r *Relay) pass(number int64, to, from net.Conn, passing func()) {
	buffer := make([]byte, 16<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			break
		}
		for r.frozen.Load() {
			time.Sleep(10 * time.Millisecond)
		}
		if passing(); number > r.forgotten.Load() {
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

// Trips counts how often a client has begun to ask since it was last answered, on all connections.
func (r *Relay) Trips() int { return int(r.trips.Load()) }

// Freeze lets nothing through until Thaw, as a server does that is stopped: connections are made, and wait.
func (r *Relay) Freeze() { r.frozen.Store(true) }

// Thaw lets all through that waited.
func (r *Relay) Thaw() { r.frozen.Store(false) }

// Through turns the URL of a schema into one that leads through the relay.
func (r *Relay) Through(url string) string { return through(url, r.address) }
