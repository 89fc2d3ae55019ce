package sqlite

import (
	"context"
	"database/sql"
	"slices"

	"github.com/pressly/goose/v3"

	"example.org/backoffice/store/migrations"
)

// sameSteps fails with migrations.ErrOtherBuild when other steps made the schema of a version.
func sameSteps(ctx context.Context, db *sql.DB, have int64) error {
	kept, err := keptSteps(ctx, db)
	if err != nil || have == 0 {
		return err
	}
	if len(kept) > 0 {
		return migrations.Compare(goose.DialectSQLite3, kept)
	}
	return sameSchema(ctx, db, have)
}

func keptSteps(ctx context.Context, db *sql.DB) (map[int64]string, error) {
	return migrations.Kept(ctx, db, "SELECT count(*) > 0 FROM sqlite_schema WHERE name = 'migration_checksums'")
}

// keepSteps writes the digests of the steps that made the schema, unless all are stored.
func keepSteps(ctx context.Context, db *sql.DB) error {
	kept, err := keptSteps(ctx, db)
	if err != nil || len(kept) == len(migrations.Checksums(goose.DialectSQLite3)) {
		return err
	}
	return migrations.Keep(ctx, goose.DialectSQLite3, db)
}

// sameSchema compares the schema of a database without digests with the one that our steps make.
func sameSchema(ctx context.Context, db *sql.DB, have int64) error {
	got, err := schemaOf(ctx, db)
	if err != nil {
		return err
	}
	return with(":memory:", func(fresh *sql.DB) error {
		provider, err := migrations.Provider(goose.DialectSQLite3, fresh)
		if err != nil {
			return err
		}
		if _, err := provider.UpTo(ctx, have); err != nil {
			return err
		}
		want, err := schemaOf(ctx, fresh)
		if err == nil && !slices.Equal(got, want) {
			err = migrations.ErrOtherBuild
		}
		return err
	})
}

func schemaOf(ctx context.Context, db *sql.DB) ([]string, error) {
	return textsOf(ctx, db, "SELECT sql FROM sqlite_schema"+
		" WHERE sql IS NOT NULL AND tbl_name NOT LIKE 'goose%' AND name NOT LIKE 'sqlite_%' ORDER BY type, name")
}
