package transfer

import (
	"context"

	"example.org/backoffice/backoffice"
)

type label = backoffice.Label

var labels = define(noun[label, backoffice.LabelCriteria]{
	name: backoffice.NounLabel,
	file: "labels.ndjson",
	fields: []field[label]{
		text("name", "name", func(l *label) *string { return &l.Name }),
		text("color", "color", func(l *label) *backoffice.Text { return &l.Color }),
		moment("createdAt", "createdAt", func(l *label) *backoffice.Instant { return &l.CreatedAt }),
	},
	id:     func(l *label) *string { return &l.ID },
	fresh:  func(now backoffice.Instant) *label { return &label{CreatedAt: now} },
	reader: func(s backoffice.Reads) backoffice.Reader[*label, backoffice.LabelCriteria] { return s.Labels() },
	writer: func(tx backoffice.Tx) backoffice.Writer[*label, backoffice.LabelCriteria] { return tx.Labels() },
	check:  backoffice.CheckLabel,
	clash:  labelClash,
})

// labelClash walks all labels, of which there are few: it is asked only about a line that the store has refused.
func labelClash(ctx context.Context, tx backoffice.Tx, row *label) (string, error) {
	taken := ""
	err := eachRow(ctx, tx.Labels(), backoffice.Root, backoffice.NoParent, backoffice.LabelCriteria{}, func(other *label) {
		if other.Name == row.Name && other.ID != row.ID {
			taken = "name"
		}
	})
	return taken, err
}
