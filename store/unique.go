package store

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"example.org/backoffice/backoffice"
)

// uniqueValue is a value that only one row of a noun may have.
type uniqueValue struct {
	field   []string // of the input, for TAKEN
	columns []string // the columns of the value; none when only the table's own rule knows it
	period  []string // the columns of the first and last day on which it is unique; nil for always
	// An update sets this so that a row loses the value; "" when the row, which has no dependents, is deleted instead.
	release string
}

func holdersText[T any, C comparable](t *table[T, C], d *Dialect) string {
	if len(t.unique.columns) == 0 {
		return ""
	}
	names, parameters := []string{"id"}, []string{"$1"}
	if d.bulk {
		parameters[0] += "::text[]"
	}
	var same []string
	for i, name := range slices.Concat(t.unique.columns, t.unique.period) {
		parameter := parameter(i + 2)
		if d.bulk {
			parameter += "::" + t.columnNamed(name).array
		}
		names, parameters = append(names, name), append(parameters, parameter)
		if i < len(t.unique.columns) {
			same = append(same, "t."+name+" = v."+name)
		}
	}
	if p := t.unique.period; p != nil {
		same = append(same, "(t."+p[0]+" IS NULL OR v."+p[1]+" = '' OR t."+p[0]+" <= v."+p[1]+")",
			"(t."+p[1]+" IS NULL OR v."+p[0]+" = '' OR t."+p[1]+" >= v."+p[0]+")")
	}
	source := "unnest(" + strings.Join(parameters, ", ") + ") v(" + strings.Join(names, ", ") + ") JOIN "
	if !d.bulk {
		for i, name := range names {
			parameters[i] = "value ->> " + strconv.Itoa(i) + " AS " + name
		}
		source = "(SELECT " + strings.Join(parameters, ", ") + " FROM json_each($1)) v CROSS JOIN " // in this order
	}
	return "SELECT " + naming(t.name, "holders") + "v.id, t.id FROM " + source + t.name + " t ON " +
		strings.Join(same, " AND ") + " WHERE t.id <> v.id"
}

func (t *table[T, C]) columnNamed(name string) *column[T] {
	for i := range t.columns {
		if t.columns[i].name == name {
			return &t.columns[i]
		}
	}
	panic("the table " + t.name + " has no column " + name)
}

// textIn returns the text of a row's column, "" when the table has none of that name.
func (t *table[T, C]) textIn(row *T, column string) (text string) {
	for i := range t.columns {
		if t.columns[i].name == column {
			text, _ = t.columns[i].value(row).(string)
		}
	}
	return text
}

func (r *reader[T, C]) Holders(ctx context.Context, rows []*T) (map[string][]string, error) {
	holders := map[string][]string{}
	if r.holders == "" {
		return holders, nil
	}
	columns := []*column[T]{&r.table.columns[0]}
	for _, name := range slices.Concat(r.table.unique.columns, r.table.unique.period) {
		columns = append(columns, r.table.columnNamed(name))
	}
	var b backoffice.Batch
	for batch := range slices.Chunk(rows, maxBatch) {
		args := []any{inJSON(columns, batch)}
		if r.dialect.bulk {
			args = backoffice.Map(columns, func(c *column[T]) any { return storableAll(c.values(batch).([]string)) })
		}
		b.Queue(queryOf(r.holders, args, func(row *Row) error {
			holders[row.Text(0)] = append(holders[row.Text(0)], row.Text(1))
			return nil
		}))
	}
	if err := r.Send(ctx, &b); err != nil {
		return nil, err
	}
	return holders, nil
}

// inJSON are the values of rows that are texts, an array for each row.
func inJSON[T any](columns []*column[T], rows []*T) string {
	values := backoffice.Map(rows, func(row *T) []any {
		return backoffice.Map(columns, func(c *column[T]) any { return c.value(row) })
	})
	array, _ := json.Marshal(values) // of texts: it cannot fail
	return string(array)
}

func (w *writer[T, C]) Release(ctx context.Context, ids []string) error {
	ids = backoffice.Unique(wellFormed(ids))
	if ids == nil || w.holders == "" {
		return nil
	}
	if w.table.unique.release == "" {
		defer func(keeping *backoffice.Keeping) { w.tx.keeping = keeping }(w.tx.keeping)
		w.tx.keeping = nil // they are written again
		_, err := w.Delete(ctx, ids...)
		return err
	}
	if err := w.keepReleased(ctx, ids); err != nil {
		return err
	}
	text := "UPDATE " + naming(w.table.name, "release") + w.table.name + " SET " + w.table.unique.release + " WHERE " +
		w.dialect.among("id")
	_, err := w.conn.Exec(ctx, text, []any{w.dialect.List(ids)})
	return err
}

func (w *calculationWriter) Release(ctx context.Context, ids []string) error {
	_, err := w.Delete(ctx, ids...)
	return err
}

// isMissing reports whether rows refer to a missing record, on an engine that does not name the constraint.
func (w *writer[T, C]) isMissing(ctx context.Context, reference reference, rows []*T) bool {
	wanted := map[string]bool{}
	for _, row := range rows {
		if id := w.table.textIn(row, reference.column); id != "" {
			wanted[id] = true
		}
	}
	ids := slices.Collect(maps.Keys(wanted))
	var found int64
	of := describedKind(string(reference.noun)).table
	err := w.conn.Query(ctx, "SELECT "+naming(of, "there")+"count(*) FROM "+of+" WHERE "+w.dialect.among("id"),
		[]any{w.dialect.List(ids)}, func(row *Row) error { found = row.Int(0); return nil })
	return err == nil && int(found) < len(ids)
}
