// Package migrations has the steps, for each engine, that bring a schema up to date. A released step is never changed.
package migrations

import (
	"database/sql"
	"embed"
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

// Version is the one of an engine's last step.
func Version(dialect goose.Dialect) (last int64) {
	for version := range Checksums(dialect) {
		last = max(last, version)
	}
	return last
}
