package store

import (
	"context"

	"example.org/backoffice/backoffice"
)

type discrepancyCriteria = backoffice.DiscrepancyCriteria

var discrepancyTable = describe(backoffice.DiscrepancyTable, table[backoffice.Discrepancy, discrepancyCriteria]{
	name:    "discrepancies",
	special: map[string]special{"personId": {serves: "person"}},
	parents: map[backoffice.Parent]parentColumns[discrepancyCriteria]{
		backoffice.OfCustomer: func(discrepancyCriteria) []string { return []string{"customer_id", "person_id"} },
	},
	criteria: append([]criterion[discrepancyCriteria]{
		equals("customer_id", func(c discrepancyCriteria) string { return c.CustomerID }),
		equals("kind", func(c discrepancyCriteria) backoffice.DiscrepancyKind { return c.Kind }),
		where(func(c discrepancyCriteria) bool { return c.Open == backoffice.Yes }, "t.closed_at IS NULL"),
		where(func(c discrepancyCriteria) bool { return c.Open == backoffice.No }, "t.closed_at IS NOT NULL"),
	}, flagged("reported_at", func(c discrepancyCriteria) backoffice.Tristate { return c.Reported })...),
})

func (t *tx) LockDiscrepancies(ctx context.Context) error { return t.lock(ctx, lockDiscrepancies) }
