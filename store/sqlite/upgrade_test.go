package sqlite_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/pressly/goose/v3"

	"example.org/backoffice/store/migrations"
	"example.org/backoffice/store/sqlite"
	"example.org/backoffice/store/storetest"
)

// upgraded is a store of an earlier schema version with what some statements write, brought up to date.
func upgraded(t *testing.T, version int64, statements []string) *sqlite.Store {
	t.Helper()
	path := filepath.Join(t.TempDir(), "backoffice.db")
	db := storetest.AtVersion(t, goose.DialectSQLite3, "sqlite", "file:"+path, version)
	for _, text := range statements {
		if _, err := db.ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	opened, err := sqlite.Open(t.Context(), "sqlite:"+path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = opened.Close() })
	return opened
}

func TestCustomersOfAnEarlierVersionAreWhatTheyWereToEverybody(t *testing.T) {
	t.Parallel()
	storetest.CheckCustomersOfVersion7(t, upgraded(t, 7, storetest.CustomersOfVersion7))
}

func TestNamesOfAnEarlierVersionAreOrderedAsNewOnes(t *testing.T) {
	t.Parallel()
	storetest.CheckNamesOfVersion8(t, upgraded(t, 8, storetest.NamesOfVersion8))
}

func TestPlacesAndNamesOfAnEarlierVersionAreFoundAsNewOnes(t *testing.T) {
	t.Parallel()
	storetest.CheckCustomersOfVersion13(t, upgraded(t, 13, storetest.CustomersOfVersion13))
}

func TestAClockThatNobodyNotedWasSeenAtTheLastChange(t *testing.T) {
	t.Parallel()
	storetest.CheckClockOfVersion39(t, upgraded(t, 39, storetest.LogOfVersion39))
}

func TestAStoreOfEachEarlierVersionIsBroughtUpToDateWithAllItsRecords(t *testing.T) {
	storetest.SkipUnderRace(t)
	t.Parallel()
	first := filepath.Join(t.TempDir(), "backoffice.db")
	storetest.FillVersion1(t, storetest.AtVersion(t, goose.DialectSQLite3, "sqlite", "file:"+first, 1))
	for version := int64(1); version < migrations.Version(goose.DialectSQLite3); version++ {
		if err := storetest.AtVersion(t, goose.DialectSQLite3, "sqlite", "file:"+first, version).Close(); err != nil {
			t.Fatal(err)
		}
		file, err := os.ReadFile(first)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(fmt.Sprint(version), func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "backoffice.db")
			if err := os.WriteFile(path, file, 0o600); err != nil {
				t.Fatal(err)
			}
			storetest.CopyOffice(t, storetest.AtVersion(t, goose.DialectSQLite3, "sqlite", "file:"+path, version))
			opened, err := sqlite.Open(t.Context(), "sqlite:"+path, sqlite.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = opened.Close() }()
			storetest.CheckUpgraded(t, opened)
		})
	}
}
