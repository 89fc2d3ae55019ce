package pgtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// runBouncer is runUntilEnd for PgBouncer.
const runBouncer = `
"$1" "$2/pgbouncer.ini" >"$2/log" 2>&1 &
bouncer=$!
cat >/dev/null
kill -KILL $bouncer
wait $bouncer
rm -rf "$2"
`

const bouncerSettings = `[databases]
* = host=SOCKET port=5432 user=postgres
[pgbouncer]
listen_addr =
unix_socket_dir = FOLDER
listen_port = 6432
auth_type = any
pool_mode = transaction
default_pool_size = 4
max_client_conn = 1000
max_db_connections = 4
server_idle_timeout = 5
`

// Bouncer starts PgBouncer in transaction mode before the server of the tests, with fewer connections than a test has
// clients, until the test ends. It returns what turns the URL of a database (not of a schema, which PgBouncer cannot
// be told) into one that leads through it.
func Bouncer(t testing.TB) (through func(url string) string) {
	t.Helper()
	server(t)
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		program, err = exec.LookPath("/usr/sbin/pgbouncer")
	}
	if err != nil {
		missing(t, "PgBouncer is not installed here (Debian: apt-get install pgbouncer)")
	}
	p, err := newProcess("", runBouncer, program)
	if err != nil {
		t.Fatal(err)
	}
	settings := strings.NewReplacer("SOCKET", socket, "FOLDER", p.folder).Replace(bouncerSettings)
	if err := os.WriteFile(filepath.Join(p.folder, "pgbouncer.ini"), []byte(settings), 0o644); err != nil {
		t.Fatal(err)
	}
	through = func(url string) string {
		return strings.Replace(url, "host="+socket, "host="+p.folder+"&port=6432", 1)
	}
	t.Cleanup(p.stop)
	if err := p.start(through(URL("postgres"))); err != nil {
		t.Fatalf("PgBouncer: %v", err)
	}
	return through
}
