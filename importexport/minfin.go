package importexport

import "example.org/backoffice/backoffice"

type minfinDocument = backoffice.MinfinDocument

var minfin = define(noun[minfinDocument, backoffice.MinfinCriteria]{
	name: backoffice.NounMinfin,
	file: "minfin.ndjson",
	fields: []field[minfinDocument]{
		text("name", "name", func(d *minfinDocument) *string { return &d.Name }),
		text("documentType", "documentType", func(d *minfinDocument) *string { return &d.DocumentType }),
		reference("customer", backoffice.NounCustomer, func(d *minfinDocument) *string { return &d.CustomerID }),
		reference("financialYear", backoffice.NounFinancialYear, func(d *minfinDocument) *string { return &d.FinancialYearID }),
		moment("synchronisedAt", "synchronisedAt", func(d *minfinDocument) *backoffice.Instant { return &d.SynchronisedAt }),
	},
	id:    func(d *minfinDocument) *string { return &d.ID },
	fresh: func(now backoffice.Instant) *minfinDocument { return &minfinDocument{SynchronisedAt: now} },
	reader: func(s backoffice.Readers) backoffice.Reader[*minfinDocument, backoffice.MinfinCriteria] {
		return s.MinfinDocuments()
	},
	writer: func(tx backoffice.Tx) backoffice.Writer[*minfinDocument, backoffice.MinfinCriteria] {
		return tx.MinfinDocuments()
	},
	attached: func(d *minfinDocument) **backoffice.File { return &d.File },
	check:    backoffice.CheckMinfinDocument,
})
