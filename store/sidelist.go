package store

import (
	"context"
	"encoding/json"
	"slices"

	"example.org/backoffice/backoffice"
)

// sideList keeps a list of texts of each record in a table of its own.
type sideList[T any] struct {
	table, owner, value string
	place               string // the column for the index in the list; "" when the order does not matter
	of                  func(*T) []string
	reference           []string // the input field, when the values are references
}

type listedText struct {
	owner string
	place int64
	value string
}

func (w *writer[T, C]) writeLists(ctx context.Context, rows []*T, replace bool) error {
	for i := range w.table.lists {
		for batch := range slices.Chunk(rows, maxBatch) {
			if err := w.writeList(ctx, &w.table.lists[i], batch, replace); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *writer[T, C]) writeList(ctx context.Context, list *sideList[T], rows []*T, replace bool) error {
	insert := func(ctx context.Context) error { return w.insertList(ctx, list, rows) }
	if !replace {
		return insert(ctx)
	}
	return w.tx.together(ctx, func(ctx context.Context) error {
		text := "DELETE " + naming(list.table, "delete") + "FROM " + list.table +
			" WHERE " + w.dialect.among(list.owner)
		_, err := w.conn.Exec(ctx, text, []any{w.dialect.List(w.idsOf(rows))})
		return err
	}, insert)
}

func (w *writer[T, C]) insertList(ctx context.Context, list *sideList[T], rows []*T) error {
	var texts []listedText
	for _, row := range rows {
		for place, value := range list.of(row) {
			texts = append(texts, listedText{*w.table.id(row), int64(place), value})
		}
	}
	if len(texts) == 0 {
		return nil
	}
	columns, selected := list.owner+", "+list.value, "v.owner, v.value"
	if list.place != "" {
		columns, selected = columns+", "+list.place, selected+", v.place"
	}
	from, args := w.dialect.listed(texts)
	_, err := w.conn.Exec(ctx, "INSERT "+naming(list.table, "insert")+"INTO "+list.table+" ("+columns+") SELECT "+
		selected+" FROM "+from, args)
	switch violation := violationOf(err); {
	case violation == nil:
		return err
	case violation.Of == ReferenceViolation:
		return w.tx.fail(backoffice.Refuse(&backoffice.UserError{
			Code: backoffice.CodeNotFound, Message: "the input refers to an unknown object", Field: list.reference}))
	}
	return w.tx.fail(backoffice.Fault(err, "writing "+list.table))
}

func (d *Dialect) listed(texts []listedText) (from string, args []any) {
	if d.bulk {
		owners, places, values := make([]string, len(texts)), make([]int64, len(texts)), make([]string, len(texts))
		for i, text := range texts {
			owners[i], places[i], values[i] = text.owner, text.place, text.value
		}
		return "unnest($1::text[], $2::bigint[], $3::text[]) v(owner, place, value)", []any{owners, places, values}
	}
	rows := backoffice.Map(texts, func(t listedText) [3]any { return [3]any{t.owner, t.place, t.value} })
	array, _ := json.Marshal(rows) // of texts and numbers: it cannot fail
	return "(SELECT value ->> 0 AS owner, value ->> 1 AS place, value ->> 2 AS value FROM json_each($1)) v",
		[]any{string(array)}
}
