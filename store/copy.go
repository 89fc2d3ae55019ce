package store

import (
	"context"
	"strings"

	"example.org/backoffice/backoffice"
)

// Copier is a Conn in a transaction whose engine can load many rows faster than through arguments.
type Copier interface {
	// Copy appends n rows to a table, with the values of its columns. Errors are those of Conn.
	Copy(ctx context.Context, table string, columns []string, n int, row func(i int) []any) error
}

// copyFrom is the number of rows from which a temporary table pays off.
const copyFrom = 100

// copyTexts are the statements around a copy: rows go to a temporary table first, and from there to their table.
type copyTexts struct {
	table           string
	columns         []string
	create, discard string
	upsert          string
}

func copyTextsOf[T any, C comparable](t *table[T, C], d *Dialect, upsert string) (texts copyTexts) {
	if !d.bulk {
		return texts
	}
	texts.table = "copied_" + t.name
	var declared []string
	for _, c := range t.written() {
		texts.columns = append(texts.columns, c.name)
		declared = append(declared, c.name+" "+strings.TrimSuffix(c.array, "[]"))
	}
	texts.create = "CREATE " + naming(t.name, "aside") + "TEMPORARY TABLE IF NOT EXISTS " + texts.table + " (" +
		strings.Join(declared, ", ") + ") ON COMMIT DROP"
	texts.discard = "TRUNCATE " + naming(t.name, "discard") + texts.table
	texts.upsert = strings.Replace(upsert, " FROM "+t.source(d), " FROM "+texts.table+" v", 1)
	return texts
}

// upsert writes records whether they are stored or not: by copying where the engine can and they are many.
func (w *writer[T, C]) upsert(ctx context.Context, rows []*T) error {
	if w.tx.copier == nil || len(rows) < copyFrom {
		_, err := w.run(ctx, w.writes.upsert, rows)
		return err
	}
	texts := &w.writes.copied
	for _, text := range []string{texts.create, texts.discard} {
		if _, err := w.conn.Exec(ctx, text, nil); err != nil {
			return err
		}
	}
	values, columns := make([]any, len(texts.columns)), w.table.written()
	err := w.tx.copier.Copy(ctx, texts.table, texts.columns, len(rows), func(i int) []any {
		for c, column := range columns {
			values[c] = column.value(rows[i])
		}
		return values
	})
	if err != nil {
		return w.tx.fail(backoffice.Fault(err, "copying to "+w.table.name))
	}
	backoffice.CountStatement(ctx)
	if _, err := w.conn.Exec(ctx, texts.upsert, w.mark()); err != nil {
		return w.refusal(ctx, err, rows)
	}
	return nil
}
