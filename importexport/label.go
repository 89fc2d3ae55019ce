package importexport

import "example.org/backoffice/backoffice"

type label = backoffice.Label

var labels = describe(backoffice.LabelTable, noun[label, backoffice.LabelCriteria]{
	file: "labels.ndjson",
	keys: always(fewKey[label, backoffice.LabelCriteria](func(l *label) string {
		return backoffice.FoldKey(l.Name)
	}, "name")),
})
