package store

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"time"

	"example.org/backoffice/backoffice"
)

const selectKeys = "SELECT /*backoffice:keyset_keys.list*/ id, fingerprint, prefix, state, made_at, turned_at," +
	" closed_at, CASE WHEN state = 'closed' THEN closed_at + $1 > "

func (s *Store) keys(ctx context.Context, conn Conn) (keys []backoffice.Key, err error) {
	text := selectKeys + s.nouns.dialect.now + " ELSE true END FROM keyset_keys ORDER BY made_at, id"
	err = conn.Query(ctx, text, []any{int64(backoffice.KeyLag)}, func(row *Row) error {
		keys = append(keys, backoffice.Key{
			ID: row.Text(0), Fingerprint: row.Text(1), Prefix: bytes.Clone(row.Bytes(2)),
			State: backoffice.KeyState(row.Text(3)), MadeAt: row.Instant(4), TurnedAt: row.Noted(5),
			ClosedAt: row.Noted(6), Asked: row.Bool(7),
		})
		return nil
	})
	return keys, err
}

func (s *Store) Keys(ctx context.Context) ([]backoffice.Key, error) { return s.keys(ctx, s.primary()) }

// underKeyLock runs do in a transaction, while no other program adds or rotates a key or reports which keys it knows.
func (s *Store) underKeyLock(ctx context.Context, do func(ctx context.Context, tx *tx) error) error {
	return s.write(ctx, func(ctx context.Context, tx *tx) error {
		if err := tx.lock(ctx, lockKeys); err != nil {
			return err
		}
		return do(ctx, tx)
	})
}

func (s *Store) AddKey(ctx context.Context, key backoffice.Key) error {
	return s.underKeyLock(ctx, func(ctx context.Context, tx *tx) error {
		text := "INSERT /*backoffice:keyset_keys.insert*/ INTO keyset_keys (id, fingerprint, prefix, state, made_at," +
			" turned_at, closed_at) SELECT $1, $2, $3, $4, " + s.nouns.dialect.now + ", 0, 0 WHERE "
		condition := "true"
		if key.State == backoffice.KeyPrimary {
			condition = "NOT EXISTS (SELECT 1 FROM keyset_keys)"
		}
		_, err := tx.conn.Exec(ctx, text+condition+" ON CONFLICT (id) DO NOTHING",
			[]any{key.ID, key.Fingerprint, key.Prefix, string(key.State)})
		return err
	})
}

func (s *Store) UseKeys(ctx context.Context, user backoffice.KeyUser,
	milliseconds int64) (keys []backoffice.Key, err error) {
	err = s.underKeyLock(ctx, func(ctx context.Context, tx *tx) (err error) {
		text := "DELETE /*backoffice:keyset_users.expire*/ FROM keyset_users WHERE until <= " + s.nouns.dialect.now
		if _, err = tx.conn.Exec(ctx, text, nil); err != nil {
			return err
		}
		if err = tx.noteClock(ctx); err != nil {
			return err
		}
		use := &keyUse{user, milliseconds}
		if err = s.noteKeyUse(ctx, tx.conn, use); err != nil {
			return err
		}
		s.keyUse.Store(use)
		keys, err = s.keys(ctx, tx.conn)
		return err
	})
	return keys, err
}

type keyUse struct {
	user         backoffice.KeyUser
	milliseconds int64
}

func (s *Store) noteKeyUse(ctx context.Context, conn Conn, use *keyUse) error {
	text := "INSERT /*backoffice:keyset_users.note*/ INTO keyset_users (id, name, knows, seals, until)" +
		" VALUES ($1, $2, $3, $4, " + s.nouns.dialect.now + " + $5)" +
		" ON CONFLICT (id) DO UPDATE SET knows = excluded.knows, seals = excluded.seals, until = excluded.until"
	_, err := conn.Exec(ctx, text, []any{use.user.ID, storable(use.user.Name), strings.Join(use.user.Knows, " "),
		use.user.Seals, use.milliseconds})
	return err
}

// renewKeyUse repeats, at the end of a long transaction of the only writer, what could not be written alongside it.
func (s *Store) renewKeyUse(ctx context.Context, conn Conn) error {
	use, since := s.keyUse.Load(), s.OnlyWriterSince()
	if use == nil || since.IsZero() || time.Since(since).Milliseconds() < use.milliseconds/3 {
		return nil
	}
	return s.noteKeyUse(ctx, conn, use)
}

func (s *Store) OnlyWriterSince() time.Time {
	if since := s.writing.Load(); since != nil {
		return *since
	}
	return time.Time{}
}

func (s *Store) EndKeyUse(ctx context.Context, id string) error {
	s.keyUse.Store(nil)
	_, err := s.execAlone(ctx, "DELETE /*backoffice:keyset_users.end*/ FROM keyset_users WHERE id = $1", id)
	return err
}

