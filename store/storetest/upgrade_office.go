package storetest

import (
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
)

// officeOfVersion1 has a record of each noun, in the columns that schema version 1 wants.
var officeOfVersion1 = []struct{ table, insert string }{
	{"labels", `(id, name, created_at) VALUES ('a', 'Zomer', 1)`},
	{"users", `(id, first_name, last_name, email, version, search_text) VALUES ('a', 'Zoë', 'A', 'a@example.org', 1, 'zoe a')`},
	{"financial_years", `(id, start_date, end_date, is_current) VALUES ('a', '2024', '2024', false)`},
	{"checklists", `(id, name, language, auth_required, reminders_enabled, financial_year_id) VALUES ('a', 'Öster', 'dutch', false, false, 'a')`},
	{"customers", `(id, type, own_name, display_name, responsible_id, city, created_at, updated_at, version, name_folded, search_text) VALUES ('a', 'COMPANY', 'Été', 'Été', 'a', 'Liège', 1, 2, 3, 'ete', 'ete')`},
	{"relations", `(id, kind, customer_id, related_customer_id, created_at) VALUES ('a', 'DIRECTOR', 'a', 'a', 1)`},
	{"transcripts", `(id, own_status, own_updated_at, status, updated_at, is_completed, progress, document_generated, customer_id, checklist_id, financial_year_id)
		VALUES ('a', 'SENT', 4, 'SENT', 4, true, 50, false, 'a', 'a', 'a')`},
	{"calculations", `(id, state, updated_at, transcript_id, customer_id) VALUES ('a', 'SENT', 5, 'a', 'a')`},
	{"documents", `(id, name, customer_id, created_at) VALUES ('a', 'Überblick', 'a', 1)`},
	{"minfin_documents", `(id, name, document_type, customer_id, financial_year_id, synchronised_at) VALUES ('a', 'Brief', 'letter', 'a', 'a', 1)`},
	{"consultations", `(id, at, client_id, client_name, operation, customer_id, chain, number) VALUES ('a', 1, 'c', 'C', 'READ', 'a', 1, 1)`},
}

// ofCopies are the columns of a copy that cannot be the first's.
var ofCopies = map[string]string{
	"labels.name": "name || ' 2'", "relations.kind": "'UBO'", "calculations.transcript_id": "'b'", "consultations.number": "2",
	"users.row_no": "2", "customers.row_no": "2",
}

// FillVersion1 writes an office of the first schema version.
func FillVersion1(t *testing.T, db *sql.DB) {
	t.Helper()
	for _, of := range officeOfVersion1 {
		if _, err := db.ExecContext(t.Context(), "INSERT INTO "+of.table+" "+of.insert); err != nil {
			t.Fatalf("%s: %v", of.table, err)
		}
	}
}

// CopyOffice writes a second record of each noun in all columns that the tables have by now, and a deleted relation in
// those of the first version where there is a trash.
func CopyOffice(t *testing.T, db *sql.DB) {
	t.Helper()
	for _, of := range officeOfVersion1 {
		rows, err := db.QueryContext(t.Context(), "SELECT * FROM "+of.table+" LIMIT 0")
		if err != nil {
			t.Fatal(err)
		}
		columns, err := rows.Columns()
		if err != nil || rows.Close() != nil || rows.Err() != nil {
			t.Fatal(err, rows.Err())
		}
		values := slices.Clone(columns)
		for i, column := range columns {
			if own := ofCopies[of.table+"."+column]; own != "" {
				values[i] = own
			} else if column == "id" {
				values[i] = "'b'"
			}
		}
		text := fmt.Sprintf("INSERT INTO %s (%s) SELECT %s FROM %[1]s WHERE id = 'a'", of.table, strings.Join(columns, ", "), strings.Join(values, ", "))
		if _, err := db.ExecContext(t.Context(), text); err != nil {
			t.Fatalf("%s: %v", of.table, err)
		}
	}
	if _, err := db.ExecContext(t.Context(), "SELECT 1 FROM trash"); err != nil {
		return // this version has none
	}
	deleted := []byte(`{"relations": [{"id": "c", "kind": "UBO", "customer_id": "a", "related_customer_id": "b"}]}`)
	const insert = "INSERT INTO trash (id, noun, client_id, at, until, records) VALUES ('c', 'relation', 'd', 1, 2, $1)"
	if _, err := db.ExecContext(t.Context(), insert, deleted); err != nil {
		t.Fatal(err)
	}
}

