package store

import "example.org/backoffice/backoffice"

var minfinTable = &table[backoffice.MinfinDocument, backoffice.MinfinCriteria]{
	noun: backoffice.NounMinfin,
	name: "minfin_documents",
	id:   func(d *backoffice.MinfinDocument) *string { return &d.ID },
	columns: append([]column[backoffice.MinfinDocument]{
		text("id", "", func(d *backoffice.MinfinDocument) *string { return &d.ID }),
		text("name", "name", func(d *backoffice.MinfinDocument) *string { return &d.Name }),
		text("document_type", "documentType", func(d *backoffice.MinfinDocument) *string { return &d.DocumentType }),
		link("customer_id", "customer", func(d *backoffice.MinfinDocument) *string { return &d.CustomerID }).orNull(),
		link("financial_year_id", "financialYear", func(d *backoffice.MinfinDocument) *string { return &d.FinancialYearID }).orNull(),
		number("synchronised_at", "synchronisedAt", func(d *backoffice.MinfinDocument) *backoffice.Instant { return &d.SynchronisedAt }),
	}, file("file", backoffice.MinfinFile, func(d *backoffice.MinfinDocument) *string { return &d.ID },
		func(d *backoffice.MinfinDocument) **backoffice.File { return &d.File })...),
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
	references: []reference{
		{"customer_id", "customers", []string{"customer"}},
		{"financial_year_id", "financial_years", []string{"financialYear"}},
	},
}
