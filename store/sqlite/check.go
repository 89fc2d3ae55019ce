package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	sqlite3 "modernc.org/sqlite/lib"

	"example.org/backoffice/store/migrations"
)

// DamagedError reports a file that is not, or no longer, a usable database.
type DamagedError struct {
	Path string
	What string
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("the database %s cannot be used: %s."+
		" Restore it from a backup, or pass another file with --database", e.Path, e.What)
}

const (
	magic         = "SQLite format 3\x00"
	applicationID = 0x424F4646 // BOFF, as the first migration sets it
)

// checkHeader reads the first page before the driver does: it detects a truncated file at once, however large. Reading
// all of it (PRAGMA quick_check) would take minutes at every start; probe reads both ends of every table.
func checkHeader(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("the database %s cannot be read: %w", path, cause(err))
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("the database %s cannot be read: %w", path, cause(err))
	}
	if info.IsDir() {
		return &DamagedError{path, "it is a folder"}
	}
	if info.Size() == 0 {
		return nil
	}
	header := make([]byte, 100)
	if _, err := io.ReadFull(file, header); err != nil || !bytes.HasPrefix(header, []byte(magic)) {
		return &DamagedError{path, "it is not an SQLite database"}
	}
	pageSize := pageSizeOf(header)
	if pageSize < 512 || pageSize&(pageSize-1) != 0 {
		return &DamagedError{path, "its first page is damaged"}
	}
	if id := binary.BigEndian.Uint32(header[68:]); id != applicationID && id != standByID && id != 0 {
		return &DamagedError{path, "it belongs to another program"}
	}
	// The size in the header is valid when the log is empty and the last writer set it.
	pages := int64(binary.BigEndian.Uint32(header[28:]))
	if log, err := os.Stat(path + "-wal"); err == nil && log.Size() > 0 {
		return nil
	}
	if bytes.Equal(header[24:28], header[92:96]) && info.Size() < pages*pageSize {
		return &DamagedError{path, "its end is missing"}
	}
	return nil
}

// version is the schema's version; 0 is an empty database.
func version(ctx context.Context, db *sql.DB) (int64, error) {
	var tables, ours int
	err := db.QueryRowContext(ctx, "SELECT count(*), count(*) FILTER (WHERE name = 'goose_db_version')"+
		" FROM sqlite_schema WHERE type = 'table'").Scan(&tables, &ours)
	if err != nil || tables == 0 {
		return 0, err
	}
	if ours == 0 {
		return 0, errForeign
	}
	var version int64
	const last = "SELECT COALESCE(MAX(version_id), 0) FROM goose_db_version WHERE is_applied"
	err = db.QueryRowContext(ctx, last).Scan(&version)
	return version, err
}

var errForeign = errors.New("it belongs to another program")

func probe(ctx context.Context, db *sql.DB) error {
	names, err := textsOf(ctx, db, "SELECT name FROM sqlite_schema WHERE type = 'table'"+
		" AND name NOT LIKE 'sqlite_%' AND sql NOT LIKE '%WITHOUT ROWID%' AND sql NOT LIKE 'CREATE VIRTUAL%'")
	if err != nil {
		return err
	}
	for _, name := range names {
		var first, last sql.NullInt64
		text := fmt.Sprintf(`SELECT (SELECT MIN(rowid) FROM "%s"), (SELECT MAX(rowid) FROM "%s")`, name, name)
		if err := db.QueryRowContext(ctx, text).Scan(&first, &last); err != nil {
			return err
		}
	}
	return nil
}

// describe turns an error of opening into a sentence for the operator.
func describe(err error, path string) error {
	if errors.Is(err, errForeign) {
		return &DamagedError{path, "it belongs to another program"}
	}
	if errors.Is(err, migrations.ErrOtherBuild) {
		return fmt.Errorf("%s: %w", path, migrations.ErrOtherBuild)
	}
	switch code(err) & 0xff {
	case 0:
		return err
	case sqlite3.SQLITE_CORRUPT:
		return &DamagedError{path, "some of its pages are damaged"}
	case sqlite3.SQLITE_NOTADB:
		return &DamagedError{path, "it is not an SQLite database"}
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return fmt.Errorf("the database %s is in use by another program; stop that one and try again", path)
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		return fmt.Errorf("the database %s, or its folder, cannot be written", path)
	case sqlite3.SQLITE_IOERR:
		return fmt.Errorf("the disk of the database %s is full, or cannot be read and written (SQLite error %d)",
			path, code(err))
	case sqlite3.SQLITE_FULL:
		return fmt.Errorf("the disk of the database %s is full", path)
	}
	return fmt.Errorf("the database %s cannot be opened: SQLite error %d", path, code(err))
}
