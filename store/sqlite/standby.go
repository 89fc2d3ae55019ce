package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/pressly/goose/v3"
	sqlite3 "modernc.org/sqlite/lib"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store"
	"example.org/backoffice/store/migrations"
)

// A stand-by's database has the pages of another one. Its first page says so, wherever the file is moved: a write of
// its own would not fit those that follow.
const standByID = 0x424F4653 // BOFS

// ErrStandBy refuses the writes of a stand-by, as a mirror refuses those of what it mirrors.
var ErrStandBy = &backoffice.Error{Kind: backoffice.Refused, Message: "the input was rejected", Mirrored: true,
	UserErrors: []*backoffice.UserError{{Code: backoffice.CodeNotAllowed,
		Message: "this is a stand-by: write on the server that it follows"}}}

// StandBy reports whether the store is a stand-by's, which refuses every write.
func (s *Store) StandBy() bool { return s.engine.standBy }

// IsStandBy reports whether a database is a stand-by's.
func IsStandBy(ctx context.Context, path string) (is bool, err error) {
	err = with(dsn(path), func(db *sql.DB) error {
		var id uint32
		err := db.QueryRowContext(ctx, "PRAGMA application_id").Scan(&id)
		is = id == standByID
		return err
	})
	return is, classify(ctx, err)
}

// PromotionOf reads the fingerprint of a database and its last promotion, "" for none. It changes nothing, since the
// database may be an earlier program's.
func PromotionOf(ctx context.Context, path string) (fingerprint, promotion string, err error) {
	err = with(dsn(path, "_pragma=query_only(1)"), func(db *sql.DB) error {
		return db.QueryRowContext(ctx, "SELECT fingerprint, holder FROM identity, leases WHERE name = $1",
			backoffice.DonePromotion).Scan(&fingerprint, &promotion)
	})
	if errors.Is(err, sql.ErrNoRows) || code(err) == sqlite3.SQLITE_ERROR { // it has no such table
		err = nil
	}
	return fingerprint, promotion, classify(ctx, err)
}

// checkStandBy rejects a schema that is not the program's, since a stand-by changes nothing itself.
func checkStandBy(have int64) error {
	if want := migrations.Version(goose.DialectSQLite3); have != want {
		return fmt.Errorf("the server that ships has schema %d, and this program %d: run the same backoffice on both",
			have, want)
	}
	return nil
}

// State is where the change log of a database ends.
type State struct {
	History string
	Last    int64 // the number of the last entry
}

// Continues reports whether a state may come after another one.
func (s State) Continues(before State) bool {
	return s.History == before.History && s.Last >= before.Last
}

// StateOf reads the state of a database.
func StateOf(ctx context.Context, path string) (s State, err error) {
	err = with(dsn(path, "_pragma=query_only(1)"), func(db *sql.DB) error {
		s, err = stateOf(ctx, db)
		return err
	})
	return s, classify(ctx, err)
}

func stateOf(ctx context.Context, from interface {
	QueryRowContext(ctx context.Context, text string, args ...any) *sql.Row
}) (s State, err error) {
	var at int64
	return s, errors.Join(from.QueryRowContext(ctx, store.LastEntry).Scan(&s.Last, &at),
		from.QueryRowContext(ctx, "SELECT history FROM change_horizon").Scan(&s.History))
}

// LastEntry is the number of the last entry of the change log.
func (s *Store) LastEntry(ctx context.Context) (int64, error) { return lastEntry(ctx, s.engine.own) }
