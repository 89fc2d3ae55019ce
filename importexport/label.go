package importexport

import "example.org/backoffice/backoffice"

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
	reader: func(s backoffice.Readers) backoffice.Reader[*label, backoffice.LabelCriteria] { return s.Labels() },
	writer: func(tx backoffice.Tx) backoffice.Writer[*label, backoffice.LabelCriteria] { return tx.Labels() },
	check:  backoffice.CheckLabel,
	unique: &uniqueValue[label]{"name", func(l *label) string { return l.Name }},
})
