package storetest

import (
	"database/sql"
	"testing"

	"github.com/pressly/goose/v3"

	"example.org/backoffice/store/migrations"
)

// AtVersion opens an empty database by one of database/sql's drivers and brings it to an earlier version of the schema.
func AtVersion(t testing.TB, dialect goose.Dialect, driver, source string, version int64) *sql.DB {
	t.Helper()
	db, err := sql.Open(driver, source)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	steps, err := migrations.Provider(dialect, db)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := steps.UpTo(t.Context(), version); err != nil {
		t.Fatal(err)
	}
	return db
}
