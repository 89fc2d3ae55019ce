package store

import "example.org/backoffice/backoffice"

var minfinTable = describe(backoffice.MinfinTable, table[backoffice.MinfinDocument, backoffice.MinfinCriteria]{
	name:    "minfin_documents",
	reach:   through("customer_id").within("x.financial_year_id IS NULL OR x.financial_year_id ?"),
	nothing: func(c backoffice.MinfinCriteria) bool { return c.Nothing },
	criteria: []criterion[backoffice.MinfinCriteria]{
		equals("customer_id", func(c backoffice.MinfinCriteria) string { return c.CustomerID }),
		equals("financial_year_id", func(c backoffice.MinfinCriteria) string { return c.FinancialYearID }),
		equals("document_type", func(c backoffice.MinfinCriteria) string { return c.DocumentType }),
		since("synchronised_at", func(c backoffice.MinfinCriteria) backoffice.Instant { return c.SynchronisedSince }),
	},
	parents: map[backoffice.Parent]parentColumns[backoffice.MinfinCriteria]{
		backoffice.OfCustomer:      under[backoffice.MinfinCriteria]("customer_id"),
		backoffice.OfFinancialYear: under[backoffice.MinfinCriteria]("financial_year_id"),
	},
})

func (r *readers) MinfinDocuments() backoffice.Reader[*backoffice.MinfinDocument, backoffice.MinfinCriteria] {
	return readerOf(r, minfinTable)
}

func (t *tx) MinfinDocuments() backoffice.Writer[*backoffice.MinfinDocument, backoffice.MinfinCriteria] {
	return simpleWriter(t, minfinTable)
}
