package storetest

import (
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
)

// CustomersOfVersion7 are statements that write customers to a store of schema version 7: one that a small write
// changed, and one that a large write did, which began at its visible_at and ended an hour later.
var CustomersOfVersion7 = []string{
	`INSERT INTO customers (id, type, display_name, created_at, updated_at, version, name_folded, search_text, visible_at)
		VALUES ('small', 'COMPANY', 'x', 1, 1700000000000, 4, 'x', 'x', 1700000000500)`,
	`INSERT INTO customers (id, type, display_name, created_at, updated_at, version, name_folded, search_text, visible_at)
		VALUES ('large', 'COMPANY', 'x', 1, 1600000000000, 2, 'x', 'x', 1700000001000)`,
	`INSERT INTO late_writes (written_at, visible_at) VALUES (1700000001000, 1700003601000)`,
}

// CheckCustomersOfVersion7 checks that they are what they were to everybody, when the store was brought up to date.
func CheckCustomersOfVersion7(t *testing.T, store backoffice.Store) {
	t.Helper()
	for seen, customers := range map[string]backoffice.Reader[*backoffice.Customer, backoffice.CustomerCriteria]{
		"with": store.Customers(), "without": store.CustomersWithoutNumbers(),
	} {
		small, large := readOne(t, customers, "small"), readOne(t, customers, "large")
		if small.Version != 4 || small.UpdatedAt != backoffice.InstantAt(1_700_000_000_000) || large.Version != 2 || large.UpdatedAt != backoffice.InstantAt(1_600_000_000_000) {
			t.Errorf("%s the numbers: %+v %+v", seen, small, large)
		}
		for since, want := range map[backoffice.Instant]int{backoffice.InstantAt(1_700_000_000_500): 2, backoffice.InstantAt(1_700_000_000_501): 1, backoffice.InstantAt(1_700_003_601_000): 1, backoffice.InstantAt(1_700_003_601_001): 0} {
			counts, err := backoffice.ReadCounts(t.Context(), customers, backoffice.Root, backoffice.CustomerCriteria{UpdatedSince: since}, []string{backoffice.NoParent})
			if err != nil || counts[backoffice.NoParent] != want {
				t.Errorf("%s the numbers: %d changed since %d, want %d (%v)", seen, counts[backoffice.NoParent], since, want, err)
			}
		}
	}
}

// NamesOfVersion8 are statements that write records with names to a store of schema version 8.
var NamesOfVersion8 = []string{
	`INSERT INTO labels (id, name, created_at) VALUES ('a', 'Zomer', 1), ('b', 'Été', 1), ('c', 'boek', 1)`,
	`INSERT INTO users (id, first_name, last_name, email, version, search_text) VALUES ('ua', 'Zoë', 'A', 'a', 1, 'x'), ('ub', 'élise', 'B', 'b', 1, 'x'), ('uc', 'Eva', 'C', 'c', 1, 'x')`,
	`INSERT INTO financial_years (id, start_date, end_date, is_current) VALUES ('y', '2026', '2026', true)`,
	`INSERT INTO checklists (id, name, language, auth_required, reminders_enabled, financial_year_id) VALUES ('ka', 'Öster', 'dutch', false, false, 'y'), ('kb', 'oma', 'dutch', false, false, 'y')`,
	`INSERT INTO customers (id, type, display_name, created_at, updated_at, version, name_folded, search_text) VALUES ('k', 'COMPANY', 'x', 1, 1, 1, 'x', 'x')`,
	`INSERT INTO documents (id, name, customer_id, created_at) VALUES ('da', 'Überblick', 'k', 1), ('db', 'statuten', 'k', 1), ('dc', 'Akte', 'k', 1)`,
}

