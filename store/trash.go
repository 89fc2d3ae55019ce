package store

import (
	"context"
	"slices"

	"example.org/backoffice/backoffice"
)

func (t *tx) DryRun() { t.dryRun = !t.restricted }

func (t *tx) KeepDeleted(how backoffice.Keeping) { t.keeping = &how }

func (t *tx) keeps(noun backoffice.Noun) bool {
	return t.keeping != nil && !t.dryRun && (noun == backoffice.NounCustomer || noun == backoffice.NounRelation)
}

// keepGoing puts records that are about to be deleted into the trash, with their cascade.
func (t *tx) keepGoing(ctx context.Context, noun backoffice.Noun, ids []string) error {
	ctx = whole(ctx) // they were all checked to be visible
	if t.keeping.KeepEarlier {
		earlier, err := listTexts(ctx, t.conn, "SELECT /*backoffice:trash.earlier*/ id FROM trash WHERE "+
			t.store.nouns.dialect.among("id"), t.store.nouns.dialect.List(ids))
		if err != nil {
			return err
		}
		ids = slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return slices.Contains(earlier, id) })
	}
	going := map[backoffice.Noun][]string{noun: ids}
	for o, touched := range t.touched {
		if touched.done == backoffice.Deleted && o.noun != noun {
			going[o.noun] = append(going[o.noun], o.id)
		}
	}
	gone := map[string]*backoffice.Trashed{}
	for _, id := range ids {
		gone[id] = &backoffice.Trashed{ID: id, Noun: noun, ClientID: t.keeping.ClientID, At: t.keeping.At,
			MergedInto: t.keeping.MergedInto}
	}
	var reads []func(context.Context) error
	for _, noun := range backoffice.Nouns {
		ids := going[noun.Name()]
		if len(ids) == 0 {
			continue
		}
		slices.Sort(ids)
		reads = append(reads, keptOf(noun.Name()).reading(t, ids, func(record any, of []string) {
			for _, id := range of {
				if entry := gone[id]; entry != nil { // else deleted earlier, in the same transaction
					entry.Add(noun.Name(), record)
					return
				}
			}
		}))
	}
	if err := t.together(ctx, reads...); err != nil {
		return err
	}
	empty := func(ctx context.Context) error { _, _, err := t.emptyTrash(ctx, ids); return err }
	put := []func(context.Context) error{empty}
	for _, id := range ids {
		if entry := gone[id]; entry.Rows() > 0 {
			put = append(put, t.putting(entry, t.store.nouns.dialect.now+" + $5", t.keeping.Period.Milliseconds())...)
		}
	}
	return t.together(ctx, put...)
}

// reading reads records, in the order of their identifiers, and passes each with its identifier and its customers'.
func (t *table[T, C]) reading(tx *tx, ids []string, each func(record any, of []string)) func(context.Context) error {
	return func(ctx context.Context) error {
		w := writerOf(tx, t)
		rows, err := w.byID(ctx, ids, 0)
		for _, id := range ids {
			if row := rows[id]; row != nil {
				each(row, []string{id, t.textIn(row, "customer_id"), t.textIn(row, "related_customer_id")})
			}
		}
		return err
	}
}

func (t *tx) PutTrashed(ctx context.Context, trashed *backoffice.Trashed) error {
	return t.together(ctx, append([]func(context.Context) error{func(ctx context.Context) error {
		_, _, err := t.emptyTrash(ctx, []string{trashed.ID})
		return err
	}}, t.putting(trashed, "$5", trashed.Until.Milliseconds())...)...)
}

// putting puts an entry into the trash, replacing one with its identifier, and its files after it.
func (t *tx) putting(entry *backoffice.Trashed, until string, argument int64) (do []func(context.Context) error) {
	do = append(do, func(ctx context.Context) error {
		records, err := t.frozen(entry)
		if err != nil {
			return err
		}
		_, err = t.conn.Exec(ctx, "INSERT /*backoffice:trash.insert*/ INTO trash"+
			" (id, noun, client_id, at, until, records) SELECT $1, $2, $3, $4, "+until+", $6",
			[]any{entry.ID, string(entry.Noun), entry.ClientID, entry.At.Milliseconds(), argument, records})
		return err
	})
	if keys := entry.FileKeys(); len(keys) > 0 {
		do = append(do, func(ctx context.Context) error {
			d := t.store.nouns.dialect
			_, err := t.conn.Exec(ctx, "INSERT /*backoffice:trash_files.insert*/ INTO trash_files"+
				" (file_key, trash_id) SELECT "+d.parentID+", $2 FROM "+d.parents+" WHERE TRUE"+
				" ON CONFLICT (file_key) DO UPDATE SET trash_id = excluded.trash_id",
				[]any{d.List(storableAll(backoffice.Unique(keys))), entry.ID})
			return err
		})
	}
	return do
}

