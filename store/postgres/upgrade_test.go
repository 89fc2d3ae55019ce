package postgres_test

import (
	"fmt"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx
	"github.com/pressly/goose/v3"

	"example.org/backoffice/store/migrations"
	"example.org/backoffice/store/postgres"
	"example.org/backoffice/store/postgres/pgtest"
	"example.org/backoffice/store/storetest"
)

func TestCustomersOfAnEarlierVersionAreWhatTheyWereToEverybody(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	pgtest.Execute(t, url, "CREATE EXTENSION pg_trgm")
	db := storetest.AtVersion(t, goose.DialectPostgres, "pgx", url, 7)
	for _, text := range storetest.CustomersOfVersion7 {
		if _, err := db.ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	if err := postgres.Migrate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	storetest.CheckCustomersOfVersion7(t, openAt(t, url, postgres.Options{}))
}

func TestNamesOfAnEarlierVersionAreOrderedAsNewOnes(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	pgtest.Execute(t, url, "CREATE EXTENSION pg_trgm")
	db := storetest.AtVersion(t, goose.DialectPostgres, "pgx", url, 8)
	for _, text := range storetest.NamesOfVersion8 {
		if _, err := db.ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	if err := postgres.Migrate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	storetest.CheckNamesOfVersion8(t, openAt(t, url, postgres.Options{}))
}

func TestPlacesAndNamesOfAnEarlierVersionAreFoundAsNewOnes(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	pgtest.Execute(t, url, "CREATE EXTENSION pg_trgm")
	db := storetest.AtVersion(t, goose.DialectPostgres, "pgx", url, 13)
	for _, text := range storetest.CustomersOfVersion13 {
		if _, err := db.ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	if err := postgres.Migrate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	storetest.CheckCustomersOfVersion13(t, openAt(t, url, postgres.Options{}))
}

func TestAStoreOfEachEarlierVersionIsBroughtUpToDateWithAllItsRecords(t *testing.T) {
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
