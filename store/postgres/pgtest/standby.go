package pgtest

import (
	"os"
	"path/filepath"
	"testing"
)

// Pair is a primary and its streaming replica, for a test that stops or promotes them.
type Pair struct{ Primary, Standby *Node }

// Node is one server, on a socket in a folder of its own.
type Node struct{ *process }

// NewPair starts a primary with a database backoffice and a replica of it; both end with the test.
func NewPair(t testing.TB) *Pair {
	t.Helper()
	primary, standby := NewNode(t), newNode(t)
	standby.as(t, "pg_basebackup", "-D", standby.data(), "-R", "-c", "fast", "--no-sync", "-d", "host="+primary.folder+" user=postgres")
	standby.Start(t)
	return &Pair{primary, standby}
}

// NewNode starts a server of its own with a database backoffice; it ends with the test.
func NewNode(t testing.TB) *Node {
	t.Helper()
	n := newNode(t)
	if err := n.initdb(); err != nil {
		t.Fatal(err)
	}
	n.Start(t)
	n.Execute(t, "postgres", "CREATE DATABASE backoffice")
	return n
}

func newNode(t testing.TB) *Node {
	t.Helper()
	server(t) // skips, or fails, where PostgreSQL is missing
	programs, _ := Programs()
	p, err := newProcess("", runNode, programs)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(p.folder) })
	return &Node{p}
}

// Socket is the folder of the node's socket.
func (n *Node) Socket() string { return n.folder }

// as runs one of PostgreSQL's programs as the owner of the node.
func (n *Node) as(t testing.TB, program string, arguments ...string) {
	t.Helper()
	if err := n.run(program, arguments...); err != nil {
		t.Fatal(err)
	}
}

// runNode is runUntilEnd for a folder that outlives the server.
const runNode = `
"$1/postgres" -D "$2/data" -k "$2" -c listen_addresses= -c fsync=off -c max_connections=60 -c shared_buffers=32MB \
	-c wal_keep_size=256MB -c hot_standby=on >>"$2/log" 2>&1 &
server=$!
cat >/dev/null
kill -INT $server
wait $server
`

// Start starts the node and waits until it answers.
func (n *Node) Start(t testing.TB) {
	t.Helper()
	t.Cleanup(n.Stop)
	if err := n.start(n.URL("postgres")); err != nil {
		t.Fatal(err)
	}
}

// Stop ends the node as an administrator would (a fast shutdown). Again: nothing.
func (n *Node) Stop() { n.stop() }

// Crash ends the node at once, as if its processes had been killed: what it had only in memory is lost.
func (n *Node) Crash(t testing.TB) {
	t.Helper()
	n.as(t, "pg_ctl", "stop", "-m", "immediate", "-w", "-D", n.data())
	n.Stop()
}

// Promote makes a replica a primary.
func (n *Node) Promote(t testing.TB) {
	t.Helper()
	n.Execute(t, "postgres", "SELECT pg_promote(true, 30)")
}

// URL leads to a database of the node, as its superuser.
func (n *Node) URL(database string) string {
	return "postgres://postgres@/" + database + "?host=" + n.folder + "&sslmode=disable"
}

// Execute runs a statement.
func (n *Node) Execute(t testing.TB, database, text string) {
	t.Helper()
	Execute(t, n.URL(database), text)
}

// Data is the folder in which the node keeps everything.
func (n *Node) Data() string { return n.data() }

// Log is the file to which it says what it does.
func (n *Node) Log() string { return filepath.Join(n.folder, "log") }

// Write replaces one of the node's files.
func (n *Node) Write(t testing.TB, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(n.data(), name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
