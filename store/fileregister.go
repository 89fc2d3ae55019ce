package store

import (
	"context"
	"crypto/rand"
	"strings"
	"time"

	"example.org/backoffice/backoffice"
)

func (s *Store) Fingerprint(ctx context.Context) (string, error) {
	return s.keptFingerprint(ctx, "identity", rand.Text())
}

func firstText(ctx context.Context, conn Conn, text string, args ...any) (found string, err error) {
	err = conn.Query(ctx, text, args, func(row *Row) error { found = row.Text(0); return nil })
	return found, err
}

func (s *Store) BeginUpload(ctx context.Context, upload string, lease time.Duration) error {
	return s.repeat(ctx, s.nouns.dialect.beginUpload("", upload, lease))
}

// beginUpload registers an upload for each row that from selects: one, when it is empty.
func (d *Dialect) beginUpload(from, upload string, lease time.Duration, args ...any) *Statement {
	return &Statement{
		Text: "INSERT /*backoffice:uploads.begin*/ INTO uploads (id, until) SELECT $1, " + d.now + " + $2" + from +
			" WHERE TRUE ON CONFLICT (id) DO UPDATE SET until = excluded.until",
		Args: append([]any{upload, lease.Milliseconds()}, args...),
	}
}

func (s *Store) RenewUpload(ctx context.Context, upload string, lease time.Duration) error {
	return s.repeat(ctx, &Statement{Text: "UPDATE /*backoffice:uploads.renew*/ uploads SET until = " +
		s.nouns.dialect.now + " + $2 WHERE id = $1", Args: []any{upload, lease.Milliseconds()}})
}

const endUpload = "DELETE /*backoffice:uploads.end*/ FROM uploads WHERE id = $1"

func (s *Store) EndUpload(ctx context.Context, upload string) (held bool, err error) {
	n, err := s.execLast(ctx, endUpload, upload)
	return n == 1, err
}

func (t *tx) CommitUpload(ctx context.Context, upload string) error {
	n, err := t.conn.Exec(ctx, endUpload, []any{upload})
	if err == nil && n != 1 {
		err = t.fail(backoffice.Errorf(backoffice.Unavailable,
			"writing the files took too long and was abandoned; nothing was changed, try again"))
	}
	return err
}

// execLast runs the last statement of work whose caller may be gone. What it ends would end by itself, so it waits for
// other writers for seconds only.
func (s *Store) execLast(ctx context.Context, text string, args ...any) (n int64, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return s.execAlone(ctx, text, args...)
}

func (s *Store) execAlone(ctx context.Context, text string, args ...any) (n int64, err error) {
	err = s.write(ctx, func(ctx context.Context, tx *tx) error {
		n, err = tx.conn.Exec(ctx, text, args)
		return err
	})
	return n, err
}

// among is the condition that a column is one of the texts in $1.
func (d *Dialect) among(column string) string {
	return column + " " + strings.ReplaceAll(d.in, "?", "$1")
}

// KnownFiles implements backoffice.FileRegister. It asks the primary: a replica may not know a file yet.
func (s *Store) KnownFiles(ctx context.Context, keys []string) (map[string]bool, error) {
	return s.nouns.dialect.knownFiles(ctx, s.primary(), keys)
}

func (d *Dialect) knownFiles(ctx context.Context, conn Conn, keys []string) (map[string]bool, error) {
	known := make(map[string]bool, len(keys))
	if len(keys) == 0 {
		return known, nil
	}
	text := named("files.known", strings.Join(backoffice.Map(namingFiles, func(table string) string {
		return "SELECT file_key FROM " + table + " WHERE " + d.among("file_key")
	}), " UNION ALL "))
	found, err := listTexts(ctx, conn, text, d.List(storableAll(keys)))
	for _, key := range found {
		known[key] = true
	}
	return known, err
}

func (s *Store) NamesFiles(ctx context.Context) (bool, error) {
	for _, table := range namingFiles {
		key, err := firstText(ctx, s.primary(), "SELECT /*backoffice:files.any*/ file_key FROM "+table+
			" WHERE file_key IS NOT NULL ORDER BY file_key LIMIT 1")
		if err != nil || key != "" {
			return key != "", err
		}
	}
	return false, nil
}

func (s *Store) OrphanFiles(ctx context.Context, keys []string) ([]string, error) {
	return s.nouns.dialect.orphans(ctx, s.primary(), keys)
}

