package store

import "example.org/backoffice/backoffice"

var documentTable = describe(backoffice.DocumentTable, table[backoffice.CustomerDocument, backoffice.DocumentCriteria]{
	name:    "documents",
	seenBy:  through("customer_id"),
	special: map[string]special{"name": {also: backoffice.KeyName.Field()}},
	columns: []column[backoffice.CustomerDocument]{folded("name_folded",
		func(d *backoffice.CustomerDocument) string { return backoffice.Fold(d.Name) })},
	criteria: []criterion[backoffice.DocumentCriteria]{
		equals("customer_id", func(c backoffice.DocumentCriteria) string { return c.CustomerID }),
	},
	orders: map[backoffice.OrderKey]order{backoffice.KeyName: byText("name_folded")},
})
