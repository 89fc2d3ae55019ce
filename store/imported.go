package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"example.org/backoffice/backoffice"
)

// touchedByImport is a record that an import changes.
type touchedByImport struct {
	id, customerID, fileKey string
	after, records          []byte
}

func (t *tx) KeepBefore(ctx context.Context, number int64, until backoffice.Instant) error {
	t.importing = number
	_, err := t.conn.Exec(ctx, "INSERT /*backoffice:imports.insert*/ INTO imports (number, until)"+
		" SELECT $1, $2 WHERE TRUE ON CONFLICT (number) DO NOTHING", []any{number, until.Milliseconds()})
	return err
}

// notCompared are columns that change without a change that matters: when, and how often, a record was changed.
var notCompared = []string{"version", "hidden_changes", "updated_at", "open_updated_at", "own_updated_at"}

// digestOf is a digest of a record's values, without those that the store computes.
func (t *table[T, C]) digestOf(record any) []byte {
	values := t.freeze(record)
	for i := range t.columns {
		if c := &t.columns[i]; c.write != "" || slices.Contains(notCompared, c.name) {
			delete(values, c.name)
		}
	}
	text, _ := json.Marshal(values) // of texts, numbers and bytes
	sum := sha256.Sum256(text)
	return sum[:]
}

// asStored reads records as they are stored now.
func (t *table[T, C]) asStored(ctx context.Context, tx *tx, ids []string) ([]*touchedByImport, error) {
	w := writerOf(tx, t)
	rows, err := w.byID(ctx, ids, 0)
	var all []*touchedByImport
	for _, id := range slices.Sorted(maps.Keys(rows)) {
		var was backoffice.Trashed
		was.Add(t.noun, rows[id])
		records, lost := tx.frozen(&was)
		if lost != nil {
			return nil, lost
		}
		all = append(all, t.touchedBy(rows[id], records))
	}
	return all, err
}

func (t *table[T, C]) touchedBy(row *T, records []byte) *touchedByImport {
	of := &touchedByImport{id: *t.id(row), customerID: t.textIn(row, "customer_id"), fileKey: t.textIn(row, "file_key"),
		after: t.digestOf(row), records: records}
	if t.noun == backoffice.NounCustomer {
		of.customerID = of.id
	}
	return of
}

// keepWritten keeps what rows were before they are written; existing are those that are stored.
func (w *writer[T, C]) keepWritten(ctx context.Context, rows []*T, existing []string) error {
	if w.tx.importing == 0 {
		return nil
	}
	before, err := w.table.asStored(ctx, w.tx, existing)
	if err != nil {
		return err
	}
	records := map[string]*touchedByImport{}
	for _, was := range before {
		records[was.id] = was
	}
	all := make([]*touchedByImport, len(rows))
	for i, row := range rows {
		all[i] = w.table.touchedBy(row, nil)
		all[i].fileKey = ""
		if was := records[all[i].id]; was != nil {
			all[i].records, all[i].fileKey = was.records, was.fileKey
		}
	}
	return w.tx.keepTouched(ctx, w.table.noun, all)
}

// keepReleased keeps what rows are that give up their unique value, until they are written.
func (w *writer[T, C]) keepReleased(ctx context.Context, ids []string) error {
	if w.tx.importing == 0 {
		return nil
	}
	return w.tx.keepStored(ctx, map[backoffice.Noun][]string{w.table.noun: ids}, false)
}

// keepGone keeps what is about to be deleted, and what will lose a reference to it; these are returned.
func (t *tx) keepGone(ctx context.Context, noun backoffice.Noun, ids []string) (losing map[backoffice.Noun][]string,
	err error) {
	if t.importing == 0 {
		return nil, nil
	}
	losing = map[backoffice.Noun][]string{}
	going := map[backoffice.Noun][]string{noun: ids}
	for o, touched := range t.touched {
		if touched.done == backoffice.Deleted {
			going[o.noun] = append(going[o.noun], o.id)
		} else {
			losing[o.noun] = append(losing[o.noun], o.id)
		}
	}
	if err := t.keepStored(ctx, losing, false); err != nil {
		return nil, err
	}
	return losing, t.keepStored(ctx, going, true)
}

