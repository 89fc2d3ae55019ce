package importexport

import "example.org/backoffice/backoffice"

type discrepancy = backoffice.Discrepancy

var _ = describe(backoffice.DiscrepancyTable,
	noun[discrepancy, backoffice.DiscrepancyCriteria]{file: "discrepancies.ndjson"})