// orphans reads uploads before records, so that an upload committed in between is seen in one of them.
func (d *Dialect) orphans(ctx context.Context, conn Conn, keys []string) ([]string, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	live := map[string]bool{}
	held, err := listTexts(ctx, conn, "SELECT /*backoffice:uploads.live*/ id FROM uploads"+
		" WHERE "+d.among("id")+" AND until >= "+d.now, d.List(uploadsOf(keys)))
	if err != nil {
		return nil, err
	}
	for _, upload := range held {
		live[upload] = true
	}
	known, err := d.knownFiles(ctx, conn, keys)
	if err != nil {
		return nil, err
	}
	released, err := listTexts(ctx, conn, "SELECT /*backoffice:quarantined_files.released*/ file_key"+
		" FROM quarantined_files WHERE released AND at >= "+d.now+" - $2 AND "+d.among("file_key"),
		d.List(storableAll(keys)), backoffice.QuarantinePeriod.Milliseconds())
	if err != nil {
		return nil, err
	}
	for _, key := range released {
		known[key] = true
	}
	var orphans []string
	for _, key := range keys {
		if !known[key] && !live[backoffice.UploadOf(key)] {
			orphans = append(orphans, key)
		}
	}
	return orphans, nil
}

func uploadsOf(keys []string) []string {
	return backoffice.Unique(backoffice.Map(keys, backoffice.UploadOf))
}

// QuarantineFiles implements backoffice.FileRegister. Committing an upload and giving it up both delete its row: one of
// them comes first, and the other sees it.
func (s *Store) QuarantineFiles(ctx context.Context, keys []string) (orphans []string, err error) {
	if len(keys) == 0 {
		return nil, nil
	}
	d := s.nouns.dialect
	err = s.write(ctx, func(ctx context.Context, tx *tx) error {
		if _, err := tx.conn.Exec(ctx, "DELETE /*backoffice:uploads.give_up*/ FROM uploads"+
			" WHERE "+d.among("id")+" AND until < "+d.now, []any{d.List(uploadsOf(keys))}); err != nil {
			return err
		}
		if orphans, err = d.orphans(ctx, tx.conn, keys); err != nil || len(orphans) == 0 {
			return err
		}
		return d.note(ctx, tx.conn, orphans, "FALSE", "UPDATE SET released = FALSE, at = excluded.at")
	})
	return orphans, err
}

func (d *Dialect) note(ctx context.Context, conn Conn, keys []string, released, onConflict string) error {
	_, err := conn.Exec(ctx, "INSERT /*backoffice:quarantined_files.note*/ INTO quarantined_files"+
		" (file_key, at, released) SELECT "+d.parentID+", "+d.now+", "+released+
		" FROM "+d.parents+" WHERE TRUE ON CONFLICT (file_key) DO "+onConflict,
		[]any{d.List(storableAll(backoffice.Unique(keys)))})
	return err
}

func (s *Store) QuarantinedFiles(ctx context.Context, keys []string) (map[string]backoffice.Instant, error) {
	since := map[string]backoffice.Instant{}
	if len(keys) == 0 {
		return since, nil
	}
	d := s.nouns.dialect
	err := s.primary().Query(ctx, "SELECT /*backoffice:quarantined_files.list*/ file_key, at FROM quarantined_files"+
		" WHERE NOT released AND "+d.among("file_key"), []any{d.List(storableAll(keys))},
		func(row *Row) error { since[row.Text(0)] = row.Instant(1); return nil })
	return since, err
}

func (s *Store) DueFiles(ctx context.Context, keys []string, period time.Duration) (due []string, err error) {
	if len(keys) == 0 {
		return nil, nil
	}
	if settled, err := s.settled(ctx); !settled {
		return nil, err
	}
	d := s.nouns.dialect
	overdue := " WHERE " + d.among("file_key") + " AND at < " + d.now + " - $2"
	err = s.write(ctx, func(ctx context.Context, tx *tx) error {
		if err := d.note(ctx, tx.conn, keys, "FALSE", "UPDATE SET released = FALSE"); err != nil {
			return err
		}
		due, err = listTexts(ctx, tx.conn, "SELECT /*backoffice:quarantined_files.due*/ file_key"+
			" FROM quarantined_files"+overdue, d.List(storableAll(keys)), period.Milliseconds())
		if err != nil {
			return err
		}
		if _, err := tx.conn.Exec(ctx, "DELETE /*backoffice:quarantined_files.delete*/ FROM quarantined_files"+overdue,
			[]any{d.List(storableAll(due)), period.Milliseconds()}); err != nil {
			return err
		}
		_, err := tx.conn.Exec(ctx, "DELETE /*backoffice:quarantined_files.delete_released*/ FROM quarantined_files"+
			" WHERE released AND at < "+d.now+" - $1", []any{period.Milliseconds()})
		return err
	})
	return due, err
}

func (s *Store) ReleaseFiles(ctx context.Context, keys []string) error {
	if len(keys) == 0 {
		return nil
	}
	d := s.nouns.dialect
	return s.write(ctx, func(ctx context.Context, tx *tx) error {
		return d.note(ctx, tx.conn, keys, "TRUE", "UPDATE SET released = TRUE, at = excluded.at")
	})
}
