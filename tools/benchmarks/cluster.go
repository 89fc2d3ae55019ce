package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"example.org/backoffice/store/postgres"
	"example.org/backoffice/tools/rig"
)

// cluster is the PostgreSQL server that all servers share.
type cluster struct{ *rig.Cluster }

// clusterSettings are those of a machine with a few gigabytes to spare.
var clusterSettings = []string{
	"max_connections=200",
	"shared_buffers=1GB",
	"effective_cache_size=4GB",
	"work_mem=16MB",
	"maintenance_work_mem=512MB",
	"random_page_cost=1.1",
	"effective_io_concurrency=200",
	"max_parallel_workers_per_gather=0", // answers of milliseconds gain nothing by it
	"max_wal_size=4GB",
	"checkpoint_timeout=30min",
	"wal_compression=on",
	"shared_preload_libraries=pg_stat_statements",
}

// startCluster starts PostgreSQL over the data in a folder. Statements are counted only while somebody asks for it.
func startCluster(ctx context.Context, folder string) (*cluster, error) {
	started, err := rig.NewCluster(folder, clusterSettings)
	if err != nil {
		return nil, err
	}
	c := &cluster{started}
	return c, c.track(ctx, "none")
}

// url leads to a database of the cluster.
func (c *cluster) url(database string) string { return c.URL(c.Address(), database) }

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
		if err := c.Execute(ctx, "postgres", text); err != nil {
			return "", err
		}
	}
	if err := c.Execute(ctx, database, "CREATE EXTENSION pg_stat_statements"); err != nil {
		return "", err
	}
	if err := postgres.Migrate(ctx, url); err != nil {
		return "", err
	}
	if err := fill(ctx, url); err != nil {
		return "", err
	}
	return url, c.Execute(ctx, "postgres", "ALTER DATABASE "+database+" CONNECTION LIMIT -1")
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
	if err := c.track(ctx, "top"); err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, c.track(ctx, "none")) }()
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

// track lets PostgreSQL count the statements of clients, "top", or "none".
func (c *cluster) track(ctx context.Context, what string) error {
	for _, text := range []string{"ALTER SYSTEM SET pg_stat_statements.track = " + what, "SELECT pg_reload_conf()"} {
		if err := c.Execute(ctx, "postgres", text); err != nil {
			return err
		}
	}
	time.Sleep(200 * time.Millisecond) // until all connections have read it
	return nil
}
