// Package pgtest starts a PostgreSQL server for the tests of a process, from the programs that are installed on the
// machine (Debian: postgresql), as an ordinary user, on a socket in a folder of its own. It ends with the process,
// however that ends. Nothing it keeps outlives a crash: it writes as fast as memory.
package pgtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

var (
	start   sync.Once
	socket  string // the folder of the server's socket
	failure error
	schemas atomic.Int64
	alive   io.Closer //nolint:unused // the server's end: it is held for as long as the process lives
)

// Schema makes an empty schema and returns the URL that leads to it. The server is started with the first one. Without
// PostgreSQL on the machine the test is skipped, or fails where CI is set.
func Schema(t testing.TB) string {
	t.Helper()
	server(t)
	name := fmt.Sprintf("test_%d", schemas.Add(1))
	execute(t, "CREATE SCHEMA "+name)
	return URL("postgres") + "&search_path=" + name + ",public"
}

// Database makes an empty database and returns the URL that leads to it.
func Database(t testing.TB) string {
	t.Helper()
	server(t)
	name := fmt.Sprintf("test_%d", schemas.Add(1))
	execute(t, "CREATE DATABASE "+name)
	return URL(name)
}

// Socket is the folder of the running server's socket, for tests that put something between; the port is 5432.
func Socket(t testing.TB) string {
	t.Helper()
	server(t)
	return socket
}

// URL leads to a database of the running server, as its superuser.
func URL(database string) string {
	return "postgres://postgres@/" + database + "?host=" + socket + "&sslmode=disable"
}

func execute(t testing.TB, text string) {
	t.Helper()
	Execute(t, URL("postgres"), text)
}

// Execute runs a statement at a URL.
func Execute(t testing.TB, url, text string) {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), url)
	if err != nil {
		t.Fatalf("the PostgreSQL server of the tests does not answer: %v", err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	if _, err := conn.Exec(context.Background(), text); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

func server(t testing.TB) {
	t.Helper()
	programs, found := Programs()
	if !found {
		const reason = "PostgreSQL is not installed here (Debian: apt-get install postgresql)"
		if os.Getenv("CI") != "" {
			t.Fatal(reason)
		}
		t.Skip(reason)
	}
	start.Do(func() { socket, failure = run(programs) })
	if failure != nil {
		t.Fatalf("the PostgreSQL server of the tests did not start: %v", failure)
	}
}

// Programs is the folder of the newest PostgreSQL server on this machine.
func Programs() (folder string, found bool) {
	folders, _ := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	slices.SortFunc(folders, func(a, b string) int { return versionOf(a) - versionOf(b) })
	if len(folders) > 0 {
		return filepath.Dir(folders[len(folders)-1]), true
	}
	path, err := exec.LookPath("postgres")
	return filepath.Dir(path), err == nil
}

func versionOf(path string) int {
	version, _ := strconv.Atoi(strings.Split(strings.TrimPrefix(path, "/usr/lib/postgresql/"), "/")[0])
	return version
}

// runUntilEnd is a shell's script: it runs a server until its standard input ends, which happens when the process of
// the tests does, and then removes the folder.
const runUntilEnd = `
"$1/postgres" -D "$2/data" -k "$2" -c listen_addresses= -c max_connections=300 -c shared_buffers=64MB \
	-c fsync=off -c full_page_writes=off -c synchronous_commit=off -c max_wal_size=2GB -c autovacuum_naptime=5s >"$2/log" 2>&1 &
server=$!
cat >/dev/null
kill -INT $server
wait $server
rm -rf "$2"
`

func run(programs string) (string, error) {
	folder, err := os.MkdirTemp("", "pgtest-")
	if err != nil {
		return "", err
	}
	owner, err := ordinaryUser(folder)
	if err != nil {
		return "", err
	}
	initdb := exec.Command(filepath.Join(programs, "initdb"), "-D", filepath.Join(folder, "data"), "-U", "postgres",
		"-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
	initdb.Dir, initdb.SysProcAttr = folder, owner
	if output, err := initdb.CombinedOutput(); err != nil {
		return "", fmt.Errorf("initdb: %w: %s", err, output)
	}
	shell := exec.Command("/bin/sh", "-c", runUntilEnd, "pgtest", programs, folder)
	shell.Dir, shell.SysProcAttr = folder, owner
	if alive, err = shell.StdinPipe(); err != nil { // never written to
		return "", err
	}
	if err := shell.Start(); err != nil {
		return "", err
	}
	return folder, ready(folder)
}

// ready waits until the server answers, and adds the extension that every schema needs.
func ready(folder string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	socket = folder
	for {
		conn, err := pgx.Connect(ctx, URL("postgres"))
		if err == nil {
			_, err = conn.Exec(ctx, "CREATE EXTENSION IF NOT EXISTS pg_trgm SCHEMA public")
			_ = conn.Close(ctx)
			return err
		}
		select {
		case <-ctx.Done():
			log, _ := os.ReadFile(filepath.Join(folder, "log"))
			return fmt.Errorf("%w: %s", err, log)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// ordinaryUser gives the folder to a user under whom a server may run: this one, unless it is root.
func ordinaryUser(folder string) (*syscall.SysProcAttr, error) {
	attributes := &syscall.SysProcAttr{Setsid: true} // a signal to the tests leaves the end to the script
	if os.Geteuid() != 0 {
		return attributes, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		known, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, _ := strconv.Atoi(known.Uid)
		gid, _ := strconv.Atoi(known.Gid)
		attributes.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		return attributes, os.Chown(folder, uid, gid)
	}
	return nil, errors.New("PostgreSQL refuses to run as root, and there is neither a user postgres nor nobody")
}
