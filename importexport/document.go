package importexport

import "example.org/backoffice/backoffice"

type document = backoffice.CustomerDocument

var documents = describe(backoffice.DocumentTable, noun[document, backoffice.DocumentCriteria]{
	file:   "documents.ndjson",
	place:  9,
	reader: backoffice.Readers.Documents,
	writer: backoffice.Tx.Documents,
})
