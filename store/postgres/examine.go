package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store"
)

// Examine checks whether the database at a URL and its replicas can be served, and changes nothing. It passes its
// findings to tell; ready reports that the database can be opened as it is.
func Examine(ctx context.Context, url string, replicas []string, tell func(backoffice.Finding)) (ready bool) {
	e := &examination{tell: tell}
	conn, have, err := connect(ctx, url, takesWrites)
	if err != nil {
		tell(backoffice.Fail("database", err.Error(), "check that the server is running, and the URL in --database"))
		return false
	}
	e.conn = conn
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	e.server(ctx)
	if e.schema(ctx, have) {
		e.privileges(ctx)
		e.triggers(ctx)
	}
	e.locks(ctx, url)
	for i, replica := range replicas {
		e.replica(ctx, fmt.Sprintf("replica %d", i+1), replica)
	}
	return !e.wrong
}

type examination struct {
	conn  *pgx.Conn
	tell  func(backoffice.Finding)
	wrong bool // something of the primary was
}

func (e *examination) fail(what, found, advice string) {
	e.wrong = true
	e.tell(backoffice.Fail(what, found, advice))
}

func (e *examination) asked(what string, err error) bool {
	if err != nil {
		e.fail(what, describe(err).Error(), "let the database's owner find out why")
	}
	return err == nil
}

// mostSkew is the largest difference between the clocks of the server and this machine: instants come from both.
const mostSkew = 2 * time.Second

func (e *examination) server(ctx context.Context) {
	var number int
	var name, fsync string
	var now time.Time
	asked := time.Now()
	err := e.conn.QueryRow(ctx, "SELECT current_setting('server_version_num')::int,"+
		" current_setting('server_version'), current_setting('fsync'), clock_timestamp()").
		Scan(&number, &name, &fsync, &now)
	if !e.asked("server", err) {
		return
	}
	if number < oldest*10000 {
		e.fail("server", "PostgreSQL "+name, fmt.Sprintf("use version %d or newer", oldest))
	} else {
		e.tell(backoffice.Pass("server", "PostgreSQL "+name))
	}
	if fsync != "on" {
		e.fail("durability", "fsync is off", "set fsync = on: otherwise a power failure loses acknowledged writes")
	}
	middle := asked.Add(time.Since(asked) / 2)
	if skew := now.Sub(middle).Abs(); skew > mostSkew {
		e.tell(backoffice.Warn("clock", "it is "+skew.Round(time.Millisecond).String()+" away from this machine's",
			"synchronize both (NTP)"))
	} else {
		e.tell(backoffice.Pass("clock", "agrees with this machine's"))
	}
}

func (e *examination) schema(ctx context.Context, have int64) (there bool) {
	var trigrams bool
	if !e.asked("extensions", e.conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_extension"+
		" WHERE extname = 'pg_trgm')").Scan(&trigrams)) {
		return false
	}
	if trigrams {
		e.tell(backoffice.Pass("extensions", "pg_trgm"))
	} else {
		e.fail("extensions", "pg_trgm is missing",
			"let the owner of the database, or a superuser, run CREATE EXTENSION pg_trgm in it")
	}
	switch want := SchemaVersion(); {
	case have == 0:
		e.fail("schema", "it does not exist", "run backoffice migrate")
	case have != want:
		advice := "run backoffice migrate"
		if have > want {
			advice = "run the newer version"
		}
		e.fail("schema", (&store.SchemaError{Have: have, Want: want}).Error(), advice)
	default:
		e.tell(backoffice.Pass("schema", fmt.Sprintf("version %d", have)))
		return true
	}
	return false
}

