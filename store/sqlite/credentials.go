package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"os"

	"example.org/backoffice/backoffice"
)

// CredentialsOf reads which credentials a database has, and whether they are revoked, and the digests of the secrets
// that are valid at now. The database is not open, and may be an earlier program's: neither it nor its log changes.
func CredentialsOf(ctx context.Context, path string, now backoffice.Instant) (
	revoked, valid map[string]bool, err error) {
	if err = checkHeader(path); err == nil {
		err = checkLog(path)
	}
	if err != nil {
		return nil, nil, err
	}
	mode := "immutable=1" // else SQLite makes a log
	if log, err := os.Stat(path + "-wal"); err == nil && log.Size() > 0 {
		mode = "mode=ro"
	}
	revoked, valid = map[string]bool{}, map[string]bool{}
	err = with(dsn(path, mode), func(db *sql.DB) (err error) {
		rows, err := db.QueryContext(ctx, "SELECT c.id, c.revoked_at IS NOT NULL, s.digest FROM credentials c"+
			" LEFT JOIN credential_secrets s ON s.credential_id = c.id AND ifnull(c.expires_at > $1, TRUE)"+
			" AND ifnull(s.expires_at > $1, TRUE)", now.Milliseconds())
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, rows.Err(), rows.Close()) }()
		for rows.Next() {
			var id, digest sql.NullString
			var is bool
			if err := rows.Scan(&id, &is, &digest); err != nil {
				return err
			}
			revoked[id.String], valid[digest.String] = is, true
		}
		return nil
	})
	return revoked, valid, classify(ctx, err)
}
