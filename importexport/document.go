package importexport

import "example.org/backoffice/backoffice"

type document = backoffice.CustomerDocument

var documents = define(noun[document, backoffice.DocumentCriteria]{
	name: backoffice.NounDocument,
	file: "documents.ndjson",
	fields: []field[document]{
		text("name", "name", func(d *document) *string { return &d.Name }),
		reference("customer", backoffice.NounCustomer, func(d *document) *string { return &d.CustomerID }),
		moment("createdAt", "createdAt", func(d *document) *backoffice.Instant { return &d.CreatedAt }),
	},
	id:    func(d *document) *string { return &d.ID },
	fresh: func(now backoffice.Instant) *document { return &document{CreatedAt: now} },
	reader: func(s backoffice.Readers) backoffice.Reader[*document, backoffice.DocumentCriteria] {
		return s.Documents()
	},
	writer: func(tx backoffice.Tx) backoffice.Writer[*document, backoffice.DocumentCriteria] {
		return tx.Documents()
	},
	attached: func(d *document) **backoffice.File { return &d.File },
	check:    backoffice.CheckDocument,
})