func (s *Store) KeyUsers(ctx context.Context) ([]backoffice.KeyUser, error) {
	return s.keyUsers(ctx, s.primary(), func(*backoffice.KeyUser) bool { return true })
}

func (s *Store) keyUsers(ctx context.Context, conn Conn,
	which func(*backoffice.KeyUser) bool) (users []backoffice.KeyUser, err error) {
	text := "SELECT /*backoffice:keyset_users.list*/ id, name, knows, seals, until FROM keyset_users" +
		" WHERE until > " + s.nouns.dialect.now + " ORDER BY id"
	err = conn.Query(ctx, text, nil, func(row *Row) error {
		user := backoffice.KeyUser{ID: row.Text(0), Name: row.Text(1), Knows: strings.Fields(row.Text(2)),
			Seals: row.Text(3), Until: row.Instant(4)}
		if which(&user) {
			users = append(users, user)
		}
		return nil
	})
	return users, err
}

func (s *Store) PromoteKey(ctx context.Context, id string) (lacking []backoffice.KeyUser, err error) {
	err = s.underKeyLock(ctx, func(ctx context.Context, tx *tx) (err error) {
		lacks := func(u *backoffice.KeyUser) bool { return !slices.Contains(u.Knows, id) }
		lacking, err = s.keyUsers(ctx, tx.conn, lacks)
		if err != nil || len(lacking) > 0 {
			return err
		}
		turn := "UPDATE /*backoffice:keyset_keys.turn*/ keyset_keys SET turned_at = CASE WHEN id = $1 THEN " +
			s.nouns.dialect.now + " ELSE turned_at END, state = CASE WHEN id = $1 THEN 'primary' ELSE 'old' END" +
			" WHERE (id = $1 AND state = 'next' OR state = 'primary')" +
			" AND EXISTS (SELECT 1 FROM keyset_keys k WHERE k.id = $1 AND k.state = 'next')"
		turned, err := tx.conn.Exec(ctx, turn, []any{id})
		if err == nil && turned == 0 {
			err = backoffice.Errorf(backoffice.BadInput, "the key is not waiting to become the primary")
		}
		return err
	})
	return lacking, err
}

func (s *Store) CloseKey(ctx context.Context, id string) (using []backoffice.KeyUser, err error) {
	var mark int64
	err = s.underKeyLock(ctx, func(ctx context.Context, tx *tx) (err error) {
		using, err = s.keyUsers(ctx, tx.conn, func(u *backoffice.KeyUser) bool { return u.Seals == id })
		if err != nil || len(using) > 0 {
			return err
		}
		if _, err = tx.conn.Exec(ctx, "UPDATE /*backoffice:keyset_keys.close*/ keyset_keys SET state = 'closing'"+
			" WHERE id = $1 AND state = 'old'", []any{id}); err != nil || s.nouns.dialect.mark == "" {
			return err
		}
		return tx.conn.Query(ctx, s.nouns.dialect.mark, nil, func(row *Row) error { mark = row.Int(0); return nil })
	})
	if err != nil || len(using) > 0 || s.nouns.dialect.mark == "" {
		return using, err
	}
	// Transactions that began before it was closed may still write with it.
	done := false
	passed := func(row *Row) error { done = row.Bool(0); return nil }
	for {
		if err := s.primary().Query(ctx, s.nouns.dialect.passed, []any{mark}, passed); err != nil || done {
			return nil, err
		}
		if backoffice.Sleep(ctx, 20*time.Millisecond) != nil {
			return nil, backoffice.Fault(context.Cause(ctx), "waiting for writes that began before a key was closed")
		}
	}
}

func (s *Store) ClosedKey(ctx context.Context, id string) error {
	_, err := s.execAlone(ctx, "UPDATE /*backoffice:keyset_keys.closed*/ keyset_keys"+
		" SET state = 'closed', closed_at = "+s.nouns.dialect.now+" WHERE id = $1 AND state = 'closing'", id)
	return err
}

func (s *Store) RemoveKey(ctx context.Context, id string) error {
	return s.underKeyLock(ctx, func(ctx context.Context, tx *tx) error {
		// For a store that has no keys yet, the fingerprint's first row names the keyset it was filled with.
		name := "UPDATE /*backoffice:keyset.turn*/ keyset SET fingerprint = (SELECT k.fingerprint FROM keyset_keys k" +
			" WHERE k.state = 'primary')"
		if _, err := tx.conn.Exec(ctx, name, nil); err != nil {
			return err
		}
		_, err := tx.conn.Exec(ctx, "DELETE /*backoffice:keyset_keys.remove*/ FROM keyset_keys"+
			" WHERE id = $1 AND state IN ('closed', 'next')", []any{id})
		return err
	})
}