func (e *examination) privileges(ctx context.Context) {
	var lacking []string
	var temporary bool
	err := e.conn.QueryRow(ctx, "SELECT has_database_privilege(current_database(), 'TEMPORARY'),"+
		" COALESCE((SELECT array_agg(c.relname::text ORDER BY c.relname)\nFROM pg_class c"+
		" WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND NOT c.relname LIKE 'goose%'\n"+
		"AND NOT (has_table_privilege(c.oid, 'SELECT') AND has_table_privilege(c.oid, 'INSERT')"+
		" AND has_table_privilege(c.oid, 'UPDATE') AND has_table_privilege(c.oid, 'DELETE'))), '{}')").
		Scan(&temporary, &lacking)
	if !e.asked("privileges", err) {
		return
	}
	switch {
	case len(lacking) > 0:
		e.fail("privileges", "this user cannot read and write "+strings.Join(lacking, ", "),
			"GRANT SELECT, INSERT, UPDATE, DELETE on them, or let their owner serve")
	case !temporary:
		e.fail("privileges", "this user cannot create temporary tables",
			"GRANT TEMPORARY ON DATABASE to it: import copies through them")
	default:
		e.tell(backoffice.Pass("privileges", "sufficient for serving"))
	}
}

// errUndo ends a transaction that only checks something.
var errUndo = errors.New("roll back")

// triggers checks whether a written row is counted, in a transaction that is rolled back.
func (e *examination) triggers(ctx context.Context) {
	const total = "SELECT COALESCE(sum(n), 0)::bigint FROM row_counts WHERE noun = 'label'"
	var before, after int64
	err := pgx.BeginFunc(ctx, e.conn, func(tx pgx.Tx) error {
		if err := tx.QueryRow(ctx, total).Scan(&before); err != nil {
			return err
		}
		id := "doctor-" + backoffice.NewID()
		if _, err := tx.Exec(ctx, "INSERT INTO labels (id, name, created_at) VALUES ($1, $1, 0)", id); err != nil {
			return err
		}
		if err := tx.QueryRow(ctx, total).Scan(&after); err != nil {
			return err
		}
		return errUndo
	})
	switch {
	case !errors.Is(err, errUndo):
		e.asked("triggers", err)
	case after != before+1:
		e.fail("triggers", "triggers do not count written rows",
			"check this user's session_replication_role, and that the tables' triggers are enabled")
	default:
		e.tell(backoffice.Pass("triggers", "enabled"))
	}
}

// lockDoctor is a lock that nothing else takes.
const lockDoctor = "SELECT %s(hashtext('backoffice doctor'), 0)"

// locks checks whether two connections exclude each other: they do not when they reach two servers.
func (e *examination) locks(ctx context.Context, url string) {
	other, _, err := connect(ctx, url, takesWrites)
	if !e.asked("advisory locks", err) {
		return
	}
	defer func() { _ = other.Close(context.WithoutCancel(ctx)) }()
	free := false
	err = pgx.BeginFunc(ctx, e.conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, fmt.Sprintf(lockDoctor, "pg_advisory_xact_lock")); err != nil {
			return err
		}
		return pgx.BeginFunc(ctx, other, func(tx pgx.Tx) error {
			return tx.QueryRow(ctx, fmt.Sprintf(lockDoctor, "pg_try_advisory_xact_lock")).Scan(&free)
		})
	})
	switch {
	case !e.asked("advisory locks", err):
	case free:
		e.fail("advisory locks", "two connections can hold the same lock",
			"all connections of the URL must reach the same server: do not balance over several primaries")
	default:
		e.tell(backoffice.Pass("advisory locks", "exclusive"))
	}
}

func (e *examination) replica(ctx context.Context, what, url string) {
	const advice = "reads use the primary meanwhile"
	conn, _, err := connect(ctx, url, nil)
	if err != nil {
		e.tell(backoffice.Warn(what, err.Error(), advice))
		return
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	var repeats bool
	var behind int64
	err = conn.QueryRow(ctx, "SELECT pg_is_in_recovery(),"+
		" COALESCE(pg_last_wal_receive_lsn() - pg_last_wal_replay_lsn(), 0)::bigint").Scan(&repeats, &behind)
	switch {
	case err != nil:
		e.tell(backoffice.Warn(what, describe(err).Error(), advice))
	case !repeats:
		e.tell(backoffice.Fail(what, "it is a primary itself",
			"pass a replica of the server in --database"))
	default:
		e.tell(backoffice.Pass(what, fmt.Sprintf("%d bytes received but not replayed", behind)))
	}
}
