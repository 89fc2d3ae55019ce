package store

import (
	"bytes"
	"context"
	"time"

	"example.org/backoffice/backoffice"
)

func (t *tx) RememberKey(ctx context.Context, entry *backoffice.Idempotency,
	keep time.Duration) (*backoffice.Idempotency, error) {
	one := *entry
	earlier, err := t.rememberKey(ctx, &one, keep)
	for i := 0; i < len(entry.Others) && err == nil && earlier == nil; i++ {
		one.Key = entry.Others[i]
		if earlier, err = t.rememberKey(ctx, &one, keep); err != nil || earlier == nil {
			continue
		}
		// Another request that knows this key alone was first: the other keys stored here get the same meaning.
		for _, key := range append([]string{entry.Key}, entry.Others[:i]...) {
			const same = "UPDATE /*backoffice:idempotency_keys.same*/ idempotency_keys" +
				" SET digest = $4, object_id = $5, created_at = $6 WHERE client_id = $1 AND noun = $2 AND key = $3"
			if _, err := t.conn.Exec(ctx, same, []any{entry.ClientID, string(entry.Noun), key, earlier.Digest,
				earlier.ObjectID, earlier.CreatedAt.Milliseconds()}); err != nil {
				return nil, err
			}
		}
	}
	return earlier, err
}

// rememberKey does so for one key. Two transactions with one key wait for each other at the insert: the second then
// finds the row of the first, or none when the first was rolled back.
func (t *tx) rememberKey(ctx context.Context, entry *backoffice.Idempotency,
	keep time.Duration) (*backoffice.Idempotency, error) {
	now := t.store.nouns.dialect.now
	remember := "INSERT /*backoffice:idempotency_keys.remember*/ INTO idempotency_keys (client_id, noun, key, sealed," +
		" digest, object_id, created_at) VALUES ($1, $2, $3, true, $4, $5, " + now + ")\n" +
		"ON CONFLICT (client_id, noun, key) DO UPDATE SET digest = excluded.digest, object_id = excluded.object_id," +
		" created_at = excluded.created_at\nWHERE idempotency_keys.created_at < " + now + " - $6"
	const read = "SELECT /*backoffice:idempotency_keys.one*/ digest, object_id, created_at FROM idempotency_keys" +
		" WHERE client_id = $1 AND noun = $2 AND key = $3"
	var stored int64
	earlier := *entry
	err := t.together(ctx,
		func(ctx context.Context) error { return t.forgetKeys(ctx, keep) },
		func(ctx context.Context) (err error) {
			stored, err = t.conn.Exec(ctx, remember, []any{entry.ClientID, string(entry.Noun), entry.Key, entry.Digest,
				entry.ObjectID, keep.Milliseconds()})
			return err
		},
		func(ctx context.Context) error {
			if stored > 0 { // without round trips the count is known by now
				return nil
			}
			return t.conn.Query(ctx, read, []any{entry.ClientID, string(entry.Noun), entry.Key}, func(row *Row) error {
				earlier.Digest, earlier.ObjectID = bytes.Clone(row.Bytes(0)), row.Text(1)
				earlier.CreatedAt = row.Instant(2)
				return nil
			})
		})
	if err != nil || stored > 0 {
		return nil, err
	}
	return &earlier, nil
}

func (t *tx) CompleteKey(ctx context.Context, entry *backoffice.Idempotency) error {
	const complete = "UPDATE /*backoffice:idempotency_keys.settle*/ idempotency_keys SET object_id = $4" +
		" WHERE client_id = $1 AND noun = $2 AND key = $3"
	for _, key := range append([]string{entry.Key}, entry.Others...) {
		args := []any{entry.ClientID, string(entry.Noun), key, entry.ObjectID}
		if _, err := t.conn.Exec(ctx, complete, args); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) SealIdempotencyKeys(ctx context.Context,
	seal func(clientID string, noun backoffice.Noun, key string) (string, error)) error {
	clear := func(conn Conn, limit int) (found []backoffice.Idempotency, err error) {
		const read = "SELECT /*backoffice:idempotency_keys.unsealed*/ client_id, noun, key FROM idempotency_keys" +
			" WHERE NOT sealed LIMIT $1"
		err = conn.Query(ctx, read, []any{int64(limit)}, func(row *Row) error {
			found = append(found, backoffice.Idempotency{
				ClientID: row.Text(0), Noun: backoffice.Noun(row.Text(1)), Key: row.Text(2),
			})
			return nil
		})
		return found, err
	}
	if found, err := clear(s.primary(), 1); err != nil || len(found) == 0 {
		return err
	}
	return s.write(ctx, func(ctx context.Context, tx *tx) error {
		for {
			found, err := clear(tx.conn, maxBatch)
			if err != nil || len(found) == 0 {
				return err
			}
			for _, entry := range found {
				sealed, err := seal(entry.ClientID, entry.Noun, entry.Key)
				if err != nil {
					return err
				}
				const replace = "UPDATE /*backoffice:idempotency_keys.seal*/ idempotency_keys" +
					" SET key = $4, sealed = true WHERE client_id = $1 AND noun = $2 AND key = $3"
				args := []any{entry.ClientID, string(entry.Noun), entry.Key, sealed}
				if _, err := tx.conn.Exec(ctx, replace, args); err != nil {
					return err
				}
			}
		}
	})
}

// forgetKeys removes a few expired keys with each write, so that the table stays small without a job for it.
func (t *tx) forgetKeys(ctx context.Context, keep time.Duration) error {
	d := t.store.nouns.dialect
	text := "DELETE /*backoffice:idempotency_keys.expire*/ FROM idempotency_keys WHERE (client_id, noun, key) IN\n" +
		"(SELECT client_id, noun, key FROM idempotency_keys WHERE created_at < (SELECT " + d.now + " - $1)" +
		" ORDER BY created_at LIMIT 10" + d.skip + ")"
	_, err := t.conn.Exec(ctx, text, []any{keep.Milliseconds()})
	return err
}
