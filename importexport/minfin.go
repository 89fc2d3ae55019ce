package importexport

import "example.org/backoffice/backoffice"

type minfinDocument = backoffice.MinfinDocument

var minfin = describe(backoffice.MinfinTable, noun[minfinDocument, backoffice.MinfinCriteria]{file: "minfin.ndjson"})
