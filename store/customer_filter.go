package store

import (
	"slices"
	"strings"

	"example.org/backoffice/backoffice"
)

type customerCriterion = criterion[backoffice.CustomerCriteria]

// customerCriteria are the criteria on a customer's own row; the columns of its latest change come first.
func customerCriteria(updatedAt string, visibleAt ...string) []customerCriterion {
	type C = backoffice.CustomerCriteria
	return slices.Concat(
		[]customerCriterion{changedSince(func(c C) backoffice.Instant { return c.UpdatedSince }, visibleAt...)},
		spanned(updatedAt, func(c C) backoffice.Span { return c.Updated }),
		spanned("created_at", func(c C) backoffice.Span { return c.Created }),
		[]customerCriterion{
			{
				when: func(c C) bool { return c.IDs != nil },
				text: func(d *Dialect) string { return "t.id " + d.in },
				args: func(c C, d *Dialect, args []any) []any { return append(args, d.List(c.IDs.List())) },
			},
			equals("type", func(c C) backoffice.CustomerType { return c.Type }),
			equals("language", func(c C) string { return c.Language }),
			equals("responsible_id", func(c C) string { return c.ResponsibleID }),
			equals("email_folded", func(c C) string { return c.EmailFolded }),
			equals("customer_code", func(c C) string { return c.CustomerCode }),
			equals("kbo_number", func(c C) string { return c.KboNumber }),
			equals("company_type", func(c C) backoffice.LegalForm { return c.CompanyType }),
			equals("city_folded", func(c C) string { return c.City }),
			equals("postal_code_folded", func(c C) string { return c.PostalCode }),
			equals("country_folded", func(c C) string { return c.Country }),
			matches(func(c C) string { return c.Scope }, func(*Dialect) string {
				return "t.id IN (SELECT s.customer_id FROM customer_scopes s WHERE s.scope = ?)"
			}),
			matches(func(c C) string { return c.LabelID }, func(*Dialect) string {
				return "t.responsible_id IN (" + usersWithLabel + ")"
			}),
			search("customers", func(c C) string { return c.Search }),
			withoutChecklist,
			matches(func(c C) string { return c.MissingChecklistOf }, func(*Dialect) string {
				return "EXISTS (" + missingUsual + ")"
			}),
			blindIndex("registration_index", func(c C) string { return c.RegistrationIndex }),
			blindIndex("spouse_registration_index", func(c C) string { return c.SpouseRegistrationIndex }),
			blindIndexes("registration_index", func(c C) string { return c.RegistrationIndex }),
			blindIndexes("spouse_registration_index", func(c C) string { return c.SpouseRegistrationIndex }),
		},
		flagged("email_folded", func(c C) backoffice.Tristate { return c.HasEmail }),
		flagged("phone", func(c C) backoffice.Tristate { return c.HasPhone }),
		flagged("responsible_id", func(c C) backoffice.Tristate { return c.HasResponsible }),
		flagged("kbo_number", func(c C) backoffice.Tristate { return c.HasKboNumber }),
		[]customerCriterion{
			where(func(c C) bool { return c.HasDocument == backoffice.Yes }, "EXISTS ("+documentsOfCustomer+")"),
			where(func(c C) bool { return c.HasDocument == backoffice.No }, "NOT EXISTS ("+documentsOfCustomer+")"),
			where(func(c C) bool { return c.OwnershipDiffers == backoffice.Yes }, "EXISTS ("+openDiscrepancies+")"),
			where(func(c C) bool { return c.OwnershipDiffers == backoffice.No }, "NOT EXISTS ("+openDiscrepancies+")"),
		},
	)
}

const (
	// missingUsual are the checklists of a financial year that at least half of the customers of t's type and language
	// have, and t lacks. The part without t comes first, so that it runs once.
	missingUsual = "SELECT 1 FROM (SELECT x.checklist_id, h.type, h.language, COUNT(DISTINCT h.id) AS n" +
		" FROM customers h CROSS JOIN transcripts x WHERE x.customer_id = h.id AND x.financial_year_id = ?" +
		" GROUP BY x.checklist_id, h.type, h.language) u JOIN (SELECT a.type, a.language, COUNT(*) AS n" +
		" FROM customers a GROUP BY a.type, a.language) k ON k.type = u.type AND" +
		" COALESCE(k.language, '') = COALESCE(u.language, '') AND 2 * u.n >= k.n WHERE u.type = t.type AND" +
		" COALESCE(u.language, '') = COALESCE(t.language, '') AND NOT EXISTS (SELECT 1 FROM transcripts w" +
		" WHERE w.checklist_id = u.checklist_id AND w.customer_id = t.id)"

	usersWithLabel      = "SELECT l.user_id FROM user_labels l WHERE l.label_id = ?"
	openDiscrepancies   = "SELECT 1 FROM discrepancies o WHERE o.customer_id = t.id AND o.closed_at IS NULL"
	documentsOfCustomer = "SELECT 1 FROM documents o WHERE o.customer_id = t.id"
)

