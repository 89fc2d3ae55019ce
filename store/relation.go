package store

import "example.org/backoffice/backoffice"

var relationTable = &table[backoffice.CustomerRelation, backoffice.RelationCriteria]{
	noun: backoffice.NounRelation,
	name: "relations",
	id:   func(r *backoffice.CustomerRelation) *string { return &r.ID },
	columns: []column[backoffice.CustomerRelation]{
		text("id", "", func(r *backoffice.CustomerRelation) *string { return &r.ID }),
		enum("kind", "kind", backoffice.RelationKinds, func(r *backoffice.CustomerRelation) *backoffice.RelationKind { return &r.Kind }),
		link("customer_id", "customer direction otherCustomer", func(r *backoffice.CustomerRelation) *string { return &r.CustomerID }),
		link("related_customer_id", "relatedCustomer direction otherCustomer", func(r *backoffice.CustomerRelation) *string { return &r.RelatedCustomerID }),
		number("created_at", "createdAt", func(r *backoffice.CustomerRelation) *backoffice.Instant { return &r.CreatedAt }),
	},
	nothing: func(c backoffice.RelationCriteria) bool { return c.Nothing },
	criteria: []criterion[backoffice.RelationCriteria]{
		equals("customer_id", func(c backoffice.RelationCriteria) string { return c.CustomerID }),
		equals("related_customer_id", func(c backoffice.RelationCriteria) string { return c.RelatedCustomerID }),
		equals("kind", func(c backoffice.RelationCriteria) backoffice.RelationKind { return c.Kind }),
		// At the root there is no end to see a relation from.
		choosesEnds(func(c backoffice.RelationCriteria) bool { return c.Direction == backoffice.Outgoing }),
		choosesEnds(func(c backoffice.RelationCriteria) bool { return c.Direction == backoffice.Incoming }),
	},
	parents: map[backoffice.Parent]parentColumns[backoffice.RelationCriteria]{
		backoffice.OfCustomer: func(c backoffice.RelationCriteria) []string {
			switch c.Direction {
			case backoffice.Outgoing:
				return []string{"customer_id"}
			case backoffice.Incoming:
				return []string{"related_customer_id"}
			}
			return []string{"customer_id", "related_customer_id"}
		},
	},
	unique: uniqueValue{field: []string{"relatedCustomerId"}, columns: []string{"customer_id", "related_customer_id", "kind"}},
	references: []reference{
		{"customer_id", "customers", []string{"customerId"}},
		{"related_customer_id", "customers", []string{"relatedCustomerId"}},
	},
}
