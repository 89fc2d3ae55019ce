// Package pgtest starts a PostgreSQL server for the tests of a process, from the programs that are installed on the
// machine (Debian: postgresql), as an ordinary user, on a socket in a folder of its own. It ends with the process,
// however that ends. Nothing it keeps outlives a crash: it writes as fast as memory.
package pgtest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
)

var (
	shared  = sync.OnceValues(run)
	socket  string // the folder of the shared server's socket
	schemas atomic.Int64

	migrated  sync.Once
	migration error // why there is no database to copy
)

const template = "migrated"

// Schema makes an empty schema for a test and returns the URL that leads to it. The server is started with the first
// one. Without PostgreSQL on the machine the test is skipped, or fails where CI is set.
func Schema(t testing.TB) string {
	t.Helper()
	server(t)
	name := fmt.Sprintf("test_%d", schemas.Add(1))
	Execute(t, URL("postgres"), "CREATE SCHEMA "+name)
	dropped(t, "SCHEMA "+name+" CASCADE")
	return URL("postgres") + "&search_path=" + name + ",public"
}

// Database makes an empty database for a test, with options of CREATE DATABASE, and returns the URL that leads to it.
func Database(t testing.TB, options ...string) string {
	t.Helper()
	server(t)
	name := fmt.Sprintf("test_%d", schemas.Add(1))
	Execute(t, URL("postgres"), strings.Join(append([]string{"CREATE DATABASE", name}, options...), " "))
	dropped(t, "DATABASE "+name+" WITH (FORCE)")
	return URL(name)
}

// Migrated makes a database whose schema a function has brought up to date, and returns the URL that leads to it. The
// function is called once: every further database is a copy of the first, which takes a quarter of the time.
func Migrated(t testing.TB, migrate func(ctx context.Context, url string) error) string {
	t.Helper()
	server(t)
	migrated.Do(func() {
		if migration = execute(URL("postgres"), "CREATE DATABASE "+template); migration == nil {
			migration = migrate(context.Background(), URL(template))
		}
	})
	if migration != nil {
		t.Fatalf("the schema of the tests: %v", migration)
	}
	name := fmt.Sprintf("test_%d", schemas.Add(1))
	copying := ""
	if programs, _ := Programs(); versionOf(programs) >= 15 {
		copying = " STRATEGY FILE_COPY" // which takes half the time
	}
	Execute(t, URL("postgres"), "CREATE DATABASE "+name+" TEMPLATE "+template+copying)
	dropped(t, "DATABASE "+name+" WITH (FORCE)")
	return URL(name)
}

// dropped drops what a test was given when it ends: some packages ask for hundreds, of several megabytes each.
func dropped(t testing.TB, what string) {
	t.Cleanup(func() {
		if err := execute(URL("postgres")+"&lock_timeout=5s", "DROP "+what); err != nil {
			t.Log(err)
		}
	})
}

// Socket is the folder of the running server's socket, for tests that put something between; the port is 5432.
func Socket(t testing.TB) string {
	t.Helper()
	server(t)
	return socket
}

// patient gives a busy machine time to make connections.
const patient = "&connect_timeout=60"

// URL leads to a database of the running server, as its superuser.
func URL(database string) string {
	return "postgres://postgres@/" + database + "?host=" + socket + "&sslmode=disable" + patient
}

func execute(url, text string) error {
	conn, err := pgx.Connect(context.Background(), url)
	if err != nil {
		return fmt.Errorf("the PostgreSQL server of the tests does not answer: %w", err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	if _, err := conn.Exec(context.Background(), text); err != nil {
		return fmt.Errorf("%s: %w", text, err)
	}
	return nil
}

// Execute runs a statement at a URL.
func Execute(t testing.TB, url, text string) {
	t.Helper()
	if err := execute(url, text); err != nil {
		t.Fatal(err)
	}
}

func server(t testing.TB) {
	t.Helper()
	if _, found := Programs(); !found {
		missing(t, "PostgreSQL is not installed here (Debian: apt-get install postgresql)")
	}
	if _, err := shared(); err != nil {
		t.Fatalf("the PostgreSQL server of the tests: %v", err)
	}
}

// missing skips a test, or fails it where CI is set.
func missing(t testing.TB, reason string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(reason)
	}
	t.Skip(reason)
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
	-c fsync=off -c full_page_writes=off -c synchronous_commit=off -c max_wal_size=2GB >"$2/log" 2>&1 &
server=$!
cat >/dev/null
kill -INT $server
wait $server
rm -rf "$2"
`

// run starts the server that all tests share, with the extension that every schema needs. It is held for as long as
// the process lives.
func run() (*process, error) {
	programs, _ := Programs()
	p, err := newProcess(inMemory(), runUntilEnd, programs)
	if err == nil {
		err = p.initdb()
	}
	if err != nil {
		return nil, err
	}
	socket = p.folder
	if err = p.start(URL("postgres")); err == nil {
		err = execute(URL("postgres"), "CREATE EXTENSION IF NOT EXISTS pg_trgm SCHEMA public")
	}
	return p, err
}
