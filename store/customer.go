package store

import (
	"maps"
	"slices"
	"strings"

	"example.org/backoffice/backoffice"
)

// customerUpdatedSince is where the criterion updatedSince stands among a customer's.
const customerUpdatedSince = 0

// withoutChecklist asks apart whether there is such a checklist: asked together, PostgreSQL reads all transcripts.
var withoutChecklist = criterion[backoffice.CustomerCriteria]{
	when: func(c backoffice.CustomerCriteria) bool { return c.WithoutChecklistID != "" },
	text: func(*Dialect) string {
		return "EXISTS (SELECT 1 FROM checklists k WHERE k.id = ?) AND NOT EXISTS (SELECT 1 FROM transcripts w WHERE w.checklist_id = ? AND w.customer_id = t.id)"
	},
	args: func(c backoffice.CustomerCriteria, _ *Dialect, args []any) []any {
		id := storable(c.WithoutChecklistID)
		return append(args, id, id)
	},
}

var customerTable = describe(backoffice.CustomerTable, table[backoffice.Customer, backoffice.CustomerCriteria]{
	name:      "customers",
	changedAt: func(c *backoffice.Customer) []*backoffice.Instant { return []*backoffice.Instant{&c.UpdatedAt} },
	hidden: &hiddenChanges[backoffice.Customer]{
		is:    func(c *backoffice.Customer) bool { return c.OpenUpdatedAt != 0 },
		wrote: "v.open_updated_at <> 0",
	},
	special: map[string]special{
		"type": {also: "name"}, "name": {name: "own_name"}, "firstName": {also: "name"}, "lastName": {also: "name"}, "companyType": {also: "companyTypeLabel"},
		"createdAt": {also: orderField(backoffice.KeyCreatedAt)}, "updatedAt": {also: orderField(backoffice.KeyUpdatedAt)},
	},
	columns: concat(
		sealed("registration", "registrationNumber", func(c *backoffice.Customer) *backoffice.Sealed { return &c.Registration }),
		sealed("spouse_registration", "spouseRegistrationNumber", func(c *backoffice.Customer) *backoffice.Sealed { return &c.SpouseRegistration }),
		[]column[backoffice.Customer]{
			text("display_name", "displayName "+orderField(backoffice.KeyName), func(c *backoffice.Customer) *string { return &c.DisplayName }),
			number("hidden_changes", "", func(c *backoffice.Customer) *int { return &c.HiddenChanges }),
			openUpdatedAt,
			folded("name_folded", func(c *backoffice.Customer) string { return backoffice.Fold(c.DisplayName) }),
			folded("email_folded", func(c *backoffice.Customer) string { return backoffice.FoldEmail(string(c.Email)) }).orNull(),
			folded("search_text", backoffice.SearchTextOf),
		}),
	nothing: func(c backoffice.CustomerCriteria) bool { return c.Nothing },
	criteria: []criterion[backoffice.CustomerCriteria]{
		customerUpdatedSince: changedSince("visible_at", func(c backoffice.CustomerCriteria) backoffice.Instant { return c.UpdatedSince }),
		{
			when: func(c backoffice.CustomerCriteria) bool { return c.IDs != nil },
			text: func(d *Dialect) string { return "t.id " + d.in },
			args: func(c backoffice.CustomerCriteria, d *Dialect, args []any) []any {
				return append(args, d.List(c.IDs.List()))
			},
		},
		equals("type", func(c backoffice.CustomerCriteria) backoffice.CustomerType { return c.Type }),
		equals("language", func(c backoffice.CustomerCriteria) string { return c.Language }),
		equals("responsible_id", func(c backoffice.CustomerCriteria) string { return c.ResponsibleID }),
		equals("email_folded", func(c backoffice.CustomerCriteria) string { return c.EmailFolded }),
		equals("customer_code", func(c backoffice.CustomerCriteria) string { return c.CustomerCode }),
		equals("kbo_number", func(c backoffice.CustomerCriteria) string { return c.KboNumber }),
		equals("company_type", func(c backoffice.CustomerCriteria) backoffice.LegalForm { return c.CompanyType }),
		matches(func(c backoffice.CustomerCriteria) string { return c.Scope }, func(*Dialect) string {
			return "t.id IN (SELECT s.customer_id FROM customer_scopes s WHERE s.scope = ?)"
		}),
		search("customers", func(c backoffice.CustomerCriteria) string { return c.Search }),
		withoutChecklist,
		blindIndex("registration_index", func(c backoffice.CustomerCriteria) string { return c.RegistrationIndex }),
		blindIndex("spouse_registration_index", func(c backoffice.CustomerCriteria) string { return c.SpouseRegistrationIndex }),
	},
	parents: map[backoffice.Parent]parentColumns[backoffice.CustomerCriteria]{
		backoffice.OfUser: under[backoffice.CustomerCriteria]("responsible_id"),
	},
	orders: map[backoffice.OrderKey]order{
		backoffice.KeyName:      byText("name_folded"),
		backoffice.KeyCreatedAt: byNumber("created_at"),
		backoffice.KeyUpdatedAt: byNumber("updated_at"),
	},
	dimensions: map[backoffice.Dimension]dimension{
		backoffice.GroupByType:         byColumn("type"),
		backoffice.GroupByLanguage:     byColumn("language"),
		backoffice.GroupByCompanyType:  byColumn("company_type"),
		backoffice.GroupByResponsible:  {value: "t.responsible_id", called: calledUser},
		backoffice.GroupByScope:        {value: "s.scope", join: " LEFT JOIN customer_scopes s ON s.customer_id = t.id", several: true},
		backoffice.GroupByCity:         byColumn("city"),
		backoffice.GroupByPostalCode:   byColumn("postal_code"),
		backoffice.GroupByCountry:      byColumn("country"),
		backoffice.GroupByCreatedMonth: byMonth("created_at"),
		backoffice.GroupByUpdatedMonth: byMonth("updated_at"),
	},
	lists: []sideList[backoffice.Customer]{{
		table: "customer_scopes", owner: "customer_id", value: "scope",
		of: func(c *backoffice.Customer) []string { return c.Scopes },
	}},
	unique: uniqueValue{release: "customer_code = NULL"},
})

