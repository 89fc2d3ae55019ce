package postgres_test

import (
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"

	"example.org/backoffice/store/migrations"
	"example.org/backoffice/store/postgres"
	"example.org/backoffice/store/postgres/pgtest"
)

func TestADatabaseThatOtherStepsHaveMadeIsRefused(t *testing.T) {
	t.Parallel()
	url := pgtest.Migrated(t, postgres.Migrate)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	changed, err := conn.Exec(t.Context(), "UPDATE migration_checksums SET checksum = 'other' WHERE version = 1")
	if err != nil || changed.RowsAffected() != 1 {
		t.Fatal(changed, err)
	}
	if err := postgres.Migrate(t.Context(), url); !errors.Is(err, migrations.ErrOtherBuild) {
		t.Errorf("migrating: %v", err)
	}
	opened, err := postgres.Open(t.Context(), url, postgres.Options{})
	if err == nil {
		_ = opened.Close()
	}
	if !errors.Is(err, migrations.ErrOtherBuild) {
		t.Errorf("opening: %v", err)
	}
}
