package store

import (
	"context"
	"slices"

	"example.org/backoffice/backoffice"
)

// later is a write of rows that waits for the end of the transaction, where the instant is known at which they become
// visible: rows written before that are written twice, with all the entries of their indexes. Nothing can tell that it
// waits: the next statement of any kind is sent after it, and if it fails, the transaction runs again without waiting.
type later struct {
	statements []*Statement // of the rows, then of their lists
	rows       int          // how many are of the rows
	last       string       // their text at the end of the transaction
	shown      []*backoffice.Instant
	now        func() // notes the rows, when they are written before the end
}

// waits reports whether rows can be written later.
func (w *writer[T, C]) waits(rows []*T) bool {
	return w.table.changedAt != nil && !w.tx.eager && !w.tx.dryRun && w.tx.visible.count+len(rows) <= maxBatch
}

// writeLater runs a statement on rows later, and after it what a function does with a writer.
func (w *writer[T, C]) writeLater(ctx context.Context, text, last string, rows []*T,
	before attachments, after func(*writer[T, C]) error) error {
	var kept keeper
	keeping := *w
	keeping.conn = Conn{&kept}
	if _, err := keeping.run(ctx, text, rows); err != nil {
		return err
	}
	w.tx.visible.count += len(rows)
	now := func() { w.tx.visible.count -= len(rows); w.noteChanged(rows, before) }
	l := &later{rows: len(kept.statements), last: last, now: now}
	if err := after(&keeping); err != nil {
		return err
	}
	for _, row := range rows {
		l.shown = append(l.shown, w.table.changedAt(row)...)
	}
	l.statements = kept.statements
	w.tx.later = append(w.tx.later, l)
	return nil
}

// keeper keeps statements instead of sending them.
type keeper struct{ statements []*Statement }

func (k *keeper) Send(_ context.Context, statements ...*Statement) {
	for _, s := range statements {
		s.Args = slices.Clone(s.Args)
	}
	k.statements = append(k.statements, statements...)
}

// sendWaiting sends what waits, which gets its instant like other rows, and then statements, in one round trip.
func (t *tx) sendWaiting(ctx context.Context, statements []*Statement) {
	waiting := t.later
	if waiting == nil {
		t.to.Send(ctx, statements...)
		return
	}
	t.later = nil
	var all []*Statement
	for _, l := range waiting {
		all = append(all, l.statements...)
		l.now()
	}
	for range all {
		backoffice.CountStatement(ctx)
	}
	t.to.Send(ctx, append(all, statements...)...)
	t.noteLate(all)
	if t.failed != nil {
		FailAll(statements, t.failed)
	}
}

// noteLate records that a write that waited has failed.
func (t *tx) noteLate(waited []*Statement) {
	for _, s := range waited {
		if s.Err != nil && t.failed == nil {
			_ = t.fail(s.Err)
			t.late = violationOf(s.Err) != nil
		}
	}
}

// writeWaiting writes what waits at the end of the transaction, with the instant at which it becomes visible.
func (t *tx) writeWaiting(ctx context.Context, waiting []*later, at backoffice.Instant) error {
	for _, l := range waiting {
		for i, s := range l.statements {
			if i < l.rows {
				s.Text, s.Args[len(s.Args)-1] = l.last, at.Milliseconds()
			}
			if err := s.Run(ctx, t.conn.to); err != nil {
				t.noteLate(l.statements)
				return err
			}
		}
		t.visible.shown = append(t.visible.shown, l.shown...)
	}
	return nil
}

// writeWithCommit is writeWaiting in the round trip of the commit, after the transaction's entries in the log.
func (t *tx) writeWithCommit(ctx context.Context, waiting []*later) {
	for _, l := range waiting {
		for _, s := range l.statements[:l.rows] {
			s.Text, s.Args = l.last, s.Args[:len(s.Args)-1] // they read the instant themselves
		}
		t.sendLast(ctx, l.statements...)
	}
}
