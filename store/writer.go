package store

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"example.org/backoffice/backoffice"
)

type writeTexts struct {
	insert, upsert, update, delete string
	insertLast, updateLast         string // at the end of a transaction, where the instant is known; see later
	copied                         copyTexts
	attached                       string // reads the parents and next versions of records to be written
	going                          string // the same of records to be deleted
}

// writeTextsOf makes the statements on a table v of records: of arrays, for any number of them, or of a single row.
func writeTextsOf[T any, C comparable](t *table[T, C], d *Dialect) (w writeTexts) {
	mark := t.markOf(d)
	w.insert, w.upsert, w.update = t.writing(t.source(d), mark)
	w.copied = copyTextsOf(t, d, named(t.name+".copied", strings.ReplaceAll(unnamed(w.upsert), mark, "$1::bigint")))
	if t.changedAt != nil {
		w.insertLast, _, w.updateLast = t.writing(t.sourceLast(d), cmp.Or(d.lastMark, mark))
	}
	w.attached = t.attachmentsText("attached", "t.id "+d.in, d.keep)
	w.going = t.attachmentsText("going", "t.id "+d.in, d.forKey)
	w.delete = "DELETE " + naming(t.name, "delete") + "FROM " + t.name + " WHERE " + d.among("id") + " RETURNING id"
	return w
}

// markOf is the parameter for the instant at which written rows become visible.
func (t *table[T, C]) markOf(d *Dialect) string {
	mark := parameter(len(t.written()) + 1)
	if d.bulk {
		mark += "::bigint"
	}
	return mark
}

func (t *table[T, C]) writing(source, mark string) (insert, upsert, update string) {
	var names, stored, updates, replaces []string
	for i, c := range t.written() {
		names = append(names, c.name)
		stored = append(stored, c.stored())
		if i > 0 {
			updates = append(updates, c.name+" = "+c.stored())
			replaces = append(replaces, c.name+" = excluded."+c.name)
		}
	}
	if t.changedAt != nil {
		names, stored = append(names, "visible_at"), append(stored, mark)
		updates, replaces = append(updates, "visible_at = "+mark), append(replaces, "visible_at = excluded.visible_at")
	}
	if t.hidden != nil {
		open := t.hidden.openVisibleAt(t.name, mark)
		names, stored = append(names, "open_visible_at"), append(stored, open)
		updates = append(updates, "open_visible_at = "+open)
		replaces = append(replaces, "open_visible_at = excluded.open_visible_at")
	}
	insert = "INSERT INTO " + t.name + " (" + strings.Join(names, ", ") + ") SELECT " + strings.Join(stored, ", ") +
		" FROM " + source
	upsert = insert + " WHERE true ON CONFLICT (id) DO UPDATE SET " + strings.Join(replaces, ", ")
	update = "UPDATE " + t.name + " AS t SET " + strings.Join(updates, ", ") + " FROM " + source + " WHERE t.id = v.id"
	return named(t.name+".insert", insert), named(t.name+".upsert", upsert), named(t.name+".update", update)
}

func nextVersion(version string) string {
	const from = "(SELECT versions_from FROM change_versions)"
	return "CASE WHEN " + version + " < " + from + " THEN " + from +
		" ELSE " + version + " % " + strconv.Itoa(backoffice.MaxVersion) + " + 1 END"
}

func (t *table[T, C]) source(d *Dialect) string {
	var names, parameters []string
	for i, c := range t.written() {
		names = append(names, c.name)
		n := parameter(i + 1)
		if d.bulk {
			parameters = append(parameters, n+"::"+c.array)
		} else {
			parameters = append(parameters, n+" AS "+c.name)
		}
	}
	if d.bulk {
		return "unnest(" + strings.Join(parameters, ", ") + ") v(" + strings.Join(names, ", ") + ")"
	}
	return "(SELECT " + strings.Join(parameters, ", ") + ") v"
}

