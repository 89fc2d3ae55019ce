package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/pressly/goose/v3"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store"
	"example.org/backoffice/store/migrations"
)

type Options struct {
	// Readers is the number of connections on which callers read. One caller gets at most half of them; 0 gives each
	// caller as many as there are processors, since more are not faster.
	Readers          int
	StatementTimeout time.Duration // the longest run of a reading statement; 0 is no limit
	Promote          bool          // write to a stand-by's database, before Detach
}

const (
	ownReaders  = 3               // for the process's own reads: credentials, register, readiness
	acquireTime = 3 * time.Second // how long a read waits for its turn before the store is Unavailable
)

type Store struct {
	*store.Store
	engine *engine
}

var _ backoffice.Store = (*Store)(nil)

// Path is the file of a URL sqlite:PATH. It fails for any other URL. SQLite has the log next to the target of a link.
func Path(url string) (string, error) {
	path, ok := strings.CutPrefix(url, "sqlite:")
	path = strings.TrimPrefix(path, "//")
	if !ok || path == "" || strings.HasPrefix(path, ":") {
		return "", errors.New("the embedded store needs a URL of the form sqlite:PATH, such as sqlite:data/backoffice.db")
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	return path, nil
}

// Open opens the database at a URL sqlite:PATH, creates it if it does not exist, and brings its schema up to date. Its
// errors are sentences for the operator: the file can't be used, is damaged (*DamagedError), has the log of another
// database (*ForeignLogError), is not ours, or has a newer schema than the program (*store.SchemaError).
func Open(ctx context.Context, url string, options Options) (*Store, error) {
	path, err := Path(url)
	if err != nil {
		return nil, err
	}
	if err := create(path); err != nil {
		return nil, err
	}
	if err := checkHeader(path); err != nil {
		return nil, err
	}
	if err := checkLog(path); err != nil {
		return nil, err
	}
	if options.Readers < 1 {
		options.Readers = 3 * max(runtime.NumCPU(), 2)
	}
	e, err := open(ctx, path, options)
	if err != nil {
		return nil, describe(err, path)
	}
	return &Store{store.New(e), e}, nil
}

// create makes the file, readable by its owner alone, since it will contain personal data.
func create(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("cannot create the folder of the database %s: %w", path, cause(err))
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("the database %s cannot be written: %w", path, cause(err))
	}
	return file.Close()
}

// cause is an error of the file system without the path, which the sentence already has.
func cause(err error) error {
	var on *fs.PathError
	if errors.As(err, &on) {
		return on.Err
	}
	return err
}

