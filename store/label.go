package store

import "example.org/backoffice/backoffice"

var labelTable = &table[backoffice.Label, backoffice.LabelCriteria]{
	noun: backoffice.NounLabel,
	name: "labels",
	id:   func(l *backoffice.Label) *string { return &l.ID },
	columns: []column[backoffice.Label]{
		text("id", "", func(l *backoffice.Label) *string { return &l.ID }),
		text("name", "name "+orderField(backoffice.KeyName), func(l *backoffice.Label) *string { return &l.Name }),
		text("color", "color", func(l *backoffice.Label) *backoffice.Text { return &l.Color }).orNull(),
		number("created_at", "createdAt", func(l *backoffice.Label) *backoffice.Instant { return &l.CreatedAt }),
		folded("name_folded", func(l *backoffice.Label) string { return backoffice.Fold(l.Name) }),
	},
	orders: map[backoffice.OrderKey]order{backoffice.KeyName: byText("name_folded")},
	unique: uniqueValue{[]string{"name"}, []string{"name"}, "name = '\n' || id"}, // no name has a line break
}
