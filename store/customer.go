package store

import (
	"maps"
	"slices"
	"strings"

	"example.org/backoffice/backoffice"
)

var customerTable = describe(backoffice.CustomerTable, table[backoffice.Customer, backoffice.CustomerCriteria]{
	name:      "customers",
	seenBy:    seenBy{itself: true},
	changedAt: func(c *backoffice.Customer) []*backoffice.Instant { return []*backoffice.Instant{&c.UpdatedAt} },
	changedIn: []string{"updated_at"},
	hidden: &hiddenChanges[backoffice.Customer]{
		is:    func(c *backoffice.Customer) bool { return c.OpenUpdatedAt != 0 },
		wrote: "v.open_updated_at <> " + noMoment,
	},
	special: map[string]special{
		"type": {also: "name"}, "name": {name: "own_name"}, "firstName": {also: "name"}, "lastName": {also: "name"},
		"companyType": {also: "companyTypeLabel"}, "createdAt": {also: backoffice.KeyCreatedAt.Field()},
		"updatedAt": {also: backoffice.KeyUpdatedAt.Field()},
	},
	columns: slices.Concat(
		sealed("registration", "registrationNumber",
			func(c *backoffice.Customer) *backoffice.Sealed { return &c.Registration }),
		sealed("spouse_registration", "spouseRegistrationNumber",
			func(c *backoffice.Customer) *backoffice.Sealed { return &c.SpouseRegistration }),
		[]column[backoffice.Customer]{
			text("display_name", "displayName "+backoffice.KeyName.Field(),
				func(c *backoffice.Customer) *string { return &c.DisplayName }),
			number("hidden_changes", "", func(c *backoffice.Customer) *int { return &c.HiddenChanges }),
			openUpdatedAt,
			folded("name_folded", func(c *backoffice.Customer) string { return backoffice.Fold(c.DisplayName) }),
			folded("email_folded",
				func(c *backoffice.Customer) string { return backoffice.FoldEmail(string(c.Email)) }).orNull(),
			folded("similar_name",
				func(c *backoffice.Customer) string { return backoffice.SimilarNameOf(c.DisplayName) }).orNull(),
			folded("search_text", backoffice.SearchTextOf),
			folded("city_folded",
				func(c *backoffice.Customer) string { return backoffice.Fold(string(c.Address.City)) }).orNull(),
			folded("postal_code_folded",
				func(c *backoffice.Customer) string { return backoffice.Fold(string(c.Address.PostalCode)) }).orNull(),
			folded("country_folded",
				func(c *backoffice.Customer) string { return backoffice.Fold(string(c.Address.Country)) }).orNull(),
		}),
	criteria: customerCriteria("updated_at", "visible_at"),
	within:   customersWithin,
	varying:  customerConditions,
	similar: &similar[backoffice.Customer, backoffice.CustomerCriteria]{
		words: func(c backoffice.CustomerCriteria) string { return c.Fuzzy },
		place: backoffice.SimilarPlace,
	},
	orders: map[backoffice.OrderKey]order{
		backoffice.KeyName:      byText("name_folded"),
		backoffice.KeyCreatedAt: byNumber("created_at"),
		backoffice.KeyUpdatedAt: byNumber("updated_at"),
		backoffice.KeyRelevance: byRelevance,
		backoffice.KeyRelations: byCount("((SELECT COUNT(*) FROM relations a" +
			" WHERE a.customer_id = t.id) + (SELECT COUNT(*) FROM relations b WHERE b.related_customer_id = t.id))"),
		backoffice.KeyOpenTranscripts: byCount("(SELECT COUNT(*) FROM transcripts w" +
			" WHERE w.customer_id = t.id AND w.is_completed = false)"),
	},
	dimensions: map[backoffice.Dimension]dimension{
		backoffice.GroupByType:        byColumn("type"),
		backoffice.GroupByLanguage:    byColumn("language"),
		backoffice.GroupByCompanyType: byColumn("company_type"),
		backoffice.GroupByResponsible: {value: "t.responsible_id", called: calledUser},
		backoffice.GroupByLabel:       byLabel("t", ""),
		// of duplicates
		backoffice.GroupByEmail:            byColumn("email_folded"),
		backoffice.GroupByKboNumber:        byColumn("kbo_number"),
		backoffice.GroupByName:             byColumn("name_folded"),
		backoffice.GroupByPostalCodeFolded: byColumn("postal_code_folded"),
		backoffice.GroupBySimilarName:      byColumn("similar_name"),
		backoffice.GroupByRegistration:     {value: "t.registration_index", secret: true},
		backoffice.GroupByScope: {value: "s.scope", join: " LEFT JOIN customer_scopes s ON s.customer_id = t.id",
			several: true},
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

// openUpdatedAt is the last change visible to credentials without privacy.read, where it is not UpdatedAt.
var openUpdatedAt = func() column[backoffice.Customer] {
	c := instant("open_updated_at", "", func(c *backoffice.Customer) *backoffice.Instant { return &c.OpenUpdatedAt })
	c.write = "CASE WHEN v.open_updated_at = " + noMoment + " THEN v.updated_at ELSE v.open_updated_at END"
	c.read = func(c *backoffice.Customer, r *Row, i int) {
		if at := r.Instant(i); at != c.UpdatedAt {
			c.OpenUpdatedAt = at
		}
	}
	return c
}()

// CustomersWithoutNumbers is the same table as credentials without privacy.read see it: registration numbers are not
// read, and a change of the numbers alone moves neither version nor updatedAt, nor what depends on them.
var _ = func() *table[backoffice.Customer, backoffice.CustomerCriteria] {
	t := *customerTable
	t.view = backoffice.CustomersWithoutNumbers
	t.columns = slices.Clone(t.columns)
	for i := range t.columns {
		switch c := &t.columns[i]; c.name {
		case "registration", "registration_index", "spouse_registration", "spouse_registration_index", "hidden_changes",
			"open_updated_at":
			c.derived = true
		case "version":
			c.expr = "(t.version - t.hidden_changes)"
		case "updated_at":
			c.name = "open_updated_at"
		}
	}
	t.criteria = customerCriteria("open_updated_at", "visible_at", "open_visible_at")
	t.orders = maps.Clone(t.orders)
	t.orders[backoffice.KeyUpdatedAt] = byNumber("open_updated_at")
	t.dimensions = maps.Clone(t.dimensions)
	t.dimensions[backoffice.GroupByUpdatedMonth] = byMonth("open_updated_at")
	delete(t.dimensions, backoffice.GroupByRegistration)
	return register(&t)
}()

// search picks rows that contain a folded text of 3 characters or more, by a trigram index.
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