func open(ctx context.Context, path string, options Options) (*engine, error) {
	have, err := inspect(ctx, path)
	if err != nil {
		return nil, err
	}
	if want := migrations.Version(goose.DialectSQLite3); have > want {
		return nil, &store.SchemaError{Have: have, Want: want}
	}
	e := &engine{path: path, dog: &watchdog{}}
	if e.standBy, err = IsStandBy(ctx, path); err != nil {
		return nil, err
	}
	if e.standBy = e.standBy && !options.Promote; e.standBy {
		err = checkStandBy(have)
	} else {
		err = with(dsn(path, append(writing, "_txlock=immediate")...), func(db *sql.DB) error {
			return prepare(ctx, db, have)
		})
		if err != nil && backoffice.Sleep(ctx, migrating) == nil { // perhaps since another program does the same
			if now, unread := inspect(ctx, path); unread == nil && now > have {
				return open(ctx, path, options)
			}
		}
	}
	if err != nil {
		return nil, err
	}
	if e.place, err = newPlace(path); err != nil {
		return nil, err
	}
	var errs [4]error
	e.writer, errs[0] = e.connect(dsnWith(path, lockPoll, writing...), 1, 0, 0)
	e.readers, errs[1] = e.connect(dsn(path, append(reading, "_pragma=cache_size(-16384)")...), options.Readers,
		acquireTime, options.StatementTimeout)
	e.own, errs[2] = e.connect(dsn(path, append(reading, "_pragma=cache_size(-1024)")...), ownReaders, acquireTime,
		options.StatementTimeout)
	e.commits.pool, errs[3] = e.connect(dsn(path, append(reading, "_pragma=cache_size(-64)")...), 1, acquireTime,
		options.StatementTimeout)
	if err := errors.Join(errs[:]...); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	if err := e.Ping(ctx); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

var writing = []string{"_pragma=journal_mode(WAL)", "_pragma=synchronous(FULL)", "_pragma=foreign_keys(1)",
	"_pragma=cache_size(-16384)", "_pragma=temp_store(MEMORY)", fmt.Sprintf("_pragma=journal_size_limit(%d)", logLimit),
	"_pragma=secure_delete(1)"} // erased data is overwritten; the search indexes have a setting of their own

var reading = []string{"_pragma=query_only(1)", "_pragma=temp_store(MEMORY)"}

// with calls a function with a connection that is opened for it alone.
func with(dsn string, do func(db *sql.DB) error) error {
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	return errors.Join(do(db), db.Close())
}

func textsOf(ctx context.Context, db *sql.DB, query string) (texts []string, err error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	return texts, rows.Err()
}

// migrating is how long a step of another program's migration may take.
const migrating = 250 * time.Millisecond

// inspect reads the schema's version and changes nothing, since the file may be another program's. It reads in one
// transaction, beside a program that migrates.
func inspect(ctx context.Context, path string) (have int64, err error) {
	err = with(dsn(path), func(db *sql.DB) (err error) {
		if _, err = db.ExecContext(ctx, "BEGIN"); err == nil {
			have, err = version(ctx, db)
		}
		if err == nil && have <= migrations.Version(goose.DialectSQLite3) {
			err = sameSteps(ctx, db, have)
		}
		return err
	})
	return have, err
}

// prepare brings the schema up to date and checks every table.
func prepare(ctx context.Context, db *sql.DB, have int64) error {
	if 0 < have && have < erasureVersion { // before its version tells that this was done
		if _, err := db.ExecContext(ctx, "VACUUM"); err != nil {
			return err
		}
	}
	if have < migrations.Version(goose.DialectSQLite3) {
		provider, err := migrations.Provider(goose.DialectSQLite3, db)
		if err != nil {
			return err
		}
		if _, err := provider.Up(ctx); err != nil {
			return err
		}
	}
	if err := migrations.Fill(ctx, db, store.Filled); err != nil {
		return err
	}
	if err := keepSteps(ctx, db); err != nil {
		return err
	}
	if err := startCounting(ctx, db, have); err != nil {
		return err
	}
	return probe(ctx, db)
}

// erasureVersion is the first schema that leaves no trace of erased data. An earlier database is rewritten once.
const erasureVersion = 6

// startCounting makes the transactions of a database counted, and empties the log of those that were not.
func startCounting(ctx context.Context, db *sql.DB, have int64) error {
	var count int64
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&count); err != nil {
		return err
	}
	if count != 0 && have == migrations.Version(goose.DialectSQLite3) {
		return nil
	}
	if count == 0 {
		if _, err := db.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", firstCount())); err != nil {
			return err
		}
	}
	_, err := db.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	return err
}

func (e *engine) connect(dsn string, size int, wait, limit time.Duration) (*pool, error) {
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, err
	}
	e.databases = append(e.databases, db)
	return newPool(db, size, wait, limit, e.dog, &e.health), nil
}

func dsn(path string, options ...string) string { return dsnWith(path, busyTime, options...) }

const busyTime = 5 * time.Second

func dsnWith(path string, busy time.Duration, options ...string) string {
	escaped := strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(path)
	return "file:" + escaped + "?" + strings.Join(append([]string{fmt.Sprintf("_pragma=busy_timeout(%d)",
		busy.Milliseconds()), "_dqs=0"}, options...), "&")
}

// Path is where the database is.
func (s *Store) Path() string { return s.engine.path }

// Backup writes a consistent copy to a new file, while others read and write.
func (s *Store) Backup(ctx context.Context, path string) error {
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s already exists", path)
	}
	return s.engine.backup(ctx, path)
}
