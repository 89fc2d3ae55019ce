package pgtest

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Pair is a primary and its streaming replica, for a test that stops or promotes them.
type Pair struct{ Primary, Standby *Node }

// Node is one server, on a socket in a folder of its own.
type Node struct {
	programs, folder string
	alive            io.Closer
	shell            *exec.Cmd
}

// NewPair starts a primary with a database backoffice and a replica of it; both end with the test.
func NewPair(t testing.TB) *Pair {
	t.Helper()
	server(t) // skips, or fails, where PostgreSQL is missing
	programs, _ := Programs()
	primary, standby := NewNode(t), newNode(t, programs)
	standby.as(t, "pg_basebackup", "-D", standby.data(), "-R", "-c", "fast", "--no-sync", "-d", "host="+primary.folder+" user=postgres")
	standby.Start(t)
	return &Pair{primary, standby}
}

// NewNode starts a server of its own with a database backoffice; it ends with the test.
func NewNode(t testing.TB) *Node {
	t.Helper()
	server(t)
	programs, _ := Programs()
	n := newNode(t, programs)
	n.as(t, "initdb", "-D", n.data(), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
	n.Start(t)
	n.Execute(t, "postgres", "CREATE DATABASE backoffice")
	return n
}

func newNode(t testing.TB, programs string) *Node {
	t.Helper()
	folder, err := os.MkdirTemp("", "pgtest-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	if _, err := ordinaryUser(folder); err != nil {
		t.Fatal(err)
	}
	return &Node{programs: programs, folder: folder}
}

func (n *Node) data() string { return filepath.Join(n.folder, "data") }

// Socket is the folder of the node's socket.
func (n *Node) Socket() string { return n.folder }

// as runs one of PostgreSQL's programs as the owner of the node.
func (n *Node) as(t testing.TB, program string, arguments ...string) {
	t.Helper()
	owner, err := ordinaryUser(n.folder)
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(filepath.Join(n.programs, program), arguments...)
	command.Dir, command.SysProcAttr = n.folder, owner
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", program, err, output)
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
	owner, err := ordinaryUser(n.folder)
	if err != nil {
		t.Fatal(err)
	}
	n.shell = exec.Command("/bin/sh", "-c", runNode, "pgtest", n.programs, n.folder)
	n.shell.Dir, n.shell.SysProcAttr = n.folder, owner
	if n.alive, err = n.shell.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := n.shell.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.Stop)
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, n.URL("postgres"))
		if err == nil {
			_ = conn.Close(ctx)
			return
		}
		select {
		case <-ctx.Done():
			log, _ := os.ReadFile(filepath.Join(n.folder, "log"))
			t.Fatalf("the server did not start: %v: %s", err, log)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Stop ends the node as an administrator would (a fast shutdown). Again: nothing.
func (n *Node) Stop() {
	if n.alive == nil {
		return
	}
	_ = n.alive.Close()
	_ = n.shell.Wait()
	n.alive = nil
}

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
	conn, err := pgx.Connect(context.Background(), n.URL(database))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	if _, err := conn.Exec(context.Background(), text); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

// Write replaces one of the node's files.
func (n *Node) Write(t testing.TB, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(n.data(), name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
