package store

import "example.org/backoffice/backoffice"

var labelTable = describe(backoffice.LabelTable, table[backoffice.Label, backoffice.LabelCriteria]{
	name:    "labels",
	reach:   seenByAll,
	special: map[string]special{"name": {also: backoffice.KeyName.Field()}},
	columns: []column[backoffice.Label]{folded("name_folded",
		func(l *backoffice.Label) string { return backoffice.Fold(l.Name) })},
	orders: map[backoffice.OrderKey]order{backoffice.KeyName: byText("name_folded")},
	unique: uniqueValue{release: "name = '\n' || id"}, // no name has a line break
})
