package store

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"

	"example.org/backoffice/backoffice"
)

func (s *Store) SealedCounts(ctx context.Context) ([]backoffice.SealedCount, error) {
	counts := map[backoffice.SealedCount]int64{}
	for _, of := range []struct {
		thing backoffice.SealedThing
		text  string
		args  []any
	}{
		{backoffice.SealedNumbers, "SELECT /*backoffice:customers.by_key*/ substr(registration, 1, 5), count(*)" +
			" FROM customers WHERE registration IS NOT NULL GROUP BY 1", nil},
		{backoffice.SealedNumbers, "SELECT /*backoffice:customers.by_key*/ substr(spouse_registration, 1, 5)," +
			" count(*) FROM customers WHERE spouse_registration IS NOT NULL GROUP BY 1", nil},
		{backoffice.SealedWebhooks, "SELECT /*backoffice:webhooks.by_key*/ substr(secret, 1, 5), count(*)" +
			" FROM webhooks GROUP BY 1", nil},
		{backoffice.SealedWebhooks, "SELECT /*backoffice:webhooks.by_key*/ substr(old_secret, 1, 5), count(*)" +
			" FROM webhooks WHERE old_secret IS NOT NULL GROUP BY 1", nil},
		{backoffice.SealedIdempotency, "SELECT /*backoffice:idempotency_keys.by_key*/ substr(digest, 1, 5), count(*)" +
			" FROM idempotency_keys WHERE created_at > " + s.nouns.dialect.now + " - $1 GROUP BY 1",
			[]any{backoffice.IdempotencyPeriod.Milliseconds()}},
		{backoffice.SealedRegister, "SELECT /*backoffice:consultations.by_key*/ substr(mac, 1, 5), count(*)" +
			" FROM consultations WHERE mac IS NOT NULL GROUP BY 1", nil},
		{backoffice.SealedRegister, "SELECT /*backoffice:consultation_heads.by_key*/ substr(mac, 1, 5), count(*)" +
			" FROM consultation_heads WHERE mac IS NOT NULL GROUP BY 1", nil},
	} {
		err := s.primary().Query(ctx, of.text, of.args, func(row *Row) error {
			counts[backoffice.SealedCount{Of: of.thing, Prefix: string(row.Bytes(0))}] += row.Int(1)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	count := func(t *backoffice.Trashed) error {
		for _, c := range backoffice.CustomerTable.In(t) {
			for _, field := range backoffice.AllPrivacyFields {
				if prefix := c.SealedNumber(field).Prefix(); prefix != "" {
					counts[backoffice.SealedCount{Of: backoffice.SealedTrash, Prefix: prefix}]++
				}
			}
		}
		return nil
	}
	err := cmp.Or(s.EachTrashed(ctx, count), s.EachImported(ctx, count))
	var all []backoffice.SealedCount
	for count, n := range counts {
		count.Count = n
		all = append(all, count)
	}
	return all, err
}

// notBy is the condition that a customer has a number that does not begin with $1.
const notBy = "(registration IS NOT NULL AND substr(registration, 1, 5) <> $1 OR spouse_registration IS NOT NULL" +
	" AND substr(spouse_registration, 1, 5) <> $1)"

func (s *Store) NumbersNotBy(ctx context.Context, prefix []byte, after string,
	limit int) (rows []backoffice.Resealed, err error) {
	const text = "SELECT /*backoffice:customers.not_by_key*/ id, registration, registration_index," +
		" spouse_registration, spouse_registration_index FROM customers" +
		" WHERE id > $2 AND " + notBy + " ORDER BY id LIMIT $3"
	err = s.primary().Query(ctx, text, []any{prefix, after, int64(limit)}, func(row *Row) error {
		rows = append(rows, backoffice.Resealed{ID: row.Text(0), Before: [2]backoffice.Sealed{
			backoffice.SealedOf(row.Bytes(1), row.Bytes(2)), backoffice.SealedOf(row.Bytes(3), row.Bytes(4)),
		}})
		return nil
	})
	return rows, err
}

func (s *Store) CountNumbersNotBy(ctx context.Context, prefix []byte) (count int64, err error) {
	const text = "SELECT /*backoffice:customers.count_not_by_key*/ count(*) FROM customers WHERE " + notBy
	err = s.primary().Query(ctx, text, []any{prefix}, func(row *Row) error { count = row.Int(0); return nil })
	return count, err
}

const (
	resealMany = `UPDATE /*backoffice:customers.reseal*/ customers c` +
		` SET registration = v.registration, registration_index = v.registration_index,
	spouse_registration = v.spouse_registration, spouse_registration_index = v.spouse_registration_index
FROM unnest($1::text[], $2::bytea[], $3::bytea[], $4::bytea[], $5::bytea[], $6::bytea[], $7::bytea[])
	v(id, registration, registration_index, spouse_registration, spouse_registration_index, before, spouse_before)
WHERE c.id = v.id AND c.registration IS NOT DISTINCT FROM v.before` +
		` AND c.spouse_registration IS NOT DISTINCT FROM v.spouse_before`
	resealOne = `UPDATE /*backoffice:customers.reseal*/ customers SET registration = $2, registration_index = $3,` +
		` spouse_registration = $4, spouse_registration_index = $5
WHERE id = $1 AND registration IS $6 AND spouse_registration IS $7`
)

func (s *Store) Reseal(ctx context.Context, rows []backoffice.Resealed) error {
	// In one order, so that no two wait for each other.
	rows = slices.Clone(rows)
	slices.SortFunc(rows, func(a, b backoffice.Resealed) int { return strings.Compare(a.ID, b.ID) })
	arguments := func(r backoffice.Resealed) [7]any {
		return [7]any{
			r.ID, bytesOrNull(r.After[0].Ciphertext()), bytesOrNull(r.After[0].Index()),
			bytesOrNull(r.After[1].Ciphertext()), bytesOrNull(r.After[1].Index()),
			bytesOrNull(r.Before[0].Ciphertext()), bytesOrNull(r.Before[1].Ciphertext()),
		}
	}
	ids := backoffice.Map(rows, func(r backoffice.Resealed) string { return r.ID })
	return s.write(ctx, func(ctx context.Context, tx *tx) error {
		return tx.resealing(ctx, ids, func() error {
			if !s.nouns.dialect.bulk {
				for _, r := range rows {
					args := arguments(r)
					if _, err := tx.conn.Exec(ctx, resealOne, args[:]); err != nil {
						return err
					}
				}
				return nil
			}
			var columns [6][][]byte
			for _, r := range rows {
				args := arguments(r)
				for n := range columns {
					value, _ := args[n+1].([]byte)
					columns[n] = append(columns[n], value)
				}
			}
			args := []any{ids}
			for _, column := range columns {
				args = append(args, column)
			}
			_, err := tx.conn.Exec(ctx, resealMany, args)
			return err
		})
	})
}

func (s *Store) ResealTrash(ctx context.Context, change func(*backoffice.Customer) (bool, error)) error {
	for _, of := range []struct{ ids, one, update string }{
		{"SELECT /*backoffice:trash.ids*/ id, '0' FROM trash ORDER BY id",
			"SELECT /*backoffice:trash.one*/ " + trashColumns + " FROM trash WHERE id = $1 AND $2 = '0'",
			"UPDATE /*backoffice:trash.reseal*/ trash SET records = $3 WHERE id = $1 AND $2 = '0'"},
		{"SELECT /*backoffice:imported.customers*/ id, CAST(import AS TEXT) FROM imported WHERE noun = 'customer'" +
			" AND records IS NOT NULL ORDER BY import, id",
			"SELECT /*backoffice:imported.one*/ " + importedColumns + " FROM imported WHERE id = $1" +
				" AND CAST(import AS TEXT) = $2",
			"UPDATE /*backoffice:imported.reseal*/ imported SET records = $3 WHERE id = $1" +
				" AND CAST(import AS TEXT) = $2"},
	} {
		var keys [][2]string
		err := s.primary().Query(ctx, of.ids, nil, func(row *Row) error {
			keys = append(keys, [2]string{row.Text(0), row.Text(1)})
			return nil
		})
		for _, key := range keys {
			if err == nil {
				err = s.write(ctx, func(ctx context.Context, tx *tx) error {
					return tx.resealTrash(ctx, of.one, of.update, []any{key[0], key[1]}, change)
				})
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) resealTrash(ctx context.Context, one, update string, key []any,
	change func(*backoffice.Customer) (bool, error)) error {
	var found []*backoffice.Trashed
	err := t.conn.Query(ctx, one+t.store.nouns.dialect.forKey, key, func(row *Row) error {
		entry, err := readTrashed(row)
		found = append(found, entry)
		return err
	})
	if err != nil || len(found) == 0 {
		return err
	}
	changed := false
	for _, c := range backoffice.CustomerTable.In(found[0]) {
		did, err := change(c)
		if err != nil {
			return t.fail(err)
		}
		changed = changed || did
	}
	if !changed {
		return nil
	}
	records, err := t.frozen(found[0])
	if err == nil {
		_, err = t.conn.Exec(ctx, update, append(key, records))
	}
	return err
}

func (s *Store) ResealWebhooks(ctx context.Context, change func(id string, sealed []byte) ([]byte, error)) error {
	hooks, err := s.Webhooks(ctx)
	if err != nil {
		return err
	}
	for _, hook := range hooks {
		for column, before := range map[string][]byte{"secret": hook.Secret, "old_secret": hook.OldSecret} {
			if before == nil {
				continue
			}
			after, err := change(hook.ID, before)
			if err != nil {
				return err
			}
			if bytes.Equal(after, before) {
				continue
			}
			text := "UPDATE /*backoffice:webhooks.reseal*/ webhooks SET " + column + " = $2" +
				" WHERE id = $1 AND " + column + " = $3"
			if _, err := s.execAlone(ctx, text, hook.ID, after, before); err != nil {
				return err
			}
		}
	}
	return nil
}