const trashColumns = "id, noun, client_id, at, until, records"

func (t *tx) TakeTrashed(ctx context.Context, ids ...string) (taken []*backoffice.Trashed, err error) {
	if err := t.lock(ctx, lockTrash); err != nil {
		return nil, err
	}
	d := t.store.nouns.dialect
	err = t.conn.Query(ctx, "DELETE /*backoffice:trash.take*/ FROM trash"+
		" WHERE "+d.among("id")+" RETURNING "+trashColumns, []any{d.List(wellFormed(ids))}, func(row *Row) error {
		entry, err := readTrashed(row)
		taken = append(taken, entry)
		return err
	})
	slices.SortFunc(taken,
		func(a, b *backoffice.Trashed) int { return slices.Index(ids, a.ID) - slices.Index(ids, b.ID) })
	if err == nil && len(taken) > 0 {
		t.erased = true
	}
	return taken, err
}

func (t *tx) TakeWaiting(ctx context.Context, customerIDs ...string) ([]*backoffice.Trashed, error) {
	var waiting []string
	const text = "SELECT /*backoffice:trash.waiting*/ " + trashColumns + " FROM trash WHERE noun = 'relation'"
	err := t.conn.Query(ctx, text, nil, func(row *Row) error {
		entry, err := readTrashed(row)
		if err == nil && entry.WaitsFor != "" && slices.Contains(customerIDs, entry.WaitsFor) {
			waiting = append(waiting, entry.ID)
		}
		return err
	})
	if err != nil || waiting == nil {
		return nil, err
	}
	return t.TakeTrashed(ctx, waiting...)
}

func (s *Store) EachTrashed(ctx context.Context, visit func(*backoffice.Trashed) error) error {
	const text = "SELECT /*backoffice:trash.list*/ " + trashColumns + " FROM trash ORDER BY at DESC, id"
	return s.primary().Query(ctx, text, nil, func(row *Row) error {
		entry, err := readTrashed(row)
		if err != nil {
			return err
		}
		return visit(entry)
	})
}

func (s *Store) EmptyTrash(ctx context.Context, ids ...string) (erased, fileKeys []string, err error) {
	err = s.write(ctx, func(ctx context.Context, tx *tx) (err error) {
		erased, fileKeys, err = tx.erase(ctx, wellFormed(ids))
		return err
	})
	return erased, fileKeys, err
}

func (s *Store) EmptyDueTrash(ctx context.Context) (erased, fileKeys []string, err error) {
	const due = "SELECT /*backoffice:trash.due*/ id FROM trash WHERE until <= "
	const imports = " UNION ALL SELECT 'import' FROM imports WHERE until <= "
	now := s.nouns.dialect.now
	// Nearly always nothing is due.
	if id, err := firstText(ctx, s.primary(), due+now+imports+now+" LIMIT 1"); err != nil || id == "" {
		return nil, nil, err
	}
	if settled, err := s.settled(ctx); !settled {
		return nil, nil, err
	}
	err = s.write(ctx, func(ctx context.Context, tx *tx) error {
		ids, err := listTexts(ctx, tx.conn, due+now)
		if err == nil {
			erased, fileKeys, err = tx.erase(ctx, ids)
		}
		return err
	})
	for more := true; more && err == nil; {
		err = s.write(ctx, func(ctx context.Context, tx *tx) (err error) {
			more, err = tx.eraseDueImport(ctx)
			return err
		})
	}
	return erased, fileKeys, err
}

