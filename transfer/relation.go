package transfer

import (
	"context"

	"example.org/backoffice/backoffice"
)

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
	reader: func(s backoffice.Reads) backoffice.Reader[*relation, backoffice.RelationCriteria] {
		return s.Relations()
	},
	writer: func(tx backoffice.Tx) backoffice.Writer[*relation, backoffice.RelationCriteria] {
		return tx.Relations()
	},
	check: backoffice.CheckRelation,
	clash: relationClash,
})

func relationClash(ctx context.Context, tx backoffice.Tx, row *relation) (string, error) {
	taken := ""
	same := backoffice.RelationCriteria{Kind: row.Kind, Direction: backoffice.Outgoing}
	err := eachRow(ctx, tx.Relations(), backoffice.OfCustomer, row.CustomerID, same, func(other *relation) {
		if other.RelatedCustomerID == row.RelatedCustomerID && other.ID != row.ID {
			taken = "relatedCustomer"
		}
	})
	return taken, err
}
