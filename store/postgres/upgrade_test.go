package postgres_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx
	"github.com/pressly/goose/v3"

	"example.org/backoffice/store/migrations"
	"example.org/backoffice/store/postgres"
	"example.org/backoffice/store/postgres/pgtest"
	"example.org/backoffice/store/storetest"
)

// upgraded is a store of an earlier schema version with what some statements write, brought up to date.
func upgraded(t *testing.T, version int64, statements []string) *postgres.Store {
	t.Helper()
	url := pgtest.Database(t)
	pgtest.Execute(t, url, "CREATE EXTENSION pg_trgm")
	db := storetest.AtVersion(t, goose.DialectPostgres, "pgx", url, version)
	for _, text := range statements {
		if _, err := db.ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	if err := postgres.Migrate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	return openAt(t, url, postgres.Options{})
}

func TestCustomersOfAnEarlierVersionAreWhatTheyWereToEverybody(t *testing.T) {
	storetest.SkipUnderRace(t)
	t.Parallel()
	storetest.CheckCustomersOfVersion7(t, upgraded(t, 7, storetest.CustomersOfVersion7))
}

func TestNamesOfAnEarlierVersionAreOrderedAsNewOnes(t *testing.T) {
	storetest.SkipUnderRace(t)
	t.Parallel()
	storetest.CheckNamesOfVersion8(t, upgraded(t, 8, storetest.NamesOfVersion8))
}

func TestPlacesAndNamesOfAnEarlierVersionAreFoundAsNewOnes(t *testing.T) {
	storetest.SkipUnderRace(t)
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
	for version := int64(1); version < migrations.Version(goose.DialectPostgres); version++ {
		t.Run(fmt.Sprint(version), func(t *testing.T) {
			t.Parallel()
			url := pgtest.Database(t)
			pgtest.Execute(t, url, "CREATE EXTENSION pg_trgm")
			storetest.FillVersion1(t, storetest.AtVersion(t, goose.DialectPostgres, "pgx", url, 1))
			storetest.CopyOffice(t, storetest.AtVersion(t, goose.DialectPostgres, "pgx", url, version))
			if err := postgres.Migrate(t.Context(), url); err != nil {
				t.Fatal(err)
			}
			storetest.CheckUpgraded(t, openAt(t, url, postgres.Options{}))
		})
	}
}

func TestReadersPassAMigrationThatWaitsForAnExport(t *testing.T) {
	storetest.SkipUnderRace(t)
	t.Parallel()
	url := pgtest.Database(t)
	pgtest.Execute(t, url, "CREATE EXTENSION pg_trgm")
	db := storetest.AtVersion(t, goose.DialectPostgres, "pgx", url, 34)
	export, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = export.Rollback() }()
	if _, err := export.ExecContext(t.Context(), "SELECT FROM relations"); err != nil {
		t.Fatal(err)
	}
	migrated := make(chan error, 1)
	go func() { migrated <- postgres.Migrate(t.Context(), url) }()
	for waits := false; !waits; {
		select {
		case err := <-migrated:
			t.Fatal("the schema was changed under the export: ", err)
		case <-time.After(10 * time.Millisecond):
		}
		if err := db.QueryRowContext(t.Context(), "SELECT EXISTS (SELECT FROM pg_locks WHERE relation = 'relations'::regclass AND NOT granted)").Scan(&waits); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if _, err := db.ExecContext(ctx, "SELECT FROM relations"); err != nil {
		t.Error("a reader waits for the migration: ", err)
	}
	_ = export.Rollback()
	if err := <-migrated; err != nil {
		t.Error(err)
	}
}
