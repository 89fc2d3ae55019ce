package store

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"example.org/backoffice/backoffice"
)

// LogChanges implements backoffice.Tx. The entries are kept until just before the commit: from there on writers of the
// log wait for each other, so that wait is as short as possible. Large imports need not keep them in memory: with a
// single writer nobody waits, and otherwise they are copied to a temporary table.
func (t *tx) LogChanges(ctx context.Context, changes ...*backoffice.Change) error {
	if t.failed != nil {
		return t.failed
	}
	if session := backoffice.SessionOf(ctx); session != nil && session.Person != nil {
		for _, change := range changes {
			if change.ClientID == session.ClientID {
				change.Issuer, change.Subject = session.Person.Issuer, session.Person.Subject
			}
		}
	}
	t.changes, t.acts = append(t.changes, changes...), true
	switch {
	case t.store.engine.Dialect().lock == "" && len(t.changes) >= maxBatch:
		t.complete()
		end, err := t.endOfLog(ctx)
		if err != nil {
			return err
		}
		if t.early == 0 {
			t.early = end.last + 1
		}
		return t.appendChanges(ctx, end)
	case t.copier != nil && len(t.changes) >= changesAside:
		t.complete()
		return t.putChangesAside(ctx)
	}
	return nil
}

const changesAside = 10 * maxBatch

// putChangesAside copies the entries to a temporary table, numbered from 1.
func (t *tx) putChangesAside(ctx context.Context) error {
	texts := &t.store.nouns.changesAside
	if t.aside == 0 {
		for _, text := range []string{texts.create, "ALTER /*backoffice:changes.key_aside*/ TABLE " + texts.table +
			" ADD PRIMARY KEY (sequence)"} {
			if _, err := t.conn.Exec(ctx, text, nil); err != nil {
				return err
			}
		}
	}
	values := make([]any, len(changeTable.columns))
	err := t.copier.Copy(ctx, texts.table, texts.columns, len(t.changes), func(i int) []any {
		change := *t.changes[i] // its own sequence number is not known yet
		change.Sequence = t.aside + int64(i) + 1
		for c := range changeTable.columns {
			values[c] = changeTable.columns[c].value(&change)
		}
		return values
	})
	backoffice.CountStatement(ctx)
	t.aside += int64(len(t.changes))
	clear(t.changes)
	t.changes = t.changes[:0]
	if err != nil {
		return t.fail(backoffice.Fault(err, "appending to the change log"))
	}
	return nil
}

// finish writes the transaction's entries at the end of the change log.
func (t *tx) finish(ctx context.Context) error {
	t.complete()
	if act := backoffice.ActOf(ctx); act != nil && t.acts {
		t.changes, t.noted = append(t.changes, act.Entry(t.changes)), act
	}
	if len(t.changes) == 0 && t.aside == 0 && t.visible.count == 0 && t.author == nil {
		return nil
	}
	if t.batchConn != nil && t.aside == 0 && len(t.changes) > 0 && len(t.changes) <= maxBatch && !t.visible.isLarge() {
		t.finishWithCommit(ctx)
		return nil
	}
	var waiting []*later
	if t.batchConn == nil && !t.visible.isLarge() {
		waiting, t.later = t.later, nil
	}
	end, err := t.endOfLog(ctx)
	if err != nil {
		return err
	}
	if err := t.appendChanges(ctx, end); err != nil {
		return err
	}
	if t.early > 0 {
		if _, err := t.conn.Exec(ctx, "UPDATE /*backoffice:changes.visible*/ changes SET visible_at = $1"+
			" WHERE sequence >= $2", []any{end.at.Milliseconds(), t.early}); err != nil {
			return t.fail(backoffice.Fault(err, "appending to the change log"))
		}
	}
	if err := t.writeWaiting(ctx, waiting, end.at); err != nil {
		return err
	}
	if _, err := t.conn.Exec(ctx, endOfMoves, nil); err != nil {
		return t.fail(backoffice.Fault(err, "recording moved records"))
	}
	return t.show(ctx, end.at)
}

// endOfMoves makes a trigger record how the transaction changed which customers are visible to whom.
const endOfMoves = "UPDATE /*backoffice:view_turns.end*/ view_turns SET sequence = (SELECT MAX(m.sequence)" +
	" FROM changes m) WHERE EXISTS (SELECT 1 FROM view_pending)"

