package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"example.org/backoffice/store"
)

const maxProblems = 100

// Integrity reads the whole database in one snapshot, and returns what is wrong with its pages, indexes, search indexes
// and references. Others go on reading and writing. It takes as long as reading the file.
func (s *Store) Integrity(ctx context.Context) ([]string, error) {
	return integrity(ctx, s.engine.path)
}

// Integrity does the same for a database that is not open. It changes nothing.
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
	err = with(dsn(path, "_pragma=query_only(1)"), func(db *sql.DB) error {
		found, err := textsOf(ctx, db, fmt.Sprintf("PRAGMA integrity_check(%d)", maxProblems))
		if err != nil {
			return err
		}
		problems = slices.DeleteFunc(found, func(what string) bool { return what == "ok" })
		var lost int
		err = db.QueryRowContext(ctx, "SELECT count(*) FROM pragma_foreign_key_check").Scan(&lost)
		if lost > 0 {
			problems = append(problems, fmt.Sprintf("%d rows refer to rows that do not exist", lost))
		}
		return err
	})
	if err == nil {
		return problems, nil
	}
	err = describe(err, path)
	var damaged *DamagedError
	if errors.As(err, &damaged) { // damage is a finding, not a failure
		return []string{damaged.What}, nil
	}
	return nil, err
}

// LastEntryOf returns the number of the last entry of the change log of a database that is not open, and when it became
// visible. It changes nothing.
func LastEntryOf(ctx context.Context, path string) (last int64, at time.Time, err error) {
	var visible int64
	err = with(dsn(path, "immutable=1"), func(db *sql.DB) error {
		return db.QueryRowContext(ctx, store.LastEntry).Scan(&last, &visible)
	})
	return last, time.UnixMilli(visible), classify(ctx, err)
}

// Detach makes a copy of a database one of its own, which may be written: the log of the original never fits it. It
// syncs the file.
func Detach(ctx context.Context, path string) error { return classify(ctx, own(ctx, path)) }

// own gives a copy a count of its own, so that the original's log is not taken for the copy's, and makes it durable.
func own(ctx context.Context, path string) error {
	err := with(dsn(path), func(db *sql.DB) error {
		_, err := db.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d; PRAGMA application_id = %d", firstCount(),
			applicationID))
		return err
	})
	if err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}
