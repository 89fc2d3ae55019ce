package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"hash/fnv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store"
	"example.org/backoffice/store/migrations"
)

func SchemaVersion() int64 { return migrations.Version(goose.DialectPostgres) }

// querier is what version needs of a pool or a connection.
type querier interface {
	QueryRow(ctx context.Context, text string, args ...any) pgx.Row
}

var errNotUTF8 = errors.New("the database's encoding is not UTF8; create it anew with" +
	" ENCODING 'UTF8' TEMPLATE template0")

// version is the schema's version; 0 without a schema. Errors: errNotUTF8; the server's.
func version(ctx context.Context, from querier) (have int64, err error) {
	var known bool
	var encoding string
	err = from.QueryRow(ctx, "SELECT to_regclass('goose_db_version') IS NOT NULL,"+
		" current_setting('server_encoding')").Scan(&known, &encoding)
	if err == nil && encoding != "UTF8" {
		err = errNotUTF8
	}
	if err != nil || !known {
		return 0, err
	}
	err = from.QueryRow(ctx, "SELECT COALESCE(MAX(version_id), 0) FROM goose_db_version WHERE is_applied").Scan(&have)
	return have, err
}

// IsEmpty reports whether the database at a URL has no schema of ours yet. Its errors are sentences for the operator.
func IsEmpty(ctx context.Context, url string) (bool, error) {
	conn, have, err := connect(ctx, url, takesWrites)
	if err != nil {
		return false, err
	}
	_ = conn.Close(context.WithoutCancel(ctx))
	return have == 0, nil
}

// connect makes a connection outside of any pool, to the first host that is accepted, and returns the schema's version.
func connect(ctx context.Context, url string,
	accepts pgconn.ValidateConnectFunc) (conn *pgx.Conn, have int64, err error) {
	config, err := configOf(url, Options{})
	if err != nil {
		return nil, 0, err
	}
	if accepts != nil {
		config.ConnConfig.ValidateConnect = accepts
	}
	if conn, err = pgx.ConnectConfig(ctx, config.ConnConfig); err != nil {
		return nil, 0, describe(err)
	}
	if have, err = version(ctx, conn); err != nil {
		_ = conn.Close(context.WithoutCancel(ctx))
		return nil, 0, describe(err)
	}
	return conn, have, nil
}

// Migrate brings the schema of the database at a URL up to date. Several processes may do so at once: one works, and
// the others wait for it under a session lock, so the URL must lead to the server itself, not to a pooler in
// transaction mode. Its errors are sentences for the operator; *store.SchemaError when the schema is too new.
func Migrate(ctx context.Context, url string) error {
	conn, have, err := connect(ctx, url, takesWrites)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if want := SchemaVersion(); have > want {
		return &store.SchemaError{Have: have, Want: want}
	}
	var schema string
	if err := conn.QueryRow(ctx, "SELECT COALESCE(current_schema(), '')").Scan(&schema); err != nil {
		return describe(err)
	}
	if schema == "" {
		return errors.New("the database has no schema to create tables in; check its search_path")
	}
	if err := createExtension(ctx, conn); err != nil {
		return err
	}
	return up(ctx, conn.Config(), schema)
}

// createExtension adds pg_trgm, whose indexes serve text search.
func createExtension(ctx context.Context, conn *pgx.Conn) error {
	var known bool
	err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_trgm')").Scan(&known)
	switch {
	case err != nil:
		return describe(err)
	case known:
		return nil
	}
	if _, err = conn.Exec(ctx, "CREATE EXTENSION IF NOT EXISTS pg_trgm"); err == nil {
		return nil
	}
	switch codeOf(err) {
	case "23505", "42710": // another process was faster
		return nil
	case "42501":
		return errors.New("backoffice needs the extension pg_trgm, which this user may not create:" +
			" let the owner of the database, or a superuser, run CREATE EXTENSION pg_trgm in it, and try again")
	case "0A000", "58P01":
		return errors.New("backoffice needs the extension pg_trgm, which the server does not have:" +
			" install PostgreSQL's contrib package there, and try again")
	}
	return describe(err)
}

// maxLockTries, of 2 s and a pause, are for a transaction, such as an export's, that uses a table which a step changes.
const maxLockTries = 200

func up(ctx context.Context, config *pgx.ConnConfig, schema string) error {
	// Who uses a table waits behind a step that waits for it, so the step lets them pass.
	short := stdlib.OptionAfterConnect(func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, "SET lock_timeout = '2s'")
		return err
	})
	db := sql.OpenDB(stdlib.GetConnector(*config, short))
	defer func() { _ = db.Close() }()
	name := fnv.New32a()
	_, _ = name.Write([]byte("backoffice migrations " + schema))
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockID(int64(name.Sum32())), lock.WithLockTimeout(1, 600),
		lock.WithUnlockTimeout(1, 60))
	if err != nil {
		return err
	}
	provider, err := migrations.Provider(goose.DialectPostgres, db, goose.WithSessionLocker(locker))
	if err != nil {
		return err
	}
	if err := sameSteps(ctx, db); err != nil {
		return err
	}
	for tries := 1; ; tries++ {
		if _, err = provider.Up(ctx); err == nil {
			err = migrations.Fill(ctx, db, store.Filled)
		}
		if codeOf(err) != "55P03" || tries == maxLockTries || backoffice.Sleep(ctx, time.Second) != nil {
			break
		}
	}
	if err == nil {
		err = migrations.Keep(ctx, goose.DialectPostgres, db)
	}
	if codeOf(err) != "" {
		err = describe(err)
	}
	if err != nil {
		return fmt.Errorf("cannot migrate the schema: %w", err)
	}
	return nil
}

func sameSteps(ctx context.Context, db *sql.DB) error {
	kept, err := migrations.Kept(ctx, db, "SELECT to_regclass('migration_checksums') IS NOT NULL")
	if err != nil {
		return describe(err)
	}
	return migrations.Compare(goose.DialectPostgres, kept)
}
