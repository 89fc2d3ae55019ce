package store

import "example.org/backoffice/backoffice"

var documentTable = &table[backoffice.CustomerDocument, backoffice.DocumentCriteria]{
	noun: backoffice.NounDocument,
	name: "documents",
	id:   func(d *backoffice.CustomerDocument) *string { return &d.ID },
	columns: append([]column[backoffice.CustomerDocument]{
		text("id", "", func(d *backoffice.CustomerDocument) *string { return &d.ID }),
		text("name", "name "+orderField(backoffice.KeyName), func(d *backoffice.CustomerDocument) *string { return &d.Name }),
		link("customer_id", "customer", func(d *backoffice.CustomerDocument) *string { return &d.CustomerID }),
		number("created_at", "createdAt", func(d *backoffice.CustomerDocument) *backoffice.Instant { return &d.CreatedAt }),
		folded("name_folded", func(d *backoffice.CustomerDocument) string { return backoffice.Fold(d.Name) }),
	}, file("file", backoffice.DocumentFile, func(d *backoffice.CustomerDocument) *string { return &d.ID },
		func(d *backoffice.CustomerDocument) **backoffice.File { return &d.File })...),
	nothing: func(c backoffice.DocumentCriteria) bool { return c.Nothing },
	criteria: []criterion[backoffice.DocumentCriteria]{
		equals("customer_id", func(c backoffice.DocumentCriteria) string { return c.CustomerID }),
	},
	parents: map[backoffice.Parent]parentColumns[backoffice.DocumentCriteria]{
		backoffice.OfCustomer: under[backoffice.DocumentCriteria]("customer_id"),
	},
	orders:     map[backoffice.OrderKey]order{backoffice.KeyName: byText("name_folded")},
	references: []reference{{"customer_id", "customers", []string{"customer"}}},
}
