package sqlite_test

import (
	"database/sql"
	"path/filepath"
	"testing"

	"github.com/pressly/goose/v3"

	"example.org/backoffice/store/migrations"
	"example.org/backoffice/store/sqlite"
	"example.org/backoffice/store/storetest"
)

func TestCustomersOfAnEarlierVersionAreWhatTheyWereToEverybody(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "backoffice.db")
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	steps, err := migrations.Provider(goose.DialectSQLite3, db)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := steps.UpTo(t.Context(), 7); err != nil {
		t.Fatal(err)
	}
	for _, text := range storetest.CustomersOfVersion7 {
		if _, err := db.ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	opened, err := sqlite.Open(t.Context(), "sqlite:"+path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = opened.Close() }()
	storetest.CheckCustomersOfVersion7(t, opened)
}
