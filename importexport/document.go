package importexport

import "example.org/backoffice/backoffice"

type document = backoffice.CustomerDocument

var documents = describe(backoffice.DocumentTable,
	noun[document, backoffice.DocumentCriteria]{file: "documents.ndjson"})
