package store

import (
	"context"
	"strings"

	"example.org/backoffice/backoffice"
)

// LogChanges implements backoffice.Tx. The entries are kept until the transaction is about to commit: writers of the log
// wait for each other from there on, and so for as short a time as can be. Where there is one writer nobody waits, and a
// large import need not keep its entries in memory.
func (t *tx) LogChanges(ctx context.Context, changes ...*backoffice.Change) error {
	if t.failed != nil {
		return t.failed
	}
	t.changes = append(t.changes, changes...)
	if t.store.engine.Dialect().lock == "" && len(t.changes) >= maxBatch {
		return t.appendChanges(ctx)
	}
	return nil
}

// appendChanges writes the entries behind the last one. Whoever reads number n has seen all before it: the next writer
// gets the lock only when this transaction has ended, and takes its first number then.
func (t *tx) appendChanges(ctx context.Context) error {
	if len(t.changes) == 0 {
		return nil
	}
	if err := t.lock(ctx, lockChanges); err != nil {
		return err
	}
	var last int64
	err := t.conn.Query(ctx, "SELECT MAX(sequence) FROM changes", nil, func(row *Row) error { last = row.Int(0); return nil })
	if err != nil {
		return err
	}
	for i, change := range t.changes {
		change.Sequence = last + int64(i) + 1
	}
	changes := t.changes
	t.changes = nil
	return insertChanges(ctx, t.conn, t.store.nouns.dialect, changes)
}

// changeColumns describe a change as a noun's columns do, so that many are written by one statement.
var changeTable = &table[backoffice.Change, struct{}]{
	name: "changes",
	columns: []column[backoffice.Change]{
		number("sequence", "", func(c *backoffice.Change) *int64 { return &c.Sequence }),
		number("at", "", func(c *backoffice.Change) *backoffice.Instant { return &c.At }),
		text("client_id", "", func(c *backoffice.Change) *string { return &c.ClientID }),
		text("action", "", func(c *backoffice.Change) *string { return &c.Action }),
		text("noun", "", func(c *backoffice.Change) *backoffice.Noun { return &c.Noun }),
		text("object_id", "", func(c *backoffice.Change) *string { return &c.ObjectID }),
		words("fields", "", func(c *backoffice.Change) *[]string { return &c.Fields }).orNull(),
	},
}

func insertChanges(ctx context.Context, conn Conn, d *Dialect, changes []*backoffice.Change) error {
	text := writeTextsOf(changeTable, d).insert
	for len(changes) > 0 {
		batch := changes[:1]
		if d.bulk {
			batch = changes[:min(len(changes), maxBatch)]
		}
		changes = changes[len(batch):]
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

// Changes implements backoffice.ChangeStore.
func (s *Store) Changes(ctx context.Context, after int64, limit int) ([]*backoffice.Change, error) {
	var names []string
	for i := range changeTable.columns {
		names = append(names, changeTable.columns[i].name)
	}
	text := "SELECT " + strings.Join(names, ", ") + " FROM changes WHERE sequence > $1 ORDER BY sequence LIMIT $2"
	var changes []*backoffice.Change
	err := s.primary().Query(ctx, text, []any{after, int64(limit)}, func(row *Row) error {
		change := &backoffice.Change{}
		for i := range changeTable.columns {
			changeTable.columns[i].read(change, row, i)
		}
		changes = append(changes, change)
		return nil
	})
	return changes, err
}
