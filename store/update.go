package store

import (
	"context"

	"example.org/backoffice/backoffice"
)

func (w *writer[T, C]) Update(ctx context.Context, rows ...*T) error {
	if len(rows) == 0 {
		return nil
	}
	before := attachments{}
	do := []func(context.Context) error{
		func(ctx context.Context) error {
			return w.tx.isInView(ctx, w.table.noun, w.idsOf(rows), w.unknown())
		},
		func(ctx context.Context) error { return w.hold(ctx, rows, before) },
		func(ctx context.Context) error { return w.writeLists(ctx, rows, true) },
		func(ctx context.Context) error { _, err := w.run(ctx, w.writes.update, rows); return err },
	}
	waits := w.waits(rows)
	if waits {
		do = do[:3]
	}
	if err := w.together(ctx, rows, do...); err != nil {
		return err
	}
	w.noteTouched(rows, before)
	if !waits {
		w.noteChanged(rows, before)
		return nil
	}
	return w.writeLater(ctx, w.writes.update, w.writes.updateLast, rows, before,
		func(*writer[T, C]) error { return nil })
}

// hold locks rows to be updated, reads their parents, and rejects those that are missing or have another version than
// the one before the row's.
func (w *writer[T, C]) hold(ctx context.Context, rows []*T, into attachments) error {
	versions := map[string]int{}
	columns := w.table.parentColumnsOf()
	read := into.reads(columns)
	err := w.conn.Query(ctx, w.writes.attached, []any{w.dialect.List(w.idsOf(rows))}, func(row *Row) error {
		if w.table.version != nil {
			versions[row.Text(0)] = int(row.Int(len(columns) + 1))
		}
		return read(row)
	})
	if err != nil {
		return err
	}
	stale := false
	for _, row := range rows {
		id := *w.table.id(row)
		if _, there := into[id]; !there {
			return w.tx.fail(w.unknown())
		}
		stale = stale || w.table.version != nil && versions[id] != *w.table.version(row)
	}
	if stale {
		return w.tx.fail(backoffice.Refuse(&backoffice.UserError{
			Code: backoffice.CodeStaleVersion, Message: "the " + string(w.table.noun) + " was changed since",
			Field: []string{"expectedVersion"}}))
	}
	return nil
}