// withoutChecklist checks separately that the checklist exists: combined, PostgreSQL reads all transcripts.
var withoutChecklist = customerCriterion{
	when: func(c backoffice.CustomerCriteria) bool { return c.WithoutChecklistID != "" },
	text: func(*Dialect) string {
		return "EXISTS (SELECT 1 FROM checklists k WHERE k.id = ?) AND NOT EXISTS (SELECT 1 FROM transcripts w" +
			" WHERE w.checklist_id = ? AND w.customer_id = t.id)"
	},
	args: func(c backoffice.CustomerCriteria, _ *Dialect, args []any) []any {
		id := storable(c.WithoutChecklistID)
		return append(args, id, id)
	},
}

func blindIndex(column string, of func(backoffice.CustomerCriteria) string) customerCriterion {
	return customerCriterion{
		when: func(c backoffice.CustomerCriteria) bool { return of(c) != "" && !isTwo(of(c)) },
		text: func(*Dialect) string { return "t." + column + " = ?" },
		args: func(c backoffice.CustomerCriteria, _ *Dialect, args []any) []any { return append(args, []byte(of(c))) },
	}
}

func isTwo(indexes string) bool { return len(indexes) == 2*backoffice.IndexSize }

// blindIndexes is blindIndex during a key rotation: it matches either of two.
func blindIndexes(column string, of func(backoffice.CustomerCriteria) string) customerCriterion {
	return customerCriterion{
		when: func(c backoffice.CustomerCriteria) bool { return isTwo(of(c)) },
		text: func(*Dialect) string { return "t." + column + " IN (?, ?)" },
		args: func(c backoffice.CustomerCriteria, _ *Dialect, args []any) []any {
			return append(args, []byte(of(c)[:backoffice.IndexSize]), []byte(of(c)[backoffice.IndexSize:]))
		},
	}
}

var customersWithin = &alternatives[backoffice.CustomerCriteria]{
	anyOf: func(c backoffice.CustomerCriteria) backoffice.Nested[backoffice.CustomerCriteria] { return c.Any },
	not:   func(c backoffice.CustomerCriteria) backoffice.Nested[backoffice.CustomerCriteria] { return c.Not },
}

var customerConditions = []varying[backoffice.CustomerCriteria]{
	ofTranscripts(func(c backoffice.CustomerCriteria) backoffice.Nested[backoffice.TranscriptCriteria] {
		return c.SomeTranscript
	}, (*Dialect).owning),
	ofTranscripts(func(c backoffice.CustomerCriteria) backoffice.Nested[backoffice.TranscriptCriteria] {
		return c.NoTranscript
	}, func(_ *Dialect, query string) string {
		return "NOT EXISTS (SELECT 1 FROM (" + query + ") e WHERE e.owner = t.id)" // one customer at a time, by index
	}),
	{
		when: func(c backoffice.CustomerCriteria) bool { return c.Relations.AtLeast > 0 },
		text: func(c backoffice.CustomerCriteria, d *Dialect) string { return relationsText(c.Relations, d) },
		args: func(c backoffice.CustomerCriteria, d *Dialect, args []any) []any {
			return relationsArguments(c.Relations, d, args)
		},
	},
}

func ofTranscripts(of func(backoffice.CustomerCriteria) backoffice.Nested[backoffice.TranscriptCriteria],
	text func(d *Dialect, query string) string) varying[backoffice.CustomerCriteria] {
	return varying[backoffice.CustomerCriteria]{
		when: func(c backoffice.CustomerCriteria) bool { return of(c).IsSet() },
		text: func(c backoffice.CustomerCriteria, d *Dialect) string {
			condition := transcriptTable.conditionOf(of(c).List()[0], d)
			return text(d, "SELECT t.customer_id AS owner FROM transcripts t WHERE "+condition)
		},
		args: func(c backoffice.CustomerCriteria, d *Dialect, args []any) []any {
			return transcriptTable.argumentsOf(of(c).List()[0], d, args)
		},
	}
}

// relationEnds are the columns of relations that may be the customer at this end.
func relationEnds(direction backoffice.RelationDirection) []string {
	return relationTable.parents[backoffice.OfCustomer](backoffice.RelationCriteria{Direction: direction})
}

func relationsText(c backoffice.RelationsCriteria, d *Dialect) string {
	var parts []string
	condition := relationTable.conditionOf(c.Counted(), d)
	for _, end := range relationEnds(c.Direction) {
		parts = append(parts, "SELECT t."+end+" AS owner FROM relations t WHERE "+condition)
	}
	query := strings.Join(parts, " UNION ALL ")
	if c.AtLeast > 1 {
		query = "SELECT o.owner FROM (" + query + ") o GROUP BY o.owner HAVING COUNT(*) >= ?"
	}
	if text := d.owning(query); !c.Fewer {
		return text
	}
	return "NOT " + d.owning(query)
}

func relationsArguments(c backoffice.RelationsCriteria, d *Dialect, args []any) []any {
	for range relationEnds(c.Direction) {
		args = relationTable.argumentsOf(c.Counted(), d, args)
	}
	if c.AtLeast > 1 {
		args = append(args, int64(c.AtLeast))
	}
	return args
}