// keepStored notes records as they are stored; gone: they are about to be deleted.
func (t *tx) keepStored(ctx context.Context, of map[backoffice.Noun][]string, gone bool) error {
	for _, noun := range slices.Sorted(maps.Keys(of)) {
		all, err := keptOf(noun).asStored(ctx, t, of[noun])
		for i := 0; gone && i < len(all); i++ {
			all[i].after = nil
		}
		if err == nil {
			err = t.keepTouched(ctx, noun, all)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// keepTouched notes what an import does to records. Of several changes the first one knows what the record was, and the
// last one what it is.
func (t *tx) keepTouched(ctx context.Context, noun backoffice.Noun, all []*touchedByImport) error {
	const into = "INSERT /*backoffice:imported.insert*/ INTO imported" +
		" (import, noun, id, after, records, customer_id, file_key) "
	const again = " WHERE TRUE ON CONFLICT (import, id) DO UPDATE SET after = excluded.after"
	if !t.store.nouns.dialect.bulk {
		for _, of := range all {
			_, err := t.conn.Exec(ctx, into+"SELECT $1, $2, $3, $4, $5, NULLIF($6, ''), NULLIF($7, '')"+again, []any{
				t.importing, string(noun), of.id, bytesOrNull(of.after), bytesOrNull(of.records), of.customerID,
				of.fileKey})
			if err != nil {
				return err
			}
		}
		return nil
	}
	for some := range slices.Chunk(all, maxBatch) {
		_, err := t.conn.Exec(ctx, into+"SELECT $1::bigint, $2::text, v.id, v.after, v.records,"+
			" NULLIF(v.customer_id, ''), NULLIF(v.file_key, '') FROM unnest($3::text[], $4::bytea[], $5::bytea[],"+
			" $6::text[], $7::text[]) v(id, after, records, customer_id, file_key)"+again, []any{
			t.importing, string(noun),
			backoffice.Map(some, func(of *touchedByImport) string { return of.id }),
			backoffice.Map(some, func(of *touchedByImport) []byte { return of.after }),
			backoffice.Map(some, func(of *touchedByImport) []byte { return of.records }),
			backoffice.Map(some, func(of *touchedByImport) string { return of.customerID }),
			backoffice.Map(some, func(of *touchedByImport) string { return of.fileKey }),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) ImportedRecords(ctx context.Context, number int64, noun backoffice.Noun) (created, others []string,
	err error) {
	err = s.primary().Query(ctx, "SELECT /*backoffice:imported.ids*/ id, records IS NULL FROM imported"+
		" WHERE import = (SELECT number FROM imports WHERE number = $1 AND until > 0) AND noun = $2"+
		" AND (records IS NOT NULL OR after IS NOT NULL) ORDER BY id",
		[]any{number, string(noun)}, func(row *Row) error {
			if row.Bool(1) {
				created = append(created, row.Text(0))
			} else {
				others = append(others, row.Text(0))
			}
			return nil
		})
	return created, others, err
}

const importedColumns = "id, noun, '', 0, 0, records"

func (s *Store) Imported(ctx context.Context, number int64, ids ...string) (map[string]*backoffice.Imported, error) {
	found := map[string]*backoffice.Imported{}
	d := s.nouns.dialect
	err := s.primary().Query(ctx, "SELECT /*backoffice:imported.list*/ "+importedColumns+", after FROM imported"+
		" WHERE "+d.among("id")+" AND import = $2", []any{d.List(wellFormed(ids)), number}, func(row *Row) error {
		after := bytes.Clone(row.Bytes(6))
		of := keptOf(backoffice.Noun(row.Text(1)))
		one := &backoffice.Imported{Same: func(record any) bool {
			return record == nil && after == nil || record != nil && bytes.Equal(of.digestOf(record), after)
		}}
		found[row.Text(0)] = one
		if row.IsNull(5) {
			return nil
		}
		was, err := readTrashed(row)
		if err == nil {
			one.Before = was.Records[was.Noun][0]
		}
		return err
	})
	return found, err
}

func (s *Store) EachImported(ctx context.Context, visit func(*backoffice.Trashed) error) error {
	text := "SELECT /*backoffice:imported.each*/ " + importedColumns + ", import FROM imported" +
		" WHERE (import, id) > ($1, $2) AND (file_key IS NOT NULL OR noun = 'customer' AND records IS NOT NULL)" +
		" ORDER BY import, id LIMIT " + strconv.Itoa(maxBatch)
	number, id := int64(0), ""
	for n := maxBatch; n == maxBatch; {
		n = 0
		err := s.primary().Query(ctx, text, []any{number, id}, func(row *Row) error {
			was, err := readTrashed(row)
			if err != nil {
				return err
			}
			n, number, id = n+1, row.Int(6), was.ID
			return visit(was)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) ForgetImported(ctx context.Context, number int64, ids ...string) (int64, error) {
	d := t.store.nouns.dialect
	return t.conn.Exec(ctx, "DELETE /*backoffice:imported.delete*/ FROM imported WHERE "+d.among("id")+
		" AND import = $2", []any{d.List(wellFormed(ids)), number})
}

// eraseImported erases what imports keep of customers for good, also as the related ones of relations, and records the
// files to remove.
func (t *tx) eraseImported(ctx context.Context, customerIDs []string) (keys []string, err error) {
	d := t.store.nouns.dialect
	return t.eraseBefore(ctx, d.among("i.customer_id"), "DELETE /*backoffice:imported.erase*/ FROM imported WHERE "+
		d.among("customer_id")+" OR noun = 'relation' AND "+
		d.among(d.records+" -> 'relations' -> 0 ->> 'related_customer_id'"), d.List(wellFormed(customerIDs)))
}

// eraseBefore erases rows of imports that a condition picks. A file stays while a record, or the trash, names it.
func (t *tx) eraseBefore(ctx context.Context, condition, erase string, args ...any) (keys []string, err error) {
	text := "INSERT /*backoffice:forgotten_files.of_imports*/ INTO forgotten_files (file_key, at)" +
		" SELECT DISTINCT i.file_key, " + t.store.nouns.dialect.now + " FROM imported i" +
		" WHERE i.file_key IS NOT NULL AND " + condition +
		notNamed("i.file_key", "trash_files") + notOfRecord("i.file_key")
	err = t.together(ctx, func(ctx context.Context) (err error) {
		keys, err = listTexts(ctx, t.conn, text+" ON CONFLICT (file_key) DO NOTHING RETURNING file_key", args...)
		return err
	}, func(ctx context.Context) error {
		_, err := t.conn.Exec(ctx, erase, args)
		return err
	})
	return keys, err
}

func (t *tx) MoveImported(ctx context.Context, from, to string) error {
	_, err := t.conn.Exec(ctx, "UPDATE /*backoffice:imported.move*/ imported SET customer_id = $2"+
		" WHERE customer_id = $1 AND noun <> 'customer' AND after IS NOT NULL", []any{from, to})
	return err
}

func (t *tx) MarkRestored(ctx context.Context, ids ...string) error {
	d := t.store.nouns.dialect
	_, err := t.conn.Exec(ctx, "UPDATE /*backoffice:imported.changed*/ imported SET after = $2 WHERE "+d.among("id")+
		" AND import IN (SELECT number FROM imports) AND after IS NULL",
		[]any{d.List(wellFormed(ids)), []byte("restored")})
	return err
}

// notImported is a condition on a file's key: that no import keeps a record with it, which may come back.
func notImported(key string) string { return notNamed(key, "imported") }

// resealing runs what replaces the sealed numbers of customers, and keeps them as imports left them.
func (t *tx) resealing(ctx context.Context, ids []string, reseal func() error) error {
	d, w := t.store.nouns.dialect, writerOf(t, customerTable)
	if err := w.attached(ctx, w.writes.attached, ids, attachments{}); err != nil { // waits for imports under way
		return err
	}
	ids, err := listTexts(ctx, t.conn, "SELECT /*backoffice:imported.resealed*/ DISTINCT id FROM imported WHERE "+
		d.among("id")+" AND after IS NOT NULL", d.List(ids))
	switch {
	case err != nil:
		return err
	case len(ids) == 0:
		return reseal()
	}
	was, err := customerTable.asStored(ctx, t, ids)
	if err != nil {
		return err
	}
	if err := reseal(); err != nil {
		return err
	}
	now, err := customerTable.asStored(ctx, t, ids)
	for i := 0; err == nil && i < len(now); i++ {
		_, err = t.conn.Exec(ctx, "UPDATE /*backoffice:imported.reseal*/ imported SET after = $2 WHERE id = $1 AND"+
			" after = $3", []any{now[i].id, now[i].after, was[i].after})
	}
	return err
}

// eraseDueImport erases 10,000 records at most of what an import keeps that cannot be taken back any more. It marks the
// import, as nobody may take back the rest.
func (t *tx) eraseDueImport(ctx context.Context) (more bool, err error) {
	var number int64
	err = t.conn.Query(ctx, "UPDATE /*backoffice:imports.due*/ imports SET until = 0 WHERE number ="+
		" (SELECT MIN(number) FROM imports WHERE until <= "+t.store.nouns.dialect.now+") RETURNING number", nil,
		func(row *Row) error { number = row.Int(0); return nil })
	if err != nil || number == 0 {
		return false, err
	}
	t.erased = true
	last, err := firstText(ctx, t.conn, "SELECT /*backoffice:imported.last*/ MAX(p.id) FROM (SELECT id FROM imported"+
		" WHERE import = $1 ORDER BY id LIMIT 10000) p", number)
	if err == nil {
		_, err = t.eraseBefore(ctx, "i.import = $1 AND i.id <= $2 AND NOT EXISTS (SELECT 1 FROM imported o WHERE"+
			" o.file_key = i.file_key AND NOT (o.import = $1 AND o.id <= $2))",
			"DELETE /*backoffice:imported.due*/ FROM imported WHERE import = $1 AND id <= $2", number, last)
	}
	if err == nil {
		_, err = t.conn.Exec(ctx, "DELETE /*backoffice:imports.empty*/ FROM imports WHERE number = $1 AND NOT EXISTS"+
			" (SELECT 1 FROM imported WHERE import = $1)", []any{number})
	}
	return true, err
}