// sourceLast is source at the end of a transaction. No timestamp shown of a row is later than the instant.
func (t *table[T, C]) sourceLast(d *Dialect) string {
	selected, mark, from := []string(nil), t.markOf(d), t.source(d)
	if d.lastMark != "" {
		selected, mark = append(selected, "e.at"), "e.at"
		from += "," + strings.TrimPrefix(lastInstant, " FROM")
	}
	for _, c := range t.written() {
		if slices.Contains(t.changedIn, c.name) {
			selected = append(selected, "CASE WHEN v."+c.name+" > "+mark+" THEN "+mark+
				" ELSE v."+c.name+" END AS "+c.name)
		} else {
			selected = append(selected, "v."+c.name)
		}
	}
	return "(SELECT " + strings.Join(selected, ", ") + " FROM " + from + ") v"
}

type writer[T any, C comparable] struct {
	reader[T, C]
	conn Conn
	tx   *tx
}

const maxBatch = 1000

// run writes the records with a statement and returns how many rows it changed.
func (w *writer[T, C]) run(ctx context.Context, text string, rows []*T) (int, error) {
	var changed int64
	columns := w.table.columns
	args := make([]any, 0, len(columns))
	each := func(values func(*column[T]) any) error {
		args = args[:0]
		for i := range columns {
			if !columns[i].shown {
				args = append(args, values(&columns[i]))
			}
		}
		n, err := w.conn.Exec(ctx, text, append(args, w.mark()...))
		changed += n
		return err
	}
	if !w.dialect.bulk {
		for _, row := range rows {
			if err := each(func(c *column[T]) any { return c.value(row) }); err != nil {
				return 0, w.refusal(ctx, err, rows)
			}
		}
		return int(changed), nil
	}
	for batch := range slices.Chunk(rows, maxBatch) {
		if err := each(func(c *column[T]) any { return c.values(batch) }); err != nil {
			return 0, w.refusal(ctx, err, batch)
		}
	}
	return int(changed), nil
}

// mark is the argument of a writing statement after the columns, for nouns that have it.
func (w *writer[T, C]) mark() []any {
	if w.table.changedAt == nil {
		return nil
	}
	return []any{w.tx.visible.mark.Milliseconds()}
}

func (w *writer[T, C]) byID(ctx context.Context, ids []string, want backoffice.Columns) (map[string]*T, error) {
	return backoffice.ReadByID[*T, C](ctx, &w.reader, ids, want)
}

func (w *writer[T, C]) idsOf(rows []*T) []string {
	return backoffice.Map(rows, func(t *T) string { return *w.table.id(t) })
}

func (w *writer[T, C]) Insert(ctx context.Context, rows ...*T) error {
	if len(rows) == 0 {
		return nil
	}
	do := []func(context.Context) error{
		func(ctx context.Context) error { return w.refuseTakenIDs(ctx, rows, true) },
		func(ctx context.Context) error { _, err := w.run(ctx, w.writes.insert, rows); return err },
		func(ctx context.Context) error { return w.writeLists(ctx, rows, false) },
	}
	waits := w.waits(rows)
	if waits {
		do = do[:1]
	}
	if err := w.together(ctx, rows, do...); err != nil {
		return err
	}
	w.noteTouched(rows, nil)
	if !waits {
		w.noteChanged(rows, nil)
		return nil
	}
	return w.writeLater(ctx, w.writes.insert, w.writes.insertLast, rows, nil, func(then *writer[T, C]) error {
		return then.writeLists(ctx, rows, false)
	})
}