// finishWithCommit is finish in the round trip of the commit, so that others wait for the end of the log only as long
// as the statements take: the sequence numbers and the timestamp are computed in the database.
func (t *tx) finishWithCommit(ctx context.Context) {
	n, d := t.store.nouns, t.store.nouns.dialect
	for i, change := range t.changes {
		change.Sequence = int64(i) + 1
	}
	args := backoffice.Map(changeTable.columns, func(c column[backoffice.Change]) any { return c.values(t.changes) })
	changes, shown := t.changes, t.visible.shown
	for _, l := range t.later {
		shown = append(shown, l.shown...)
	}
	appended := func(row *Row) error {
		change, at := changes[0], row.Instant(1)
		change.Sequence, change.VisibleAt = row.Int(0), at
		if changes = changes[1:]; len(changes) == 0 {
			for _, shown := range shown {
				*shown = min(*shown, at)
			}
		}
		return nil
	}
	t.sendLast(ctx, &Statement{Text: d.lock, Args: []any{lockChanges}},
		&Statement{Text: n.changesAtEnd, Args: args, Each: appended})
	t.writeWithCommit(ctx, t.later)
	t.later = nil
	t.sendLast(ctx, &Statement{Text: endOfMoves})
	for i, ids := range t.visible.changedIDs() {
		if ids != nil {
			t.sendLast(ctx, &Statement{Text: changeTexts[i].text(d, lastInstant), Args: []any{d.List(ids)}})
		}
	}
	t.changes = nil
}

// changesAtEndOf is the statement that appends entries, which are numbered from 1, to the log.
func changesAtEndOf(d *Dialect) string {
	if !d.bulk {
		return ""
	}
	insert := unnamed(writeTextsOf(changeTable, d).insert)
	insert = strings.Replace(insert, "SELECT v.sequence,", "SELECT e.last + v.sequence,", 1)
	insert = strings.Replace(insert, "v.visible_at", "e.at", 1)
	return "WITH /*backoffice:changes.append*/ e AS MATERIALIZED (SELECT o.last, GREATEST(o.at, o.now) AS at FROM (" +
		unnamed(endOfLogText(d)) + ") o(last, at, now)) " + insert +
		", e ORDER BY v.sequence RETURNING sequence, visible_at"
}

// appendChanges appends the entries to the log. A reader of entry n has seen all entries before it: the next writer
// gets the lock only when this transaction has ended, and only then takes its first number.
func (t *tx) appendChanges(ctx context.Context, end end) error {
	for from := int64(0); from < t.aside; from += changesAside {
		if _, err := t.conn.Exec(ctx, t.store.nouns.changesAside.upsert,
			[]any{end.last, from, from + changesAside, end.at.Milliseconds()}); err != nil {
			return t.fail(backoffice.Fault(err, "appending to the change log"))
		}
	}
	for i, change := range t.changes {
		change.Sequence, change.VisibleAt = end.last+t.aside+int64(i)+1, end.at
	}
	changes := t.changes
	t.changes, t.aside = nil, 0
	return insertChanges(ctx, t.conn, t.store.nouns.dialect, changes)
}

// changesAsideOf returns the statements that copy entries; upsert moves a range of them to the log.
func changesAsideOf(d *Dialect) copyTexts {
	insert := writeTextsOf(changeTable, d).insert
	texts := copyTextsOf(changeTable, d, named("changes.copied", unnamed(insert)))
	texts.upsert = strings.Replace(texts.upsert, "SELECT v.sequence,", "SELECT v.sequence + $1,", 1)
	texts.upsert = strings.Replace(texts.upsert, "v.visible_at", "$4::bigint", 1) +
		" WHERE v.sequence > $2 AND v.sequence <= $3"
	return texts
}

// changeColumns describe a change like the columns of a noun, so that one statement writes many.
var changeTable = &table[backoffice.Change, struct{}]{
	name: "changes",
	columns: []column[backoffice.Change]{
		number("sequence", "", func(c *backoffice.Change) *int64 { return &c.Sequence }),
		instant("at", "", func(c *backoffice.Change) *backoffice.Instant { return &c.At }),
		text("client_id", "", func(c *backoffice.Change) *string { return &c.ClientID }),
		text("action", "", func(c *backoffice.Change) *string { return &c.Action }),
		text("noun", "", func(c *backoffice.Change) *backoffice.Noun { return &c.Noun }),
		text("object_id", "", func(c *backoffice.Change) *string { return &c.ObjectID }),
		words("fields", "", func(c *backoffice.Change) *[]string { return &c.Fields }).orNull(),
		instant("visible_at", "", func(c *backoffice.Change) *backoffice.Instant { return &c.VisibleAt }),
		text("done", "", func(c *backoffice.Change) *backoffice.ChangeAction { return &c.Done }).orNull(),
		valued("parents", "", "text[]", func(c *backoffice.Change, r *Row, i int) { // with the next column
			c.Parents = parentsFrom(r.Text(i), r.Text(i+1))
		}, func(c *backoffice.Change) string {
			ids := backoffice.Map(c.Parents, func(p backoffice.ChangeParent) string { return p.ID })
			return strings.Join(ids, " ")
		}).orNull(),
		valued("parent_nouns", "", "text[]", func(*backoffice.Change, *Row, int) {}, func(c *backoffice.Change) string {
			letters := backoffice.Map(c.Parents, func(p backoffice.ChangeParent) byte { return letterOf(p.Noun) })
			return string(letters)
		}).orNull(),
		text("issuer", "", func(c *backoffice.Change) *string { return &c.Issuer }).orNull(),
		text("subject", "", func(c *backoffice.Change) *string { return &c.Subject }).orNull(),
		text("operator", "", func(c *backoffice.Change) *string { return &c.Operator }).orNull(),
	},
}

