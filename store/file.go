package store

import (
	"context"
	"strings"

	"example.org/backoffice/backoffice"
)

// tablesOfFiles are the tables with columns of a stored file, and the column that leads from a row to its customer.
var tablesOfFiles = []string{"transcripts", "calculations", "documents", "minfin_documents"}

// namingFiles are the tables whose rows name a file: those, the trash, and what imports keep.
var namingFiles = append([]string{"trash_files", "imported"}, tablesOfFiles...)

// notOfRecord is a condition on a file's key: that no record names it.
func notOfRecord(key string) string { return notNamed(key, tablesOfFiles...) }

func notNamed(key string, tables ...string) string {
	return strings.Join(backoffice.Map(tables, func(table string) string {
		return " AND NOT EXISTS (SELECT 1 FROM " + table + " named WHERE named.file_key = " + key + ")"
	}), "")
}

func (t *tx) FileKeysOf(ctx context.Context, customerIDs ...string) ([]string, error) {
	ids := backoffice.Unique(wellFormed(customerIDs))
	if ids == nil {
		return nil, nil
	}
	d := t.store.nouns.dialect
	return listTexts(ctx, t.conn, named("files.of_customers", d.filesOfCustomers()), d.List(ids))
}

func (d *Dialect) filesOfCustomers() string {
	return strings.Join(backoffice.Map(tablesOfFiles, func(table string) string {
		return "SELECT file_key FROM " + table + " WHERE file_key IS NOT NULL AND " + d.among("customer_id")
	}), " UNION ")
}

// LockRecordsOf locks rows whose version is not checked, which would show a change after they were read. What is
// assigned to many customers has no row yet.
func (t *tx) LockRecordsOf(ctx context.Context, customerID, besides string) error {
	keep := t.store.nouns.dialect.keep
	if keep == "" { // an engine with a single writer
		return nil
	}
	held := append(backoffice.Map(tablesOfFiles, func(table string) string {
		return "SELECT id FROM (SELECT id FROM " + table + " WHERE customer_id = $1" + keep + ") held"
	}), "SELECT id FROM (SELECT id FROM customers WHERE id IN ($1, $2) ORDER BY id"+
		t.store.nouns.dialect.forKey+") held")
	return t.together(ctx,
		func(ctx context.Context) error { return t.lock(ctx, lockAssignments) },
		func(ctx context.Context) error {
			text := named("records.attached", strings.Join(held, " UNION ALL "))
			_, err := listTexts(ctx, t.conn, text, customerID, besides)
			return err
		})
}

// ChangedFiles returns the keys of the files of records that the entries of the change log after a number name: as they
// are, in the trash, and before the import that is going on.
func (s *Store) ChangedFiles(ctx context.Context, after int64) ([]string, error) {
	return listTexts(ctx, s.primary(), named("files.changed", strings.Join(backoffice.Map(tablesOfFiles,
		func(table string) string { // in this order: the entries are few
			return "SELECT t.file_key FROM changes c CROSS JOIN " + table + " t WHERE c.sequence > $1" +
				" AND t.id = c.object_id AND t.file_key IS NOT NULL"
		}), " UNION ")+" UNION SELECT t.file_key FROM changes c CROSS JOIN trash_files t WHERE c.sequence > $1"+
		" AND t.trash_id = c.object_id UNION SELECT t.file_key FROM changes c CROSS JOIN imported t"+
		" WHERE c.sequence > $1 AND t.import = (SELECT MAX(number) FROM imports WHERE number < c.sequence)"+
		" AND t.id = c.object_id AND t.file_key IS NOT NULL"), after)
}

func listTexts(ctx context.Context, conn Conn, text string, args ...any) (found []string, err error) {
	err = conn.Query(ctx, text, args, func(row *Row) error { found = append(found, row.Text(0)); return nil })
	return found, err
}

func (t *tx) ForgetFiles(ctx context.Context, keys []string) error {
	if len(keys) == 0 || t.importing > 0 { // they may come back
		return nil
	}
	d := t.store.nouns.dialect
	_, err := t.conn.Exec(ctx, "INSERT /*backoffice:forgotten_files.insert*/ INTO forgotten_files (file_key, at)"+
		" SELECT "+d.parentID+", "+d.now+" FROM "+d.parents+
		" WHERE TRUE"+notNamed(d.parentID, "imported", "trash_files")+" ON CONFLICT (file_key) DO NOTHING",
		[]any{d.List(storableAll(backoffice.Unique(keys)))})
	return err
}

func (t *tx) ForgottenWith() []string { return t.forgotten }

// forgetFilesOf finds the customers' records locked.
func (t *tx) forgetFilesOf(ctx context.Context, customerIDs []string) error {
	d := t.store.nouns.dialect
	keys, err := listTexts(ctx, t.conn, "INSERT /*backoffice:forgotten_files.of_customers*/ INTO forgotten_files"+
		" (file_key, at) SELECT f.file_key, "+d.now+" FROM ("+d.filesOfCustomers()+") f"+
		" WHERE TRUE ON CONFLICT (file_key) DO UPDATE SET at = forgotten_files.at RETURNING file_key",
		d.List(customerIDs))
	t.forgotten = append(t.forgotten, keys...)
	return err
}

func (s *Store) ForgottenFiles(ctx context.Context, limit int) ([]string, error) {
	return listTexts(ctx, s.primary(), "SELECT /*backoffice:forgotten_files.list*/ file_key FROM forgotten_files"+
		" ORDER BY file_key LIMIT $1", int64(limit))
}

func (s *Store) FilesRemoved(ctx context.Context, keys []string) error {
	if len(keys) == 0 {
		return nil
	}
	d := s.nouns.dialect
	return s.repeat(ctx, &Statement{Text: "DELETE /*backoffice:forgotten_files.delete*/ FROM forgotten_files" +
		" WHERE " + d.among("file_key"), Args: []any{d.List(storableAll(keys))}})
}

func storableAll(texts []string) []string { return backoffice.Map(texts, storable) }
