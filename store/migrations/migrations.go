// Package migrations has the steps, for each engine, that bring a schema up to date. A released step is never changed.
package migrations

import (
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"log/slog"

	"github.com/pressly/goose/v3"
)

//go:embed sqlite/*.sql postgres/*.sql
var files embed.FS

// Provider makes the migrations of an engine ("sqlite3" or "postgres") ready to run on a database.
func Provider(dialect goose.Dialect, db *sql.DB, options ...goose.ProviderOption) (*goose.Provider, error) {
	steps, err := of(dialect)
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(dialect, db, steps, append(options, goose.WithDisableGlobalRegistry(true),
		goose.WithSlog(slog.New(slog.DiscardHandler)))...)
}

func of(dialect goose.Dialect) (fs.FS, error) {
	if dialect == goose.DialectSQLite3 {
		return fs.Sub(files, "sqlite")
	}
	return fs.Sub(files, "postgres")
}

func Version(dialect goose.Dialect) int64 {
	steps, err := of(dialect)
	if err != nil {
		return 0
	}
	names, _ := fs.Glob(steps, "*.sql")
	var last int64
	for _, name := range names {
		var version int64
		if _, err := fmt.Sscanf(name, "%d_", &version); err == nil {
			last = max(last, version)
		}
	}
	return last
}
