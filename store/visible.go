package store

import (
	"context"
	"strings"

	"example.org/backoffice/backoffice"
)

// visibility keeps when the changes of a transaction become visible. Whoever asks for what changed since an instant must
// not miss a row because another transaction, which began later, was seen first. So the instant is taken where the order
// is decided: under the lock of the log's end, never before the one that was taken last. The rows of a small transaction
// get it then. Those of a large one would be written twice, while all other writers wait: they are marked with an
// instant of their own as they are written, and late_writes tells what that one stands for.
type visibility struct {
	mark  backoffice.Instant  // of rows that are written, until the instant is known
	rows  map[string][]string // identifiers by table; none of a large transaction
	count int
	shown []*backoffice.Instant // of the rows' latest change, as they were written
}

// changedTable is a table whose rows are asked for by when they changed.
type changedTable struct{ name, moments string }

// The instants that are shown of a row, as statements set them: none is later than that at which the row became visible.
var changedTables = []changedTable{
	{"customers", earlier("updated_at")},
	{"transcripts", earlier("updated_at") + ", " + earlier("own_updated_at")},
}

func earlier(column string) string {
	return column + " = CASE WHEN " + column + " > $2 THEN $2 ELSE " + column + " END"
}

// changed notes rows that changed for everybody to see.
func (v *visibility) changed(table string, ids []string, shown []*backoffice.Instant) {
	v.count += len(ids)
	if v.isLarge() {
		v.rows, v.shown = nil, nil
		return
	}
	if v.rows == nil {
		v.rows = map[string][]string{}
	}
	v.rows[table] = append(v.rows[table], ids...)
	v.shown = append(v.shown, shown...)
}

func (v *visibility) isLarge() bool { return v.count > maxBatch }

// noteChanged notes rows that were written: each of them changed visibly.
func (w *writer[T, C]) noteChanged(rows []*T) {
	if w.table.changedAt == nil {
		return
	}
	var shown []*backoffice.Instant
	for _, row := range rows {
		shown = append(shown, w.table.changedAt(row)...)
	}
	w.tx.visible.changed(w.table.name, w.idsOf(rows), shown)
}

// end is the end of the change log, which belongs to the transaction from here on.
type end struct {
	last int64              // the number of the last entry
	at   backoffice.Instant // when what the transaction changes becomes visible
}

func (t *tx) endOfLog(ctx context.Context) (e end, err error) {
	if err := t.lock(ctx, lockChanges); err != nil {
		return e, err
	}
	text := "SELECT COALESCE((SELECT MAX(sequence) FROM changes), 0)," +
		" COALESCE((SELECT c.visible_at FROM changes c WHERE c.sequence = (SELECT MAX(sequence) FROM changes)), 0), " + t.store.nouns.dialect.now
	err = t.conn.Query(ctx, text, nil, func(row *Row) error {
		e.last, e.at = row.Int(0), backoffice.Instant(max(row.Int(1), row.Int(2)))
		return nil
	})
	if t.visible.isLarge() { // what such a transaction wrote shows instants up to its mark
		e.at = max(e.at, t.visible.mark)
	}
	return e, err
}

// show gives the rows that changed the instant at which they become visible.
func (t *tx) show(ctx context.Context, at backoffice.Instant) error {
	v := &t.visible
	if v.isLarge() {
		const late = "INSERT INTO late_writes (written_at, visible_at) VALUES ($1, $2) ON CONFLICT (written_at) DO UPDATE SET visible_at = excluded.visible_at"
		_, err := t.conn.Exec(ctx, late, []any{int64(v.mark), int64(at)})
		return err
	}
	d := t.store.nouns.dialect
	for _, table := range changedTables {
		ids := unique(v.rows[table.name])
		if ids == nil {
			continue
		}
		text := "UPDATE " + table.name + " SET visible_at = $2, " + table.moments + " WHERE id " + strings.ReplaceAll(d.in, "?", "$1")
		if _, err := t.conn.Exec(ctx, text, []any{d.List(ids), int64(at)}); err != nil {
			return err
		}
	}
	for _, shown := range v.shown {
		*shown = min(*shown, at)
	}
	return nil
}

// changedSince picks rows that changed, for everybody to see, at an instant or later.
func changedSince[C any](of func(C) backoffice.Instant) criterion[C] {
	return criterion[C]{
		when: func(c C) bool { return of(c) != 0 },
		text: func(d *Dialect) string {
			return "t.visible_at >= " + d.visibleFrom + " AND (t.visible_at >= ? OR t.visible_at IN (SELECT l.written_at FROM late_writes l WHERE l.visible_at >= ?))"
		},
		args: func(c C, d *Dialect, args []any) []any {
			for range 2 + strings.Count(d.visibleFrom, "?") {
				args = append(args, int64(of(c)))
			}
			return args
		},
	}
}
