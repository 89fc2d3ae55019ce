package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
)

// maxProblems is how many problems of a database are told.
const maxProblems = 100

// Integrity reads all of the database, as it is at one moment, and returns what is wrong with it: with its pages, indexes,
// search indexes and references. Others go on reading and writing. It takes as long as reading the file does.
func (s *Store) Integrity(ctx context.Context) ([]string, error) {
	return integrity(ctx, s.engine.path)
}

// Integrity is the method's for a database that is not open. It changes nothing.
func Integrity(ctx context.Context, path string) ([]string, error) {
	if err := checkHeader(path); err != nil {
		return nil, err
	}
	if err := checkLog(path); err != nil {
		return nil, err
	}
	return integrity(ctx, path)
}

func integrity(ctx context.Context, path string) (problems []string, err error) {
	db, err := sql.Open("sqlite", dsn(path, "_pragma=query_only(1)"))
	if err != nil {
		return nil, describe(err, path)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	rows, err := db.QueryContext(ctx, fmt.Sprintf("PRAGMA integrity_check(%d)", maxProblems))
	if err != nil {
		return damage(err, path)
	}
	for rows.Next() {
		var what string
		if err := rows.Scan(&what); err != nil {
			return damage(errors.Join(err, rows.Close()), path)
		}
		if what != "ok" {
			problems = append(problems, what)
		}
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return damage(err, path)
	}
	var lost int
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM pragma_foreign_key_check").Scan(&lost); err != nil {
		return damage(err, path)
	}
	if lost > 0 {
		problems = append(problems, fmt.Sprintf("%d rows refer to rows that are not there", lost))
	}
	return problems, nil
}

// damage makes a problem of an error that says so.
func damage(err error, path string) ([]string, error) {
	described := describe(err, path)
	var damaged *DamagedError
	if errors.As(described, &damaged) {
		return []string{damaged.What}, nil
	}
	return nil, described
}

// own gives a copy a count of its own, so that no log of the original passes for the copy's, and makes it durable.
func own(ctx context.Context, path string) error {
	db, err := sql.Open("sqlite", dsn(path))
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", firstCount()))
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}