// CheckNamesOfVersion8 checks that their lists are ordered by name, when the store was brought up to date.
func CheckNamesOfVersion8(t *testing.T, store backoffice.Store) {
	t.Helper()
	for want, got := range map[string]string{
		"c b a":    idsByName(t, store.Labels()),
		"ub uc ua": idsByName(t, store.Users()),
		"kb ka":    idsByName(t, store.Checklists()),
		"dc db da": idsByName(t, store.Documents()),
	} {
		if got != want {
			t.Errorf("by name %s, want %s", got, want)
		}
	}
}

func idsByName[P backoffice.Entity, C comparable](t *testing.T, reader backoffice.Reader[P, C]) string {
	t.Helper()
	ask := backoffice.ListQuery[C]{Order: backoffice.Order{Key: backoffice.KeyName}, Window: backoffice.Window{Limit: 10}}
	pages, err := backoffice.ReadPages(t.Context(), reader, ask, []string{backoffice.NoParent}, 0)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, row := range pages[backoffice.NoParent].Items {
		ids = append(ids, row.Identity())
	}
	return strings.Join(ids, " ")
}

// CustomersOfVersion13 are statements that write customers with addresses to a store of schema version 13.
var CustomersOfVersion13 = []string{
	`INSERT INTO customers (id, type, display_name, city, postal_code, country, customer_code, email, email_folded, created_at, updated_at, version, name_folded, search_text)
		VALUES ('liege', 'COMPANY', 'Janssens Zoë', 'LIÈGE', '4000', 'België', 'CODE', 'Zoe@example.org', 'zoe@example.org', 1, 1, 1, 'janssens zoe', 'janssens zoe` + "\n" + `code` + "\n" + `zoe@example.org')`,
	`INSERT INTO customers (id, type, display_name, created_at, updated_at, version, name_folded, search_text) VALUES ('nowhere', 'COMPANY', 'x', 1, 1, 1, 'x', 'x')`,
}

// CheckCustomersOfVersion13 checks that filters find them as new ones, when the store was brought up to date.
func CheckCustomersOfVersion13(t *testing.T, store backoffice.Store) {
	t.Helper()
	for want, criteria := range map[string][]backoffice.CustomerCriteria{
		"liege": {
			{City: "liege"}, {PostalCode: "4000"}, {Country: "belgie"}, {Fuzzy: "  JANSENS "}, {Search: "zoe@"}, {Search: "janssens"}, {HasEmail: backoffice.Yes},
			{Any: backoffice.NestedOf(backoffice.CustomerCriteria{City: "liege"})},
		},
		"nowhere":       {{HasEmail: backoffice.No}, {Not: backoffice.NestedOf(backoffice.CustomerCriteria{City: "liege"})}},
		"liege nowhere": {{HasPhone: backoffice.No}, {HasKboNumber: backoffice.No}},
		"":              {{City: "not folded"}, {City: "NOT FOLDED"}},
	} {
		for _, c := range criteria {
			pages, err := backoffice.ReadPages(t.Context(), store.Customers(), backoffice.ListQuery[backoffice.CustomerCriteria]{Criteria: c, Window: backoffice.Window{Limit: 10}}, nil, 0)
			if got := strings.Join(ids(pages[backoffice.NoParent].Items, (*backoffice.Customer).Identity), " "); err != nil || got != want {
				t.Errorf("%+v finds %q, want %q (%v)", c, got, want, err)
			}
		}
	}
}

// LogOfVersion39 is a log from before a store noted when its clock was seen.
var LogOfVersion39 = []string{
	`INSERT INTO changes (sequence, at, client_id, action, noun, object_id)
	VALUES (1, 5, 'c', 'a', 'label', 'x'), (2, 7, 'c', 'a', 'label', 'y')`,
}

// CheckClockOfVersion39 checks that the clock of an upgraded store was last seen at its last change.
func CheckClockOfVersion39(t *testing.T, store backoffice.Store) {
	t.Helper()
	seen, err := store.Lease(t.Context(), backoffice.LeaseOfClock)
	if err != nil || seen == nil || seen.Until.Milliseconds() != 7 {
		t.Errorf("its clock was seen %+v (%v)", seen, err)
	}
}
