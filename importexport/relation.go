package importexport

import "example.org/backoffice/backoffice"

type relation = backoffice.CustomerRelation

var relations = define(noun[relation, backoffice.RelationCriteria]{
	name: backoffice.NounRelation,
	file: "relations.ndjson",
	fields: []field[relation]{
		labelled("kind", "kind", func(r *relation) *backoffice.RelationKind { return &r.Kind }, backoffice.ParseRelationKindLabel),
		reference("customer", backoffice.NounCustomer, func(r *relation) *string { return &r.CustomerID }),
		reference("relatedCustomer", backoffice.NounCustomer, func(r *relation) *string { return &r.RelatedCustomerID }),
		moment("createdAt", "createdAt", func(r *relation) *backoffice.Instant { return &r.CreatedAt }),
	},
	id:    func(r *relation) *string { return &r.ID },
	fresh: func(now backoffice.Instant) *relation { return &relation{CreatedAt: now} },
	reader: func(s backoffice.Readers) backoffice.Reader[*relation, backoffice.RelationCriteria] {
		return s.Relations()
	},
	writer: func(tx backoffice.Tx) backoffice.Writer[*relation, backoffice.RelationCriteria] {
		return tx.Relations()
	},
	check: backoffice.CheckRelation,
	unique: &uniqueValue[relation]{"relatedCustomer", func(r *relation) string {
		return r.CustomerID + " " + r.RelatedCustomerID + " " + string(r.Kind)
	}},
})
