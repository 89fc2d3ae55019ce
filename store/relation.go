package store

import "example.org/backoffice/backoffice"

var relationTable = describe(backoffice.RelationTable, table[backoffice.CustomerRelation, backoffice.RelationCriteria]{
	name:   "relations",
	seenBy: through("customer_id", "related_customer_id"),
	special: map[string]special{"customerId": {also: "direction otherCustomer"},
		"relatedCustomerId": {also: "direction otherCustomer"}},
	criteria: []criterion[backoffice.RelationCriteria]{
		equals("customer_id", func(c backoffice.RelationCriteria) string { return c.CustomerID }),
		equals("related_customer_id", func(c backoffice.RelationCriteria) string { return c.RelatedCustomerID }),
		equals("kind", func(c backoffice.RelationCriteria) backoffice.RelationKind { return c.Kind }),
		{
			when: func(c backoffice.RelationCriteria) bool { return c.AsOf != "" },
			text: func(*Dialect) string {
				return "(t.start_date IS NULL OR t.start_date <= ?) AND (t.end_date IS NULL OR t.end_date >= ?)"
			},
			args: func(c backoffice.RelationCriteria, _ *Dialect, args []any) []any {
				return append(args, c.AsOf, c.AsOf)
			},
		},
		// At the root a relation has no end to be seen from.
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
})
