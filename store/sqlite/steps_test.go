package sqlite_test

import (
	"errors"
	"strings"
	"testing"

	"example.org/backoffice/store/migrations"
	"example.org/backoffice/store/sqlite"
	"example.org/backoffice/store/sqlite/sqlitetest"
)

func TestADatabaseThatOtherStepsHaveMadeIsRefused(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]string{
		"an edited step":                     "UPDATE migration_checksums SET checksum = 'other' WHERE version = 1",
		"a schema from before the checksums": "DELETE FROM migration_checksums; ALTER TABLE labels DROP COLUMN color",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filled(t)
			sqlitetest.Execute(t, path, change)
			for range 2 {
				if err := refusedToOpen(t, "sqlite:"+path); !errors.Is(err, migrations.ErrOtherBuild) || !strings.Contains(err.Error(), "export with that build") {
					t.Errorf("the sentence is: %v", err)
				}
			}
		})
	}
}

func TestADatabaseFromBeforeTheChecksumsGetsThem(t *testing.T) {
	t.Parallel()
	path := filled(t)
	sqlitetest.Execute(t, path, "DELETE FROM migration_checksums")
	for range 2 {
		opened, err := sqlite.Open(t.Context(), "sqlite:"+path, sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := opened.Close(); err != nil {
			t.Fatal(err)
		}
	}
	sqlitetest.Execute(t, path, "UPDATE migration_checksums SET checksum = 'other' WHERE version = 3")
	if err := refusedToOpen(t, "sqlite:"+path); !errors.Is(err, migrations.ErrOtherBuild) {
		t.Errorf("the sentence is: %v", err)
	}
}
