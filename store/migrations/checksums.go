package migrations

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/pressly/goose/v3"
)

// A store keeps, for each step that it went through, the digest of the step's text: a step that was edited since, or
// that another program made under the same number, is detected before anything is read or written.

// ErrOtherBuild reports that a store's schema was made by other steps than this program's.
var ErrOtherBuild = errors.New("the database was created by a different build of this program, with a different schema of the same version: export with that build, and import into a new database")

// Checksums are the digests of an engine's steps, by version.
func Checksums(dialect goose.Dialect) map[int64]string {
	steps, err := of(dialect)
	if err != nil {
		return nil
	}
	names, _ := fs.Glob(steps, "*.sql")
	sums := make(map[int64]string, len(names))
	for _, name := range names {
		var version int64
		text, err := fs.ReadFile(steps, name)
		if _, scan := fmt.Sscanf(name, "%d_", &version); err != nil || scan != nil {
			continue
		}
		sum := sha256.Sum256(text)
		sums[version] = hex.EncodeToString(sum[:])
	}
	return sums
}

// Compare checks the digests that a store keeps: ErrOtherBuild when one is not ours. Steps without one are skipped.
func Compare(dialect goose.Dialect, kept map[int64]string) error {
	known := Checksums(dialect)
	for version, sum := range kept {
		if mine, ok := known[version]; ok && mine != sum {
			return ErrOtherBuild
		}
	}
	return nil
}

// Kept reads the digests of a store, none when it has no table of them yet.
func Kept(ctx context.Context, db *sql.DB, exists string) (kept map[int64]string, err error) {
	var there bool
	if err := db.QueryRowContext(ctx, exists).Scan(&there); err != nil || !there {
		return nil, err
	}
	rows, err := db.QueryContext(ctx, "SELECT version, checksum FROM migration_checksums")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	kept = map[int64]string{}
	for rows.Next() {
		var version int64
		var sum string
		if err := rows.Scan(&version, &sum); err != nil {
			return nil, err
		}
		kept[version] = sum
	}
	return kept, rows.Err()
}

// Keep writes the digests of the steps that a store went through and has none of.
func Keep(ctx context.Context, dialect goose.Dialect, db *sql.DB) error {
	sums := Checksums(dialect)
	for _, version := range slices.Sorted(maps.Keys(sums)) {
		if _, err := db.ExecContext(ctx, "INSERT INTO migration_checksums (version, checksum) VALUES ($1, $2)"+
			" ON CONFLICT DO NOTHING", version, sums[version]); err != nil {
			return err
		}
	}
	return nil
}
