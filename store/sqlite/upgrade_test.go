package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/pressly/goose/v3"

	"example.org/backoffice/store/sqlite"
	"example.org/backoffice/store/storetest"
)

func TestCustomersOfAnEarlierVersionAreWhatTheyWereToEverybody(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "backoffice.db")
	db := storetest.AtVersion(t, goose.DialectSQLite3, "sqlite", "file:"+path, 7)
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

func TestNamesOfAnEarlierVersionAreOrderedAsNewOnes(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "backoffice.db")
	db := storetest.AtVersion(t, goose.DialectSQLite3, "sqlite", "file:"+path, 8)
	for _, text := range storetest.NamesOfVersion8 {
		if _, err := db.ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	opened, err := sqlite.Open(t.Context(), "sqlite:"+path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = opened.Close() }()
	storetest.CheckNamesOfVersion8(t, opened)
}

func TestPlacesAndNamesOfAnEarlierVersionAreFoundAsNewOnes(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "backoffice.db")
	db := storetest.AtVersion(t, goose.DialectSQLite3, "sqlite", "file:"+path, 13)
	for _, text := range storetest.CustomersOfVersion13 {
		if _, err := db.ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	opened, err := sqlite.Open(t.Context(), "sqlite:"+path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = opened.Close() }()
	storetest.CheckCustomersOfVersion13(t, opened)
}
