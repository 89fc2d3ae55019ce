package store

import (
	"context"
	"slices"
	"strings"

	"example.org/backoffice/backoffice"
)

type object struct {
	noun backoffice.Noun
	id   string
}

// touch is a change of an object that is not in the change log yet.
type touch struct {
	done    backoffice.ChangeAction
	fields  []string                  // of an object without an entry of its own
	parents []backoffice.ChangeParent // those before, then those after
}

// touch records what is done to an object, and its parents before or now. Several steps on one are one change.
func (t *tx) touch(noun backoffice.Noun, id string, done backoffice.ChangeAction, fields []string,
	parents ...backoffice.ChangeParent) {
	o := object{noun, id}
	t.noteWrote(o, done)
	known := t.touched[o]
	if known == nil {
		if t.touched == nil {
			t.touched = map[object]*touch{}
		}
		t.touched[o] = &touch{done, fields, slices.Clone(parents)}
		t.touchedInOrder = append(t.touchedInOrder, o)
		return
	}
	known.parents = append(known.parents, parents...)
	switch {
	case done == backoffice.Deleted:
		known.done = done
	case known.done == backoffice.Deleted:
		known.done = backoffice.Updated // it exists again
	}
}

// complete sets in the new entries what was done to their objects, and adds an entry for each object without one: those
// deleted or changed by a cascade. Such an entry has the author of the last one.
func (t *tx) complete() {
	for _, change := range t.changes {
		if change.Done != "" {
			continue // written again, after its number was not free
		}
		change.Done = backoffice.Updated
		if touched := t.take(object{change.Noun, change.ObjectID}); touched != nil {
			change.Done, change.Parents = touched.done, touched.parents
		}
		t.author = change
	}
	author := t.author
	if author == nil {
		author = &backoffice.Change{At: t.visible.mark, Action: "write"}
	}
	for _, o := range t.touchedInOrder {
		if touched := t.take(o); touched != nil {
			change := &backoffice.Change{
				At: author.At, ClientID: author.ClientID, Issuer: author.Issuer, Subject: author.Subject,
				Action: author.Action, Noun: o.noun, ObjectID: o.id,
				Done: touched.done, Parents: touched.parents,
			}
			if touched.done != backoffice.Deleted {
				change.Fields = touched.fields
			}
			t.changes = append(t.changes, change)
		}
	}
	t.touchedInOrder = t.touchedInOrder[:0]
}

func (t *tx) DeletedRows() map[backoffice.Noun]int {
	n := map[backoffice.Noun]int{}
	for o, touched := range t.touched {
		if touched.done == backoffice.Deleted {
			n[o.noun]++
		}
	}
	return n
}

// take removes and returns the record of an object, each of its parents once.
func (t *tx) take(o object) *touch {
	touched := t.touched[o]
	if touched == nil {
		return nil
	}
	delete(t.touched, o)
	var parents []backoffice.ChangeParent
	for _, parent := range touched.parents {
		if parent.ID != "" && !slices.Contains(parents, parent) {
			parents = append(parents, parent)
		}
	}
	touched.parents = parents
	return touched
}

type parentColumn struct {
	name string
	noun backoffice.Noun
}

// parentColumnsOf are the noun's columns that refer to parents. A column that only leads to a parent through another
// record is left out: the record's own changes are not changes under such a parent.
func (t *table[T, C]) parentColumnsOf() (columns []parentColumn) {
	var all C
	for parent, of := range t.parents {
		for _, column := range of(all) {
			if !strings.Contains(column, "?") {
				columns = append(columns, parentColumn{column, backoffice.ParentNouns[parent]})
			}
		}
	}
	slices.SortFunc(columns, func(a, b parentColumn) int { return strings.Compare(a.name, b.name) })
	return slices.Compact(columns)
}

func namesOf(columns []parentColumn) []string {
	return backoffice.Map(columns, func(c parentColumn) string { return c.name })
}

// attachmentsText reads the parents, and then the next version, of the records that a condition picks, and locks these
// until the transaction ends: the write replaces what was read. keep is Dialect.keep, or Dialect.forKey to keep others
// from referring to them, too.
func (t *table[T, C]) attachmentsText(name, condition, keep string) string {
	columns := append([]string{"t.id"}, namesOf(t.parentColumnsOf())...)
	for i := range columns[1:] {
		columns[i+1] = "t." + columns[i+1]
	}
	if t.version != nil {
		columns = append(columns, nextVersion("t.version"))
	}
	return "SELECT " + naming(t.name, name) + strings.Join(columns, ", ") + " FROM " + t.name + " t WHERE " +
		strings.ReplaceAll(condition, "?", "$1") + keep
}