// CheckUpgraded checks that both records of each noun are there, in every order, counted, and found by what is worked
// out of them.
func CheckUpgraded(t *testing.T, store backoffice.Store) {
	t.Helper()
	o := crowd()
	isThere(t, store.Labels(), byName, nil)
	isThere(t, store.Users(), byName, nil, backoffice.UserCriteria{Search: "zoe"})
	isThere(t, store.FinancialYears(), o.yearModel().orders, nil)
	ofYear, ofCustomer := map[backoffice.Parent]string{backoffice.OfFinancialYear: "a"}, map[backoffice.Parent]string{backoffice.OfCustomer: "a"}
	isThere(t, store.Checklists(), byName, ofYear, backoffice.ChecklistCriteria{Language: "dutch"})
	isThere(t, store.Customers(), storedOrders(o.customerModel().orders), map[backoffice.Parent]string{backoffice.OfUser: "a"},
		backoffice.CustomerCriteria{Search: "ete"}, backoffice.CustomerCriteria{City: "liege"}, backoffice.CustomerCriteria{ResponsibleID: "a"})
	isThere(t, store.Relations(), nil, nil)
	isThere(t, store.Transcripts(), storedOrders(o.transcriptModel().orders),
		map[backoffice.Parent]string{backoffice.OfFinancialYear: "a", backoffice.OfChecklist: "a", backoffice.OfCustomer: "a", backoffice.OfUser: "a"},
		backoffice.TranscriptCriteria{IsCompleted: backoffice.Yes}, backoffice.TranscriptCriteria{ResponsibleID: "a"})
	isThere(t, store.Calculations(), o.calculationModel().orders, ofCustomer, backoffice.CalculationCriteria{HasProposal: backoffice.No})
	isThere(t, store.Documents(), byName, ofCustomer)
	isThere(t, store.MinfinDocuments(), nil, map[backoffice.Parent]string{backoffice.OfCustomer: "a", backoffice.OfFinancialYear: "a"}, backoffice.MinfinCriteria{DocumentType: "letter"})
	isThere(t, store.Consultations(), []backoffice.OrderKey{backoffice.KeyAt}, ofCustomer)
	for _, entry := range trashed(t, store) {
		if r := backoffice.RelationTable.In(entry); len(r) != 1 || r[0].Version != 1 || r[0].Kind != backoffice.UBO {
			t.Errorf("%+v is in the trash", entry)
		}
	}
}

// isThere checks that all lists and counts of a noun have both records.
func isThere[T any, P rowOf[T], C comparable](t *testing.T, reader backoffice.Reader[P, C], orders []backoffice.OrderKey, under map[backoffice.Parent]string, criteria ...C) {
	t.Helper()
	var all C
	edges := map[backoffice.Parent]string{backoffice.Root: backoffice.NoParent}
	maps.Copy(edges, under)
	for edge, parent := range edges {
		for i, c := range append(criteria, all) {
			counts, err := backoffice.ReadCounts(t.Context(), reader, edge, c, []string{parent})
			if err != nil || counts[parent] != 2 {
				t.Errorf("%T under %d, criteria %d: %d are counted (%v)", *new(T), edge, i, counts[parent], err)
			}
			for _, key := range append(orders, backoffice.KeyID) {
				ask := backoffice.ListQuery[C]{Parent: edge, Criteria: c, Order: backoffice.Order{Key: key}, Window: backoffice.Window{Limit: 10}}
				pages, err := backoffice.ReadPages(t.Context(), reader, ask, []string{parent}, 0)
				if err != nil || len(pages[parent].Items) != 2 {
					t.Errorf("%T under %d by %v, criteria %d: %d are listed (%v)", *new(T), edge, key, i, len(pages[parent].Items), err)
				}
			}
		}
	}
}