// erase erases entries for good, and what else is kept of their customers, unless these are there again: what imports
// keep, relations in other entries, and who was merged into them.
func (t *tx) erase(ctx context.Context, ids []string) (erased, keys []string, err error) {
	if err := t.lock(ctx, lockTrash); err != nil {
		return nil, nil, err
	}
	if erased, keys, err = t.emptyTrash(ctx, ids); err != nil || len(erased) == 0 {
		return erased, keys, err
	}
	var gone []string
	for some := range slices.Chunk(erased, maxBatch) {
		there, err := backoffice.ReadNouns(ctx, t, some)
		if err != nil {
			return erased, keys, err
		}
		gone = append(gone, slices.DeleteFunc(slices.Clone(some), func(id string) bool { return there[id] != "" })...)
	}
	kept, err := t.eraseImported(ctx, gone)
	if err == nil {
		err = t.eraseOthers(ctx, gone)
	}
	return erased, append(keys, kept...), err
}

// eraseOthers erases what entries have of customers that are gone: relations, who was merged into them, and earlier
// ones of the same identifier.
func (t *tx) eraseOthers(ctx context.Context, customerIDs []string) error {
	ctx = whole(ctx) // others may be invisible to the caller
	gone := make(map[string]bool, len(customerIDs))
	for _, id := range customerIDs {
		gone[id] = true
	}
	var going []string
	var left []*backoffice.Trashed
	err := t.conn.Query(ctx, "SELECT /*backoffice:trash.all*/ "+trashColumns+" FROM trash ORDER BY id"+
		t.store.nouns.dialect.forKey, nil, func(row *Row) error {
		entry, err := readTrashed(row)
		if err != nil {
			return err
		}
		rows := entry.Rows()
		relations := entry.Records[backoffice.NounRelation]
		entry.Records[backoffice.NounRelation] = slices.DeleteFunc(relations, func(record any) bool {
			r := record.(*backoffice.CustomerRelation)
			return gone[r.CustomerID] || gone[r.RelatedCustomerID]
		})
		switch forgot := entry.Rows() < rows; {
		case gone[entry.ID], gone[entry.MergedInto], forgot && entry.Rows() == 0:
			going = append(going, entry.ID)
		case forgot:
			left = append(left, entry)
		}
		return nil
	})
	for i := 0; err == nil && i < len(left); i++ {
		var records []byte
		if records, err = t.frozen(left[i]); err == nil {
			_, err = t.conn.Exec(ctx, "UPDATE /*backoffice:trash.forget*/ trash SET records = $2 WHERE id = $1",
				[]any{left[i].ID, records})
		}
	}
	if err == nil && len(going) > 0 {
		_, _, err = t.erase(ctx, going)
	}
	return err
}

// emptyTrash erases entries of the trash for good, and records the files to remove: those that no import keeps and no
// record names, as one that an undo put back does.
func (t *tx) emptyTrash(ctx context.Context, ids []string) (erased, keys []string, err error) {
	if len(ids) == 0 {
		return nil, nil, nil
	}
	d := t.store.nouns.dialect
	list := d.List(ids)
	err = t.together(ctx, func(ctx context.Context) (err error) {
		keys, err = listTexts(ctx, t.conn, "INSERT /*backoffice:forgotten_files.of_trash*/ INTO forgotten_files"+
			" (file_key, at) SELECT f.file_key, "+d.now+" FROM trash_files f WHERE "+d.among("f.trash_id")+
			notImported("f.file_key")+notOfRecord("f.file_key")+
			" ON CONFLICT (file_key) DO UPDATE SET at = forgotten_files.at RETURNING file_key", list)
		return err
	}, func(ctx context.Context) (err error) {
		erased, err = listTexts(ctx, t.conn, "DELETE /*backoffice:trash.empty*/ FROM trash WHERE "+d.among("id")+
			" RETURNING id", list)
		return err
	})
	if err == nil && len(erased) > 0 {
		t.erased = true
	}
	return erased, keys, err
}

// countErased notes that the file of an embedded store has traces, until it is compacted.
func (t *tx) countErased(ctx context.Context) error {
	if !t.erased || t.store.nouns.dialect.lock != "" {
		return nil
	}
	const text = "UPDATE /*backoffice:change_horizon.erased*/ change_horizon SET erased = erased + 1"
	_, err := t.conn.Exec(ctx, text, nil)
	return err
}
