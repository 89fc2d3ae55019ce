package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"example.org/backoffice/store/postgres"
)

// cluster is the PostgreSQL server that all servers share.
type cluster struct {
	*process
	port int
}

// clusterSettings are those of a machine with a few gigabytes to spare. Statements are counted only while somebody
// asks for it.
const clusterSettings = `
listen_addresses = '127.0.0.1'
max_connections = 200
shared_buffers = '1GB'
effective_cache_size = '4GB'
work_mem = '16MB'
maintenance_work_mem = '512MB'
random_page_cost = 1.1
effective_io_concurrency = 200
jit = off
max_parallel_workers_per_gather = 0 # answers of milliseconds gain nothing by it
max_wal_size = '4GB'
checkpoint_timeout = '30min'
wal_compression = on
shared_preload_libraries = 'pg_stat_statements'
pg_stat_statements.track = none
`

// startCluster starts PostgreSQL over the data in a folder, which it makes when it is not there.
func startCluster(ctx context.Context, folder string) (*cluster, error) {
	programs := "/usr/lib/postgresql/15/bin"
	if !has(programs) {
		return nil, errors.New("PostgreSQL 15 is not installed (Debian: apt-get install postgresql)")
	}
	owner, err := ordinaryUser(folder)
	if err != nil {
		return nil, err
	}
	data := filepath.Join(folder, "data")
	if !has(filepath.Join(data, "PG_VERSION")) {
		initdb := exec.CommandContext(ctx, filepath.Join(programs, "initdb"), "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8")
		initdb.Dir, initdb.SysProcAttr = folder, owner()
		if _, err := run(ctx, initdb); err != nil {
			return nil, err
		}
	}
	c := &cluster{}
	if c.port, err = freePort(); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(data, "postgresql.conf"), []byte(clusterSettings), 0o600); err != nil {
		return nil, err
	}
	command := exec.Command(filepath.Join(programs, "postgres"), "-D", data, "-k", folder, "-p", strconv.Itoa(c.port))
	command.Dir, command.SysProcAttr = folder, owner()
	if c.process, err = start("PostgreSQL", command, syscall.SIGINT); err != nil {
		return nil, err
	}
	if err := c.ready(ctx, time.Minute, func(ctx context.Context) error { return c.execute(ctx, "postgres", "SELECT 1") }); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

func (c *cluster) close() { c.stop(syscall.SIGINT, time.Minute) }

// url leads to a database of the cluster.
func (c *cluster) url(database string) string {
	return fmt.Sprintf("postgres://postgres@127.0.0.1:%d/%s?sslmode=disable", c.port, database)
}

func (c *cluster) execute(ctx context.Context, database, text string) error {
	conn, err := pgx.Connect(ctx, c.url(database))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	_, err = conn.Exec(ctx, text)
	return err
}

// prepare makes a database with the store's tables, fills it, and returns its URL. A database of that name that was
// filled before is used as it is.
func (c *cluster) prepare(ctx context.Context, database string, fill func(ctx context.Context, url string) error) (string, error) {
	url := c.url(database)
	known, err := c.filled(ctx, database)
	if err != nil {
		return "", err
	}
	if known {
		return url, postgres.Migrate(ctx, url)
	}
	// The limit of connections marks a database that is not filled yet; it does not bind a superuser.
	for _, text := range []string{"DROP DATABASE IF EXISTS " + database, "CREATE DATABASE " + database + " CONNECTION LIMIT 100"} {
		if err := c.execute(ctx, "postgres", text); err != nil {
			return "", err
		}
	}
	if err := c.execute(ctx, database, "CREATE EXTENSION pg_stat_statements"); err != nil {
		return "", err
	}
	if err := postgres.Migrate(ctx, url); err != nil {
		return "", err
	}
	if err := fill(ctx, url); err != nil {
		return "", err
	}
	return url, c.execute(ctx, "postgres", "ALTER DATABASE "+database+" CONNECTION LIMIT -1")
}

func (c *cluster) filled(ctx context.Context, database string) (known bool, err error) {
	conn, err := pgx.Connect(ctx, c.url("postgres"))
	if err != nil {
		return false, err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	err = conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1 AND datconnlimit = -1)", database).Scan(&known)
	return known, err
}

// statements counts the statements a request that a database runs while do makes n requests. What is run for fewer than
// every second request is what a server does now and then by itself, such as looking for revoked credentials.
func (c *cluster) statements(ctx context.Context, database string, n int, do func() error) (float64, error) {
	calls, _, err := c.watch(ctx, database, "%", (n+1)/2, do)
	return float64(calls) / float64(n), err
}

// spent is the mean time, in milliseconds, of the statements like a pattern that a database runs while do runs.
func (c *cluster) spent(ctx context.Context, database, pattern string, do func() error) (float64, error) {
	calls, total, err := c.watch(ctx, database, pattern, 1, do)
	if err == nil && calls == 0 {
		err = fmt.Errorf("no statement like %s was run", pattern)
	}
	return total / float64(max(calls, 1)), err
}

// watch sums up the statements like a pattern that were called at least so often while do ran.
func (c *cluster) watch(ctx context.Context, database, pattern string, least int, do func() error) (calls int, milliseconds float64, err error) {
	conn, err := pgx.Connect(ctx, c.url(database))
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	track := func(what string) error {
		for _, text := range []string{"ALTER SYSTEM SET pg_stat_statements.track = " + what, "SELECT pg_reload_conf()"} {
			if _, err := conn.Exec(ctx, text); err != nil {
				return err
			}
		}
		time.Sleep(200 * time.Millisecond) // until all connections have read it
		return nil
	}
	if err := track("top"); err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, track("none")) }()
	if _, err := conn.Exec(ctx, "SELECT pg_stat_statements_reset()"); err != nil {
		return 0, 0, err
	}
	if err := do(); err != nil {
		return 0, 0, err
	}
	err = conn.QueryRow(ctx, `SELECT COALESCE(sum(calls), 0)::int, COALESCE(sum(total_exec_time), 0) FROM pg_stat_statements
		WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database()) AND query LIKE $1 AND query NOT LIKE '%pg_stat_statements%' AND calls >= $2`,
		pattern, least).Scan(&calls, &milliseconds)
	return calls, milliseconds, err
}

// ordinaryUser gives the folder to a user under whom PostgreSQL agrees to run, and returns what starts programs as that
// user: this one, unless it is root.
func ordinaryUser(folder string) (func() *syscall.SysProcAttr, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	if os.Geteuid() != 0 {
		return func() *syscall.SysProcAttr { return &syscall.SysProcAttr{} }, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		known, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, _ := strconv.Atoi(known.Uid)
		gid, _ := strconv.Atoi(known.Gid)
		return func() *syscall.SysProcAttr {
			return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
		}, os.Chown(folder, uid, gid)
	}
	return nil, errors.New("PostgreSQL refuses to run as root, and there is neither a user postgres nor nobody")
}

// freePort is a port of loopback that nobody listens on.
func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}
