package pgtest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
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
// clients, until the test ends. It returns what turns the URL of a database (not of a schema, which PgBouncer cannot be told)
// into one that leads through it.
func Bouncer(t testing.TB) (through func(url string) string) {
	t.Helper()
	server(t)
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		program, err = exec.LookPath("/usr/sbin/pgbouncer")
	}
	if err != nil {
		const reason = "PgBouncer is not installed here (Debian: apt-get install pgbouncer)"
		if os.Getenv("CI") != "" {
			t.Fatal(reason)
		}
		t.Skip(reason)
	}
	folder, err := os.MkdirTemp("", "pgtest-")
	if err != nil {
		t.Fatal(err)
	}
	settings := strings.NewReplacer("SOCKET", socket, "FOLDER", folder).Replace(bouncerSettings)
	if err := os.WriteFile(filepath.Join(folder, "pgbouncer.ini"), []byte(settings), 0o644); err != nil {
		t.Fatal(err)
	}
	owner, err := ordinaryUser(folder)
	if err != nil {
		t.Fatal(err)
	}
	shell := exec.Command("/bin/sh", "-c", runBouncer, "pgtest", program, folder)
	shell.Dir, shell.SysProcAttr = folder, owner
	alive, err := shell.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := shell.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = alive.Close(); _ = shell.Wait() })
	through = func(url string) string {
		return strings.Replace(url, "host="+socket, "host="+folder+"&port=6432", 1)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, through(URL("postgres")))
		if err == nil {
			_ = conn.Close(ctx)
			return through
		}
		select {
		case <-ctx.Done():
			log, _ := os.ReadFile(filepath.Join(folder, "log"))
			t.Fatalf("PgBouncer did not start: %v: %s", err, log)
		case <-time.After(20 * time.Millisecond):
		}
	}
}