// together does in one round trip what fits one statement's number of rows; with more, one after the other.
func (w *writer[T, C]) together(ctx context.Context, rows []*T, do ...func(ctx context.Context) error) error {
	if len(rows) <= maxBatch {
		return w.tx.together(ctx, do...)
	}
	for _, one := range do {
		if err := one(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer[T, C]) unknown() error {
	return backoffice.NoSuch(w.table.noun, "id")
}

// Lock implements backoffice.Writer. Like Upsert it waits for identifiers first, so that no two wait for each other.
func (w *writer[T, C]) Lock(ctx context.Context, ids ...string) error {
	return w.lock(ctx, w.writes.attached, ids)
}

func (w *writer[T, C]) LockToDelete(ctx context.Context, ids ...string) error {
	return w.lock(ctx, w.writes.going, ids)
}

func (w *writer[T, C]) lock(ctx context.Context, text string, ids []string) error {
	if w.dialect.keep == "" { // an engine with a single writer
		return nil
	}
	return w.tx.together(ctx, func(ctx context.Context) error { return w.tx.lock(ctx, lockIdentifiers) },
		func(ctx context.Context) error { return w.attached(ctx, text, wellFormed(ids), attachments{}) })
}

// Upsert implements backoffice.Writer. Of several rows with one identifier the last counts.
func (w *writer[T, C]) Upsert(ctx context.Context, rows []*T) error {
	if len(rows) == 0 {
		return nil
	}
	rows = w.lastOfEach(rows)
	if err := w.tx.lock(ctx, lockIdentifiers); err != nil {
		return err
	}
	if err := w.refuseTakenIDs(ctx, rows, false); err != nil {
		return err
	}
	before := attachments{}
	if err := w.attached(ctx, w.writes.attached, w.idsOf(rows), before); err != nil {
		return err
	}
	if err := w.tx.isInView(ctx, w.table.noun, slices.Collect(maps.Keys(before)), w.unknown()); err != nil {
		return err
	}
	if err := w.keepWritten(ctx, rows, slices.Collect(maps.Keys(before))); err != nil {
		return err
	}
	if err := w.upsert(ctx, rows); err != nil {
		return err
	}
	w.noteTouched(rows, before)
	w.noteChanged(rows, before)
	return w.writeLists(ctx, rows, true)
}

func (w *writer[T, C]) lastOfEach(rows []*T) []*T {
	last := make(map[string]int, len(rows))
	for i, row := range rows {
		last[*w.table.id(row)] = i
	}
	if len(last) == len(rows) {
		return rows
	}
	kept := make([]*T, 0, len(last))
	for i, row := range rows {
		if last[*w.table.id(row)] == i {
			kept = append(kept, row)
		}
	}
	return kept
}

func (w *writer[T, C]) Delete(ctx context.Context, ids ...string) ([]string, error) {
	return w.deleteAfter(ctx, ids, func(context.Context) error { return nil })
}

// deleteAfter deletes rows after first, which finds their cascade recorded and locked.
func (w *writer[T, C]) deleteAfter(ctx context.Context, ids []string,
	first func(ctx context.Context) error) ([]string, error) {
	ids = backoffice.Unique(wellFormed(ids))
	if ids == nil {
		return nil, nil
	}
	var deleted []string
	var inTrash string // any entry
	own, losing := attachments{}, map[backoffice.Noun][]string(nil)
	touch := func(ctx context.Context) error { return w.touchCascades(ctx, ids, own) }
	keeps := w.tx.keeps(w.table.noun)
	if keeps || w.tx.restricted || w.tx.importing > 0 { // the cascade must be known first
		if err := touch(ctx); err != nil {
			return nil, err
		}
		if err := w.tx.isInView(ctx, w.table.noun, ids, w.unknown()); err != nil {
			return nil, err
		}
		if err := w.tx.goesInView(ctx); err != nil {
			return nil, err
		}
		if keeps {
			if err := w.tx.keepGoing(ctx, w.table.noun, slices.Sorted(maps.Keys(own))); err != nil {
				return nil, err
			}
		}
		var err error
		if losing, err = w.tx.keepGone(ctx, w.table.noun, slices.Sorted(maps.Keys(own))); err != nil {
			return nil, err
		}
		touch = func(context.Context) error { return nil }
	}
	if w.tx.dryRun {
		err := touch(ctx)
		return slices.Sorted(maps.Keys(own)), err
	}
	if w.table.noun == backoffice.NounCustomer && !keeps {
		first = func(ctx context.Context) error { return w.tx.forgetFilesOf(ctx, ids) }
	}
	do := []func(context.Context) error{touch, first, func(ctx context.Context) (err error) {
		deleted, err = listTexts(ctx, w.conn, w.writes.delete, w.dialect.List(ids))
		return err
	}}
	if w.table.noun == backoffice.NounCustomer && !keeps {
		do = append(do, func(ctx context.Context) error { _, err := w.tx.eraseImported(ctx, ids); return err },
			func(ctx context.Context) (err error) {
				const first = "SELECT /*backoffice:trash.first*/ id FROM trash ORDER BY id LIMIT 1"
				inTrash, err = firstText(ctx, w.conn, first)
				return err
			})
	}
	err := w.tx.together(ctx, do...)
	if violation := violationOf(err); violation != nil {
		return nil, w.tx.fail(backoffice.Refuse(&backoffice.UserError{
			Code: backoffice.CodeNotAllowed, Message: "the " + string(w.table.noun) + " is still referenced",
			Field: []string{"id"}}))
	}
	for _, id := range deleted {
		w.tx.touch(w.table.noun, id, backoffice.Deleted, nil, own[id]...)
	}
	if len(deleted) == 0 || err != nil {
		return deleted, err
	}
	w.tx.erased = true
	err = w.tx.keepStored(ctx, losing, false) // without the references
	if err == nil && inTrash != "" {
		err = w.tx.eraseOthers(ctx, deleted)
	}
	return deleted, err
}

// refuseTakenIDs rejects identifiers that another noun has, and on insert those that this noun has. New identifiers are
// UUIDv7 and collide with nothing, so a check before the write is enough for them; those from elsewhere arrive through
// Upsert, one transaction at a time. A table of all identifiers would make every write twice as large.
func (w *writer[T, C]) refuseTakenIDs(ctx context.Context, rows []*T, inserting bool) error {
	ids := w.idsOf(rows)
	seen := make(map[string]bool, len(ids))
	for _, id := range ids {
		if err := backoffice.CheckID(id); err != nil {
			return w.tx.fail(backoffice.Refuse(&backoffice.UserError{Code: backoffice.CodeInvalid, Message: err.Error(),
				Field: []string{"id"}}))
		}
		if seen[id] {
			return w.tx.fail(takenID())
		}
		seen[id] = true
	}
	for batch := range slices.Chunk(ids, maxBatch) {
		nouns, err := backoffice.ReadNouns(ctx, w.tx, batch)
		if err != nil {
			return err
		}
		for _, noun := range nouns {
			if inserting || noun != w.table.noun {
				return w.tx.fail(takenID())
			}
		}
	}
	return nil
}

func takenID() error {
	return backoffice.Refuse(&backoffice.UserError{Code: backoffice.CodeTaken, Message: "the identifier is taken",
		Field: []string{"id"}})
}

// refusal turns a failed constraint into an error that the caller can fix.
func (w *writer[T, C]) refusal(ctx context.Context, err error, rows []*T) error {
	violation := violationOf(err)
	switch {
	case violation == nil:
		return err
	case violation.Of == UniqueViolation:
		return w.tx.fail(backoffice.Refuse(&backoffice.UserError{
			Code: backoffice.CodeTaken, Message: "the value is already taken", Field: w.table.unique.field}))
	}
	missing := backoffice.UserError{Code: backoffice.CodeNotFound, Message: "the input refers to an unknown object"}
	for _, reference := range w.table.references {
		if violation.Constraint == w.table.name+"_"+reference.column+"_fkey" || violation.Constraint == "" &&
			w.isMissing(ctx, reference, rows) {
			missing.Field = reference.field
			break
		}
	}
	return w.tx.fail(backoffice.Refuse(&missing))
}