func insertChanges(ctx context.Context, conn Conn, d *Dialect, changes []*backoffice.Change) error {
	text := writeTextsOf(changeTable, d).insert
	size := 1
	if d.bulk {
		size = maxBatch
	}
	for batch := range slices.Chunk(changes, size) {
		var args []any
		for i := range changeTable.columns {
			if d.bulk {
				args = append(args, changeTable.columns[i].values(batch))
			} else {
				args = append(args, changeTable.columns[i].value(batch[0]))
			}
		}
		if _, err := conn.Exec(ctx, text, args); err != nil {
			return backoffice.Fault(err, "appending to the change log")
		}
	}
	return nil
}

// newestChanges reads the entries from a sequence number on, newest first, with the fields that pollers need; always
// the newest. The limit is part of the text: if it is bound, SQLite prepares the statement anew each time.
const newestChanges = "SELECT /*backoffice:changes.newest*/ c.sequence, c.at, c.client_id, c.noun, c.object_id," +
	" c.visible_at, c.done, c.parents FROM changes c" +
	" WHERE c.sequence >= (SELECT CASE WHEN MAX(m.sequence) < $1 THEN MAX(m.sequence) ELSE $1 END FROM changes m)" +
	" ORDER BY c.sequence DESC LIMIT "

func eachNewest(each func(*backoffice.Change)) func(*Row) error {
	return func(row *Row) error {
		each(&backoffice.Change{
			Sequence: row.Int(0), At: row.Instant(1), ClientID: row.Text(2), Noun: backoffice.Noun(row.Text(3)),
			ObjectID: row.Text(4), VisibleAt: row.Instant(5), Done: backoffice.ChangeAction(row.Text(6)),
			Parents: parentsFrom(row.Text(7), ""),
		})
		return nil
	}
}

// NewestChanges queues a read of the change log from a sequence number on: at most limit entries, newest first, and
// always the newest. It reads the batch's snapshot, on the server that answers it. Action and Fields are not set.
func (s *Store) NewestChanges(b *backoffice.Batch, from int64, limit int, each func(*backoffice.Change)) *Query {
	q := queryOf(newestChanges+strconv.Itoa(limit), []any{from}, eachNewest(each))
	q.uncounted = true
	b.Queue(q)
	return q
}

// ChangedNouns returns the nouns of the entries after a number, and "" when an entry lacks what was done.
func (s *Store) ChangedNouns(ctx context.Context, after int64) (nouns []backoffice.Noun, err error) {
	const text = "SELECT /*backoffice:changes.nouns*/ DISTINCT CASE WHEN c.done IS NULL OR c.done = $2 THEN ''" +
		" ELSE c.noun END FROM changes c WHERE c.sequence > $1"
	err = s.primary().Query(ctx, text, []any{after, string(backoffice.Unknown)},
		func(row *Row) error { nouns = append(nouns, backoffice.Noun(row.Text(0))); return nil })
	return nouns, err
}

func (s *Store) Changes(ctx context.Context, after int64, limit int) ([]*backoffice.Change, error) {
	return s.listChanges(ctx, "changes.list", "", after, limit)
}

func (s *Store) Administration(ctx context.Context, after int64, limit int) ([]*backoffice.Change, error) {
	return s.listChanges(ctx, "changes.administration", "("+kindOfEntry+") = '"+string(backoffice.NounAdministration)+
		"' AND ", after, limit)
}

func (s *Store) listChanges(ctx context.Context, name, condition string, after int64,
	limit int) (changes []*backoffice.Change, err error) {
	names := backoffice.Map(changeTable.columns, func(c column[backoffice.Change]) string { return c.name })
	text := named(name, "SELECT "+strings.Join(names, ", ")+", (SELECT history FROM change_horizon) FROM changes"+
		" WHERE "+condition+"sequence > $1 AND sequence > (SELECT removed FROM change_horizon)"+
		" ORDER BY sequence LIMIT $2")
	err = s.primary().Query(ctx, text, []any{after, int64(limit)}, func(row *Row) error {
		change := &backoffice.Change{History: row.Text(len(names))}
		for i := range changeTable.columns {
			changeTable.columns[i].read(change, row, i)
		}
		changes = append(changes, change)
		return nil
	})
	return changes, err
}

// LastEntry reads the number of the change log's last entry, also of a removed one, and when it became visible.
const LastEntry = "SELECT /*backoffice:changes.last*/ COALESCE((SELECT MAX(c.sequence) FROM changes c), h.removed)," +
	" COALESCE((SELECT c.visible_at FROM changes c ORDER BY c.sequence DESC LIMIT 1), 0) FROM change_horizon h"
