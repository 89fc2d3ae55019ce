package store

import (
	"context"

	"example.org/backoffice/backoffice"
)

var labelTable = describe(backoffice.LabelTable, table[backoffice.Label, backoffice.LabelCriteria]{
	name:    "labels",
	seenBy:  public,
	special: map[string]special{"name": {also: backoffice.KeyName.Field()}},
	columns: []column[backoffice.Label]{folded("name_folded",
		func(l *backoffice.Label) string { return backoffice.Fold(l.Name) })},
	orders: map[backoffice.OrderKey]order{backoffice.KeyName: byText("name_folded")},
	unique: uniqueValue{release: "name = '\n' || id"}, // no name has a line break
	writes: func(w writer[backoffice.Label, backoffice.LabelCriteria]) any { return &labelWriter{w} },
})

// labelWriter changes the users of labels that are deleted.
type labelWriter struct {
	writer[backoffice.Label, backoffice.LabelCriteria]
}

// Delete implements backoffice.Writer. Losing a label is a change of a user, so its version grows.
func (w *labelWriter) Delete(ctx context.Context, ids ...string) ([]string, error) {
	if ids = backoffice.Unique(wellFormed(ids)); ids == nil {
		return nil, nil
	}
	return w.deleteAfter(ctx, ids, func(ctx context.Context) error {
		_, err := w.conn.Exec(ctx, "UPDATE /*backoffice:users.lose_label*/ users SET version = "+
			nextVersion("version")+" WHERE id IN (SELECT l.user_id FROM user_labels l WHERE "+
			w.dialect.among("l.label_id")+")", []any{w.dialect.List(ids)})
		return err
	})
}
