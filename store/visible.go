package store

import (
	"context"
	"strings"

	"example.org/backoffice/backoffice"
)

// visibility keeps when the changes of a transaction become visible. A client that asks for the changes since an
// instant must not miss a row because another transaction, which began later, was seen first. So the instant is taken
// where the order is decided: under the lock of the log's end, never before the last one taken. The rows of a small
// transaction get it then. The rows of a large one would be written twice while all other writers wait: they are marked
// with a provisional instant as they are written, and late_writes maps it to the real one.
type visibility struct {
	mark  backoffice.Instant       // of written rows, until the instant is known
	rows  map[changedRows][]string // identifiers; none of a large transaction
	count int
	shown []*backoffice.Instant // of the rows' latest change, as they were written
}

type changedRows struct {
	table  string
	hidden bool // not visible to everybody
}

// changeText sets the timestamps of rows to when their change became visible. No timestamp shown of a row is later.
type changeText struct {
	of   changedRows
	sets string // $2 is the instant
}

var changeTexts = []changeText{
	{changedRows{table: "customers"}, "visible_at = $2, open_visible_at = $2, " + earlier("updated_at") + ", " +
		earlier("open_updated_at")},
	{changedRows{table: "customers", hidden: true}, "visible_at = $2, " + earlier("updated_at")},
	{changedRows{table: "transcripts"}, "visible_at = $2, " + earlier("updated_at") + ", " + earlier("own_updated_at")},
}

// text is the statement for the rows of $1. from is the source of the instant e.at, "" when it is the argument $2.
func (c *changeText) text(d *Dialect, from string) string {
	sets := c.sets
	if from != "" {
		sets = strings.ReplaceAll(sets, "$2", "e.at")
	}
	return "UPDATE " + naming(c.of.table, "show") + c.of.table + " SET " + sets + from + " WHERE " + d.among("id")
}

// lastInstant is the instant of the entries that a transaction has just appended to the log.
const lastInstant = " FROM (SELECT c.visible_at AS at FROM changes c ORDER BY c.sequence DESC LIMIT 1) e"

// hiddenChanges are a noun's changes that not everybody sees: they set visible_at of a row, but not open_visible_at.
type hiddenChanges[T any] struct {
	is    func(*T) bool // of the latest change of a record
	wrote string        // the same of the written row v
}

// openVisibleAt is the value that a marking statement writes there.
func (h *hiddenChanges[T]) openVisibleAt(table, mark string) string {
	return "CASE WHEN " + h.wrote + " THEN COALESCE((SELECT o.open_visible_at FROM " + table +
		" o WHERE o.id = v.id), " + mark + ") ELSE " + mark + " END"
}

func earlier(column string) string {
	return column + " = CASE WHEN " + column + " > $2 THEN $2 ELSE " + column + " END"
}

func (v *visibility) changed(of changedRows, ids []string, shown []*backoffice.Instant) {
	v.count += len(ids)
	if v.isLarge() {
		v.rows, v.shown = nil, nil
		return
	}
	if v.rows == nil {
		v.rows = map[changedRows][]string{}
	}
	v.rows[of] = append(v.rows[of], ids...)
	v.shown = append(v.shown, shown...)
}

// changedIDs are the rows for each of changeTexts, nil for none.
func (v *visibility) changedIDs() [][]string {
	return backoffice.Map(changeTexts, func(c changeText) []string { return backoffice.Unique(v.rows[c.of]) })
}

func (v *visibility) isLarge() bool { return v.count > maxBatch }

// noteChanged records that rows were written; before has those that existed. A new one becomes visible to everybody,
// even if the latest change of a restored record is hidden.
func (w *writer[T, C]) noteChanged(rows []*T, before attachments) {
	if w.table.changedAt == nil {
		return
	}
	for _, hidden := range []bool{false, true} {
		var ids []string
		var shown []*backoffice.Instant
		for _, row := range rows {
			id := *w.table.id(row)
			_, existed := before[id]
			if hidden == (existed && w.table.hidden != nil && w.table.hidden.is(row)) {
				ids, shown = append(ids, id), append(shown, w.table.changedAt(row)...)
			}
		}
		w.tx.visible.changed(changedRows{w.table.name, hidden}, ids, shown)
	}
}

// end is the end of the change log, locked by the transaction.
type end struct {
	last int64              // the number of the last entry
	at   backoffice.Instant // when the transaction's changes become visible
}

func (t *tx) endOfLog(ctx context.Context) (e end, err error) {
	if err := t.lock(ctx, lockChanges); err != nil {
		return e, err
	}
	err = t.conn.Query(ctx, endOfLogText(t.store.nouns.dialect), nil, func(row *Row) error {
		e.last, e.at = row.Int(0), backoffice.InstantAt(max(row.Int(1), row.Int(2)))
		return nil
	})
	// The rows of a large transaction show instants up to its mark.
	if t.visible.isLarge() {
		e.at = max(e.at, t.visible.mark)
	}
	return e, err
}

// endOfLogText reads the number of the last entry, its instant, and the store's clock.
func endOfLogText(d *Dialect) string {
	const last = "(SELECT MAX(sequence) FROM changes)"
	return "SELECT /*backoffice:changes.end*/ COALESCE(" + last + ", 0)," +
		" COALESCE((SELECT c.visible_at FROM changes c WHERE c.sequence = " + last + "), 0), " + d.now
}

func (t *tx) show(ctx context.Context, at backoffice.Instant) error {
	v := &t.visible
	if v.isLarge() {
		const late = "INSERT /*backoffice:late_writes.insert*/ INTO late_writes (written_at, visible_at)" +
			" VALUES ($1, $2) ON CONFLICT (written_at) DO UPDATE SET visible_at = excluded.visible_at"
		_, err := t.conn.Exec(ctx, late, []any{v.mark.Milliseconds(), at.Milliseconds()})
		return err
	}
	d := t.store.nouns.dialect
	for i, ids := range v.changedIDs() {
		if ids == nil {
			continue
		}
		if _, err := t.conn.Exec(ctx, changeTexts[i].text(d, ""), []any{d.List(ids), at.Milliseconds()}); err != nil {
			return err
		}
	}
	for _, shown := range v.shown {
		*shown = min(*shown, at)
	}
	return nil
}

// changedSince picks rows whose change became visible, by the columns for it, at an instant or later. The first column
// has an index; each other is never later.
func changedSince[C any](of func(C) backoffice.Instant, columns ...string) criterion[C] {
	return criterion[C]{
		when: func(c C) bool { return of(c) != 0 },
		text: func(d *Dialect) string {
			return strings.Join(backoffice.Map(columns, func(column string) string {
				column = "t." + column
				return column + " >= " + d.visibleFrom + " AND (" + column + " >= ? OR " + column +
					" IN (SELECT l.written_at FROM late_writes l WHERE l.visible_at >= ?))"
			}), " AND ")
		},
		args: func(c C, d *Dialect, args []any) []any {
			for range len(columns) * (2 + strings.Count(d.visibleFrom, "?")) {
				args = append(args, of(c).Milliseconds())
			}
			return args
		},
	}
}
