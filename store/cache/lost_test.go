package cache_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/cache"
	"example.org/backoffice/store/postgres"
	"example.org/backoffice/store/postgres/pgtest"
)

// holding leads to one server after another, and holds one answer back: the first that has a text.
type holding struct {
	text string
	held chan struct{} // closed when it is held
	let  chan struct{} // closed to let it through

	mu     sync.Mutex
	socket string
	conns  map[net.Conn]bool
}

func (h *holding) serve(client net.Conn) {
	h.mu.Lock()
	socket := h.socket
	h.conns[client] = true
	h.mu.Unlock()
	server, err := net.Dial("unix", filepath.Join(socket, ".s.PGSQL.5432"))
	if err != nil {
		return
	}
	go func() {
		defer func() { _ = server.Close() }()
		forward(server, client, func([]byte) {})
	}()
	forward(client, server, func(answer []byte) {
		h.mu.Lock()
		holds := bytes.Contains(answer, []byte(h.text)) && h.conns[client]
		if holds {
			h.text = "\x00 nothing more"
			delete(h.conns, client) // which is not cut
		}
		h.mu.Unlock()
		if holds {
			close(h.held)
			<-h.let
		}
	})
}

func forward(to, from net.Conn, passing func([]byte)) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		passing(buffer[:n])
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// lead leads to another server, and cuts all connections but that of the answer which is held.
func (h *holding) lead(socket string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.socket = socket
	for conn := range h.conns {
		_ = conn.Close()
	}
}

func TestAnAnswerOfAPrimaryThatLostItsLastWritesIsNotKept(t *testing.T) {
	t.Parallel()
	for name, knows := range map[string]bool{"whose writes the gateway has seen": true, "whose writes the gateway has not seen": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			keepsNothingLost(t, knows)
		})
	}
}

// keepsNothingLost holds the answer of a primary back until another one, which lacks its last writes, has taken over.
// knows reports whether the gateway had seen later writes of the lost ones before; else it has seen later writes of the
// other primary.
func keepsNothingLost(t *testing.T, knows bool) {
	pair := pgtest.NewPair(t)
	if err := postgres.Migrate(t.Context(), pair.Primary.URL("backoffice")); err != nil {
		t.Fatal(err)
	}
	proxy := &holding{text: "LOST", held: make(chan struct{}), let: make(chan struct{}), socket: pair.Primary.Socket(), conns: map[net.Conn]bool{}}
	host, port, _ := net.SplitHostPort(pgtest.Serve(t, proxy.serve))
	through := url.URL{Scheme: "postgres", User: url.User("postgres"), Host: net.JoinHostPort(host, port), Path: "/backoffice", RawQuery: "sslmode=disable"}
	// It waits for longer than a slow machine takes to promote the other one.
	below, err := postgres.Open(t.Context(), through.String(),
		postgres.Options{MaxConns: 6, StatementTimeout: time.Minute})
	gateway := before(t, opened(t, below, err), cache.Options{Bytes: 1 << 20})
	w := &watch{Context: t.Context(), found: t.Fatalf}
	at := func(node *pgtest.Node) func(label int, text string) {
		s, err := openURL(t.Context(), node.URL("backoffice"))
		opened(t, s, err)
		return func(label int, text string) {
			t.Helper()
			write(w, s, func(ctx context.Context, tx backoffice.Tx) error {
				return tx.Labels().Upsert(ctx, []*backoffice.Label{colour(label, text)})
			})
		}
	}
	shows := func(label int) (string, error) {
		id := fmt.Sprint("label-", label)
		rows, err := backoffice.ReadByID(t.Context(), gateway.Labels(), []string{id}, 0)
		if err != nil {
			return "", err
		}
		return string(rows[id].Color), nil
	}
	is := func(label int, want string) {
		t.Helper()
		shown, err := shows(label)
		for until := time.Now().Add(time.Minute); backoffice.KindOf(err) == backoffice.Unavailable && time.Now().Before(until); {
			shown, err = shows(label) // connections were cut
		}
		if err != nil || shown != want {
			t.Errorf("label %d is shown as %q, want %q (%v)", label, shown, want, err)
		}
	}

	writes := at(pair.Primary)
	writes(0, "first")
	writes(1, "first")
	is(1, "first")
	waitForEntries(t, pair.Standby, 2)
	pair.Standby.Stop()
	writes(1, "gone")
	writes(1, "gone, too")
	writes(0, "LOST")
	var asking sync.WaitGroup
	asking.Go(func() {
		if shown, err := shows(0); err != nil || shown != "LOST" && shown != "first" {
			t.Errorf("the query that waited shows %q (%v)", shown, err)
		}
	})
	<-proxy.held
	if knows {
		for _, text := range []string{"6", "7", "8"} {
			writes(1, text)
			is(1, text)
		}
	}

	pair.Primary.Crash(t)
	pair.Standby.Start(t)
	pair.Standby.Promote(t)
	proxy.lead(pair.Standby.Socket())
	writes = at(pair.Standby)
	writes(1, "instead")
	if !knows {
		for _, text := range []string{"4", "5", "6"} {
			writes(1, text)
			is(1, text)
		}
	}
	close(proxy.let)
	asking.Wait()
	for _, text := range []string{"on", "and on", "and past all numbers that were lost"} {
		writes(1, text)
		is(1, text)
	}
	is(0, "first")
}

// waitForEntries waits until a replica has so many entries of the log.
func waitForEntries(t *testing.T, node *pgtest.Node, want int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), node.URL("backoffice"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	for until, has := time.Now().Add(time.Minute), 0; has < want; time.Sleep(5 * time.Millisecond) {
		if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM changes").Scan(&has); err != nil || time.Now().After(until) {
			t.Fatalf("it has %d entries: %v", has, err)
		}
	}
}
