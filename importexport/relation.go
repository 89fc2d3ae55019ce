package importexport

import "example.org/backoffice/backoffice"

type relation = backoffice.CustomerRelation

var relations = describe(backoffice.RelationTable,
	noun[relation, backoffice.RelationCriteria]{
		file: "relations.ndjson",
		keys: always(uniqueKey(backoffice.RelationTable, "kind", "customer", "relatedCustomer")),
	})
