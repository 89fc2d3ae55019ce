package store

import "example.org/backoffice/backoffice"

var minfinTable = describe(backoffice.MinfinTable, table[backoffice.MinfinDocument, backoffice.MinfinCriteria]{
	name:   "minfin_documents",
	seenBy: through("customer_id").within("x.financial_year_id IS NULL OR x.financial_year_id ?"),
	criteria: []criterion[backoffice.MinfinCriteria]{
		equals("customer_id", func(c backoffice.MinfinCriteria) string { return c.CustomerID }),
		equals("financial_year_id", func(c backoffice.MinfinCriteria) string { return c.FinancialYearID }),
		equals("document_type", func(c backoffice.MinfinCriteria) string { return c.DocumentType }),
		since("synchronised_at", func(c backoffice.MinfinCriteria) backoffice.Instant { return c.SynchronisedSince }),
	},
})