// attachments are the stored parents of records, by identifier.
type attachments map[string][]backoffice.ChangeParent

// attached reads the parents of the rows with these identifiers, before they are written.
func (w *writer[T, C]) attached(ctx context.Context, text string, ids []string, into attachments) error {
	return w.conn.Query(ctx, text, []any{w.dialect.List(ids)}, into.reads(w.table.parentColumnsOf()))
}

func (a attachments) reads(columns []parentColumn) func(*Row) error {
	return func(row *Row) error { a[row.Text(0)] = parentsOf(row, columns); return nil }
}

// parentsOf are the parents in the columns after a row's identifier that are not NULL.
func parentsOf(row *Row, columns []parentColumn) (parents []backoffice.ChangeParent) {
	for i, c := range columns {
		if id := row.Text(1 + i); id != "" {
			parents = append(parents, backoffice.ChangeParent{Noun: c.noun, ID: id})
		}
	}
	return parents
}

// noteTouched records rows that were written; before has the parents of those that existed.
func (w *writer[T, C]) noteTouched(rows []*T, before attachments) {
	for _, row := range rows {
		id := *w.table.id(row)
		parents, there := before[id]
		done := backoffice.Created
		if there {
			done = backoffice.Updated
		}
		parents = slices.Clone(parents)
		for i, of := range w.parents {
			parent, _ := of.value(row).(string)
			parents = append(parents, backoffice.ChangeParent{Noun: w.parentNouns[i], ID: parent})
		}
		w.tx.touch(w.table.noun, id, done, nil, parents...)
	}
}

// cascade are the records of a noun that are deleted with their parent, or lose a reference to it.
type cascade struct {
	noun    backoffice.Noun
	done    backoffice.ChangeAction
	fields  []string // the changed fields of those that stay
	columns []parentColumn
	text    func(*Dialect) string
}

// goesWith are the records of a table that are deleted with the record in one of the columns.
func goesWith[T any, C comparable](t *table[T, C], columns ...string) cascade {
	return cascade{noun: t.noun, done: backoffice.Deleted, columns: t.parentColumnsOf(), text: func(d *Dialect) string {
		conditions := backoffice.Map(columns, func(column string) string { return "t." + column + " " + d.in })
		return t.attachmentsText("cascade", strings.Join(conditions, " OR "), d.forKey)
	}}
}

// losesBy are the records of a table, picked by a condition, that lose a reference to a deleted one.
func losesBy[T any, C comparable](t *table[T, C], condition string, fields ...string) cascade {
	text := func(d *Dialect) string {
		return t.attachmentsText("cascade", strings.ReplaceAll(condition, "IN ?", d.in), d.keep)
	}
	return cascade{noun: t.noun, done: backoffice.Updated, fields: fields, columns: t.parentColumnsOf(), text: text}
}

// cascades are what the schema's foreign keys change when a noun's records are deleted, for the change log.
var cascades = map[backoffice.Noun][]cascade{
	backoffice.NounCustomer: {
		goesWith(relationTable, "customer_id", "related_customer_id"), goesWith(transcriptTable, "customer_id"),
		goesWith(calculationTable, "customer_id"), goesWith(documentTable, "customer_id"),
		goesWith(minfinTable, "customer_id"), goesWith(discrepancyTable, "customer_id"),
	},
	// Records that refer to a deleted one are read after it is locked: from then on nothing new refers to it.
	backoffice.NounTranscript: {goesWith(calculationTable, "transcript_id")},
	backoffice.NounUser:       {losesBy(customerTable, "t.responsible_id IN ?", "responsibleId")},
	backoffice.NounLabel: {losesBy(userTable, "t.id IN (SELECT l.user_id FROM user_labels l"+
		" WHERE l.label_id IN ?)", "labelIds")},
}

// touchCascades records the cascade of the rows to be deleted, and its parents, and first locks the rows.
func (w *writer[T, C]) touchCascades(ctx context.Context, ids []string, own attachments) error {
	attached := func(ctx context.Context) error { return w.attached(ctx, w.writes.going, ids, own) }
	do := []func(context.Context) error{attached}
	for _, c := range cascades[w.table.noun] {
		do = append(do, func(ctx context.Context) error {
			return w.conn.Query(ctx, c.text(w.dialect), []any{w.dialect.List(ids)}, func(row *Row) error {
				w.tx.touch(c.noun, row.Text(0), c.done, c.fields, parentsOf(row, c.columns)...)
				return nil
			})
		})
	}
	return w.tx.together(ctx, do...)
}
