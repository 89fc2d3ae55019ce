package store

import "example.org/backoffice/backoffice"

var documentTable = describe(backoffice.DocumentTable, table[backoffice.CustomerDocument, backoffice.DocumentCriteria]{
	name:    "documents",
	reach:   through("customer_id"),
	special: map[string]special{"name": {also: orderField(backoffice.KeyName)}},
	columns: []column[backoffice.CustomerDocument]{folded("name_folded", func(d *backoffice.CustomerDocument) string { return backoffice.Fold(d.Name) })},
	nothing: func(c backoffice.DocumentCriteria) bool { return c.Nothing },
	criteria: []criterion[backoffice.DocumentCriteria]{
		equals("customer_id", func(c backoffice.DocumentCriteria) string { return c.CustomerID }),
	},
	parents: map[backoffice.Parent]parentColumns[backoffice.DocumentCriteria]{
		backoffice.OfCustomer: under[backoffice.DocumentCriteria]("customer_id"),
	},
	orders: map[backoffice.OrderKey]order{backoffice.KeyName: byText("name_folded")},
})

func (r *readers) Documents() backoffice.Reader[*backoffice.CustomerDocument, backoffice.DocumentCriteria] {
	return readerOf(r, documentTable)
}

func (t *tx) Documents() backoffice.Writer[*backoffice.CustomerDocument, backoffice.DocumentCriteria] {
	return simpleWriter(t, documentTable)
}
