package sqlite

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store"
)

// code is SQLite's extended result code, 0 for an error of another origin.
func code(err error) int {
	var of *sqlite.Error
	if errors.As(err, &of) {
		return of.Code()
	}
	return 0
}

// classify turns the driver's error into one of ours. It drops the driver's text, which may contain values.
func classify(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, store.ErrBusy) {
		return store.Unavailable(err)
	}
	if ended := ctx.Err(); ended != nil {
		return backoffice.Fault(ended, "querying the store")
	}
	var known *backoffice.Error
	if errors.As(err, &known) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return backoffice.Fault(err, "querying the store")
	}
	of := code(err)
	switch of {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY:
		return &store.Violation{Of: store.UniqueViolation}
	case sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
		return &store.Violation{Of: store.ReferenceViolation}
	case sqlite3.SQLITE_CONSTRAINT_TRIGGER:
		switch {
		case strings.Contains(err.Error(), store.ClosedKeyWords):
			return store.ClosedKey()
		case strings.Contains(err.Error(), store.PeriodWords):
			return &store.Violation{Of: store.UniqueViolation}
		}
	}
	switch of {
	case sqlite3.SQLITE_IOERR_SHMSIZE, sqlite3.SQLITE_IOERR_IN_PAGE: // its shared memory is a file next to the database
		of = sqlite3.SQLITE_FULL
	}
	switch of & 0xff {
	case sqlite3.SQLITE_FULL:
		return store.Full(fmt.Errorf("SQLite error %d", of))
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return store.Damaged(fmt.Errorf("SQLite error %d", of))
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN,
		sqlite3.SQLITE_READONLY, sqlite3.SQLITE_NOMEM:
		return store.Unavailable(resultCode(of))
	case sqlite3.SQLITE_INTERRUPT: // by the watchdog, for the limit: an ended context was checked before
		return backoffice.Fault(context.DeadlineExceeded, "querying the store")
	case 0:
		if errors.Is(err, store.ErrClosed) || errors.Is(err, errNoHandle) {
			return store.Unavailable(err)
		}
		return backoffice.Fault(fmt.Errorf("%T", err), "querying the store")
	}
	return backoffice.Fault(fmt.Errorf("SQLite error %d", of), "querying the store")
}

type resultCode int

func (c resultCode) Error() string {
	text := fmt.Sprintf("SQLite error %d", int(c))
	switch c & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		text += ": another program is using the database"
	case sqlite3.SQLITE_IOERR:
		text += ": its disk cannot be read or written"
	case sqlite3.SQLITE_CANTOPEN:
		text += ": its file cannot be opened"
	case sqlite3.SQLITE_READONLY:
		text += ": its file, or the disk, cannot be written"
	case sqlite3.SQLITE_NOMEM:
		text += ": out of memory"
	}
	return text
}