// Customers implements backoffice.Readers.
func (r *readers) Customers() backoffice.Reader[*backoffice.Customer, backoffice.CustomerCriteria] {
	return readerOf(r, customerTable)
}

// Customers implements backoffice.Tx.
func (t *tx) Customers() backoffice.Writer[*backoffice.Customer, backoffice.CustomerCriteria] {
	return simpleWriter(t, customerTable)
}

// openUpdatedAt is when pairs without privacy.read see that a customer was changed last; the record has it only where it
// is not UpdatedAt.
var openUpdatedAt = func() column[backoffice.Customer] {
	c := number("open_updated_at", "", func(c *backoffice.Customer) *backoffice.Instant { return &c.OpenUpdatedAt })
	c.write = "CASE WHEN v.open_updated_at = 0 THEN v.updated_at ELSE v.open_updated_at END"
	c.read = func(c *backoffice.Customer, r *Row, i int) {
		if at := backoffice.Instant(r.Int(i)); at != c.UpdatedAt {
			c.OpenUpdatedAt = at
		}
	}
	return c
}()

// customersWithoutNumbers describes the same table as a pair without privacy.read sees it: the numbers are not read, and
// version, updatedAt and what goes by it are those that a change of the numbers alone does not move.
var customersWithoutNumbers = func() *table[backoffice.Customer, backoffice.CustomerCriteria] {
	t := *customerTable
	t.columns = slices.Clone(t.columns)
	for i := range t.columns {
		switch c := &t.columns[i]; c.name {
		case "registration", "registration_index", "spouse_registration", "spouse_registration_index", "hidden_changes", "open_updated_at":
			c.derived = true
		case "version":
			c.expr = "(t.version - t.hidden_changes)"
		case "updated_at":
			c.name = "open_updated_at"
		}
	}
	t.criteria = slices.Clone(t.criteria)
	t.criteria[customerUpdatedSince] = changedSince("open_visible_at", func(c backoffice.CustomerCriteria) backoffice.Instant { return c.UpdatedSince })
	t.orders = maps.Clone(t.orders)
	t.orders[backoffice.KeyUpdatedAt] = byNumber("open_updated_at")
	t.dimensions = maps.Clone(t.dimensions)
	t.dimensions[backoffice.GroupByUpdatedMonth] = byMonth("open_updated_at")
	return register(&t)
}()

// CustomersWithoutNumbers implements backoffice.Readers.
func (r *readers) CustomersWithoutNumbers() backoffice.Reader[*backoffice.Customer, backoffice.CustomerCriteria] {
	return readerOf(r, customersWithoutNumbers)
}

func concat[E any](parts ...[]E) (all []E) {
	for _, part := range parts {
		all = append(all, part...)
	}
	return all
}

// blindIndex picks customers by the keyed index of a registration number.
func blindIndex(column string, of func(backoffice.CustomerCriteria) string) criterion[backoffice.CustomerCriteria] {
	return criterion[backoffice.CustomerCriteria]{
		when: func(c backoffice.CustomerCriteria) bool { return of(c) != "" },
		text: func(*Dialect) string { return "t." + column + " = ?" },
		args: func(c backoffice.CustomerCriteria, _ *Dialect, args []any) []any { return append(args, []byte(of(c))) },
	}
}

// search picks rows whose search text contains a folded text of at least three characters, through an index of trigrams.
func search[C any](table string, of func(C) string) criterion[C] {
	return criterion[C]{
		when: func(c C) bool { return of(c) != "" },
		text: func(d *Dialect) string {
			if d.bulk {
				return "t.search_text LIKE ?"
			}
			return "t.rowid IN (SELECT f.rowid FROM " + table + "_search f WHERE f.search_text MATCH ?)"
		},
		args: func(c C, d *Dialect, args []any) []any {
			if d.bulk {
				return append(args, "%"+likeEscapes.Replace(storable(of(c)))+"%")
			}
			return append(args, `"`+strings.ReplaceAll(storable(of(c)), `"`, `""`)+`"`)
		},
	}
}

var likeEscapes = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)
