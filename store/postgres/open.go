package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store"
)

// oldest is the first version of PostgreSQL whose features are used: extensions that need no superuser.
const oldest = 13

// connectTimeout is for each host of a URL: one that is switched off must not use up the time for the next.
const connectTimeout = 2 * time.Second

type QueryMode string

const (
	// Prepared keeps statements prepared on each connection: the fastest; a pooler must support them.
	Prepared QueryMode = "prepared"
	// Described keeps only descriptions of statements, and prepares nothing: for a pooler in transaction mode.
	Described QueryMode = "described"
	// Plain sends each statement in one message without any state of the connection, as texts instead of binary.
	Plain QueryMode = "plain"
)

var queryModes = map[QueryMode]pgx.QueryExecMode{
	"": pgx.QueryExecModeCacheStatement, Prepared: pgx.QueryExecModeCacheStatement,
	Described: pgx.QueryExecModeCacheDescribe, Plain: pgx.QueryExecModeExec,
}

// DefaultMaxConns suits a few gateways on a server with PostgreSQL's own max_connections, 100.
const DefaultMaxConns = 16

// preparedStatements is how many each connection keeps. A plan of a restricted credential's list takes PostgreSQL up to
// half a megabyte, in each connection.
const preparedStatements = 128

type Options struct {
	StatementTimeout time.Duration // the longest run of one statement; 0 is 5 seconds
	Replicas         []string      // URLs of replicas, each of one server
	QueryMode        QueryMode
	// MaxConns is the number of connections to each server for callers; one caller gets at most half of them. 0 is the
	// value in the URL (pool_max_conns), else DefaultMaxConns.
	MaxConns int
}

type Store struct {
	*store.Store
	engine *engine
}

var _ backoffice.Store = (*Store)(nil)

// Open opens the database at a postgres:// URL. Its errors are sentences for the operator, about the URL, the server or
// the database; *store.SchemaError when the schema is older or newer than the program. A replica may be away.
func Open(ctx context.Context, url string, options Options) (*Store, error) {
	config, err := configOf(url, options)
	if err != nil {
		return nil, err
	}
	config.ConnConfig.ValidateConnect = takesWrites
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, errContradiction
	}
	if err := check(ctx, pool); err != nil {
		pool.Close()
		return nil, err
	}
	config = config.Copy()
	config.MaxConns, config.MinConns, config.MinIdleConns = ownConns, 0, 0
	own, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		pool.Close()
		return nil, errContradiction
	}
	wait, limit := 3*time.Second, cmp.Or(options.StatementTimeout, 5*time.Second)
	e := &engine{reads: &reads{primary: connectionsOf(pool, wait, limit)}, own: connectionsOf(own, wait, limit)}
	if e.reads.freshness, err = openReplicas(ctx, e.reads.primary, options); err != nil {
		_ = e.Close()
		return nil, err
	}
	return &Store{store.New(e), e}, nil
}

// ownConns are connections to the primary in addition to those for callers, for the process itself: credentials, the
// register, readiness, the primary's position. They are opened when needed.
const ownConns = 3

// openReplicas returns nil when there are none. They have the limits of the primary.
func openReplicas(ctx context.Context, primary *connections, options Options) (*freshness, error) {
	if len(options.Replicas) == 0 {
		return nil, nil
	}
	f := newFreshness()
	for _, url := range options.Replicas {
		config, err := configOf(url, options)
		if err == nil {
			var r *replica
			if r, err = newReplica(ctx, config, primary.wait, primary.limit); err == nil {
				f.replicas = append(f.replicas, r)
			}
		}
		if err != nil {
			f.close()
			return nil, fmt.Errorf("a replica: %w", err)
		}
	}
	return f, nil
}

var (
	errContradiction = errors.New("cannot create the connection pool: its settings contradict each other")
	errNotPrimary    = errors.New("the server is read-only")
)

// takesWrites rejects a server that is no primary, so that the next host is tried, whatever target_session_attrs is.
func takesWrites(ctx context.Context, conn *pgconn.PgConn) error {
	result := conn.ExecParams(ctx, "SHOW transaction_read_only", nil, nil, nil, nil).Read()
	switch {
	case result.Err != nil:
		return result.Err
	case len(result.Rows) != 1 || string(result.Rows[0][0]) != "off":
		return errNotPrimary
	}
	return nil
}

func configOf(url string, options Options) (*pgxpool.Config, error) {
	if !strings.HasPrefix(url, "postgres://") && !strings.HasPrefix(url, "postgresql://") {
		return nil, errors.New("a PostgreSQL store needs a URL of the form postgres://USER@HOST/DATABASE")
	}
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		// pgx's text repeats the URL, and a URL may hold a password.
		return nil, errors.New("the database's URL must have the form postgres://USER@HOST:PORT/DATABASE?OPTION=VALUE")
	}
	mode, ok := queryModes[options.QueryMode]
	if !ok {
		return nil, fmt.Errorf("the query mode must be %s, %s or %s", Prepared, Described, Plain)
	}
	if options.MaxConns > 0 {
		config.MaxConns = int32(options.MaxConns)
	} else if !strings.Contains(url, "pool_max_conns=") {
		config.MaxConns = DefaultMaxConns
	}
	config.ConnConfig.DefaultQueryExecMode = mode
	if !strings.Contains(url, "statement_cache_capacity=") {
		config.ConnConfig.StatementCacheCapacity = preparedStatements
	}
	if config.ConnConfig.RuntimeParams["application_name"] == "" {
		config.ConnConfig.RuntimeParams["application_name"] = "backoffice"
	}
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = connectTimeout
	}
	config.ConnConfig.DialFunc = dialer(config.ConnConfig.ConnectTimeout).DialContext
	config.ShouldPing = func(_ context.Context, of pgxpool.ShouldPingParams) bool {
		of.Conn.PgConn().CustomData()[rested] = of.IdleDuration
		return false // alive checks it
	}
	if config.PingTimeout == 0 {
		config.PingTimeout = time.Second
	}
	config.ConnConfig.OnNotice = noteWarning
	config.AfterConnect = registerTexts
	if _, said := config.ConnConfig.RuntimeParams["jit"]; !said && mode == pgx.QueryExecModeCacheStatement {
		config.AfterConnect = neverCompiled
	}
	// A statement whose caller has gone is cancelled at the server; its connection stays open.
	config.ConnConfig.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: conn, DeadlineDelay: cancelTime}
	}
	return config, nil
}

func check(ctx context.Context, pool *pgxpool.Pool) error {
	var server int
	if err := pool.QueryRow(ctx, "SELECT current_setting('server_version_num')::int").Scan(&server); err != nil {
		return describe(err)
	}
	if server < oldest*10000 {
		return fmt.Errorf("the server runs PostgreSQL %d; backoffice needs version %d or newer", server/10000, oldest)
	}
	var compiles string
	if err := pool.QueryRow(ctx, "SELECT current_setting('jit')").Scan(&compiles); err != nil {
		return describe(err)
	}
	if compiles == "on" {
		slog.WarnContext(ctx, "PostgreSQL may compile a statement (jit) for seconds before it runs it;"+
			" ALTER ROLE backoffice SET jit = off, with the name of the role, keeps it from that")
	}
	have, err := version(ctx, pool)
	if err != nil {
		return describe(err)
	}
	if want := SchemaVersion(); have != want {
		return &store.SchemaError{Have: have, Want: want}
	}
	db := stdlib.OpenDBFromPool(pool)
	defer func() { _ = db.Close() }()
	return sameSteps(ctx, db)
}
