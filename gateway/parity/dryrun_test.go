package parity

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway"
	"example.org/backoffice/gateway/gatewaytest"
)

// rehearsals are calls of every mutation that write something in the office, DRY standing for the argument: what is
// selected of the answer, and what it is, identifiers of what would be made left out.
var rehearsals = map[string]struct{ call, want string }{
	"assignChecklist": {`(input: {checklistId: "list-2026-nl", customerId: "cafe", idempotencyKey: "k"}, DRY) { transcript { status customer { displayName } checklist { id } calculation { id } } userErrors { code } }`,
		`{"transcript":{"status":"TO_PROCESS","customer":{"displayName":"Café Élan"},"checklist":{"id":"list-2026-nl"},"calculation":null},"userErrors":[]}`},
	"generateTranscriptDocument": {`(input: {transcriptId: "tr-2"}, DRY) { transcript { id documentGenerated file { contentType } customer { id } } userErrors { code } }`,
		`{"transcript":{"id":"tr-2","documentGenerated":true,"file":{"contentType":"application/pdf"},"customer":{"id":"acme"}},"userErrors":[]}`},
	"createCustomer": {`(input: {type: COMPANY, name: "New", responsibleId: "user-an", idempotencyKey: "k"}, DRY) { customer { displayName version responsible { firstName } relations { totalCount nodes { id } } transcripts { totalCount } } userErrors { code } }`,
		`{"customer":{"displayName":"New","version":1,"responsible":{"firstName":"An"},"relations":{"totalCount":0,"nodes":[]},"transcripts":{"totalCount":0}},"userErrors":[]}`},
	"updateCustomer": {`(input: {id: "acme", responsibleId: "user-bruno", scopes: []}, DRY) { customer { version scopes responsible { firstName } } userErrors { code } }`,
		`{"customer":{"version":5,"scopes":[],"responsible":{"firstName":"Bruno"}},"userErrors":[]}`},
	"deleteCustomer": {`(input: {id: "acme", expectedVersion: 4}, DRY) { deletedCustomerId wouldDelete { relations transcripts calculations documents minfinDocuments files } userErrors { code } }`,
		`{"deletedCustomerId":"acme","wouldDelete":{"relations":4,"transcripts":2,"calculations":2,"documents":2,"minfinDocuments":1,"files":5},"userErrors":[]}`},
	"mergeCustomers": {`(input: {keepId: "gaspard", dropId: "els", idempotencyKey: "k"}, DRY) { customer { id version } merged { relations deletedRelations transcripts calculations documents minfinDocuments filledFields } userErrors { code field } }`,
		`{"customer":{"id":"gaspard","version":2},"merged":{"relations":2,"deletedRelations":0,"transcripts":2,"calculations":1,"documents":0,"minfinDocuments":0,"filledFields":["address","email","phone","registrationNumber","scopes","spouseRegistrationNumber"]},"userErrors":[]}`},
	"createCustomerRelation": {`(input: {customerId: "cafe", relatedCustomerId: "acme", kind: UBO, idempotencyKey: "k"}, DRY) { relation { kind customer { id } relatedCustomer { id } } userErrors { code } }`,
		`{"relation":{"kind":"UBO","customer":{"id":"cafe"},"relatedCustomer":{"id":"acme"}},"userErrors":[]}`},
	"noteDiscrepancy": {`(input: {id: "discrepancy-2", note: "Told them", reportedAt: "2024-07-01T10:00:00Z"}, DRY) { discrepancy { note reportedAt closedAt version } userErrors { code } }`,
		`{"discrepancy":{"note":"Told them","reportedAt":"2024-07-01T10:00:00.000Z","closedAt":"2024-07-02T09:00:00.000Z","version":2},"userErrors":[]}`},
	"updateCustomerRelation": {`(input: {id: "rel-1", sharePercent: 33.3333, endDate: "2026-12-31"}, DRY) { relation { sharePercent endDate version } userErrors { code } }`,
		`{"relation":{"sharePercent":33.3333,"endDate":"2026-12-31","version":2},"userErrors":[]}`},
	"deleteCustomerRelation": {`(input: {id: "rel-1"}, DRY) { deletedRelationId userErrors { code } }`, `{"deletedRelationId":"rel-1","userErrors":[]}`},
	"createDocumentUpload":   {`(input: {customerId: "acme", name: "Statuten.pdf"}, DRY) { userErrors { code } }`, `{"userErrors":[]}`},
	"createLabel":            {`(input: {name: "New", idempotencyKey: "k"}, DRY) { label { name } userErrors { code } }`, `{"label":{"name":"New"},"userErrors":[]}`},
	"updateUser": {`(input: {id: "user-an", labelIds: ["label-plain"]}, DRY) { user { version labels { name } } userErrors { code } }`,
		`{"user":{"version":2,"labels":[{"name":"Without colour"}]},"userErrors":[]}`},
	"deleteUser": {`(input: {id: "user-an"}, DRY) { deletedUserId userErrors { code } }`, `{"deletedUserId":"user-an","userErrors":[]}`},
	"createCustomers": {`(inputs: [{type: COMPANY, name: "New"}, {type: COMPANY, customerCode: "C-001"}], mode: EACH, idempotencyKey: "k", DRY) { results { customer { displayName relations { totalCount } } userErrors { code field } } written userErrors { code } }`,
		`{"results":[{"customer":{"displayName":"New","relations":{"totalCount":0}},"userErrors":[]},{"customer":null,"userErrors":[{"code":"TAKEN","field":["inputs","1","customerCode"]}]}],"written":1,"userErrors":[]}`},
	"updateCustomers": {`(inputs: [{id: "acme", name: "New"}, {id: "cafe", name: "Newer"}], DRY) { results { customer { name version } userErrors { code } } written userErrors { code } }`,
		`{"results":[{"customer":{"name":"New","version":5},"userErrors":[]},{"customer":{"name":"Newer","version":2},"userErrors":[]}],"written":2,"userErrors":[]}`},
	"createCustomerRelations": {`(inputs: [{customerId: "acme", relatedCustomerId: "els", kind: UBO}, {customerId: "cafe", relatedCustomerId: "els", kind: UBO}], idempotencyKey: "k", DRY) { results { relation { kind customer { id } } userErrors { code } } written userErrors { code } }`,
		`{"results":[{"relation":{"kind":"UBO","customer":{"id":"acme"}},"userErrors":[]},{"relation":{"kind":"UBO","customer":{"id":"cafe"}},"userErrors":[]}],"written":1,"userErrors":[]}`},
	"assignChecklists": {`(input: {checklistId: "list-2026-nl", filter: {language: "dutch"}, idempotencyKey: "k"}, DRY) { assigned alreadyAssigned transcripts(first: 1) { totalCount statusCounts { status count } pageInfo { hasNextPage hasPreviousPage } nodes { status customer { id } checklist { id } calculation { id } } } userErrors { code } }`,
		`{"assigned":1,"alreadyAssigned":3,"transcripts":{"totalCount":1,"statusCounts":[{"status":"TO_PROCESS","count":1}],"pageInfo":{"hasNextPage":false,"hasPreviousPage":false},"nodes":[{"status":"TO_PROCESS","customer":{"id":"fien"},"checklist":{"id":"list-2026-nl"},"calculation":null}]},"userErrors":[]}`},
	"saveQuery": {`(input: {name: "kept", title: "Who", document: "query Q { viewer { name } }"}, DRY) { savedQuery { name title } userErrors { code } }`,
		`{"savedQuery":{"name":"kept","title":"Who"},"userErrors":[]}`},
	"removeSavedQuery": {`(input: {name: "saved"}, DRY) { removedName userErrors { code } }`, `{"removedName":"saved","userErrors":[]}`},
	"deleteCustomers": {`(inputs: [{id: "acme"}, {id: "brouwerij"}], DRY) { results { deletedCustomerId userErrors { code } } written wouldDelete { relations files } userErrors { code } }`,
		`{"results":[{"deletedCustomerId":"acme","userErrors":[]},{"deletedCustomerId":"brouwerij","userErrors":[]}],"written":2,"wouldDelete":{"relations":5,"files":5},"userErrors":[]}`},
}

// A mutation that is new in the schema fails here until it has dryRun, and a call above.
func TestADryRunOfEveryMutationAnswersAsTheRealOneAndChangesNothing(t *testing.T) {
	t.Parallel()
	for _, field := range gatewaytest.MutationsOfTheSchema(t) {
		if dry := field.Arguments.ForName("dryRun"); dry == nil || dry.Type.String() != "Boolean" || dry.DefaultValue == nil || dry.DefaultValue.Raw != "false" {
			t.Errorf("%s has no dryRun: Boolean = false", field.Name)
		}
		if rehearsals[field.Name].call == "" {
			t.Errorf("there is no dry run of %s", field.Name)
		}
	}
	for name, fresh := range gatewaytest.Engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := fresh(t)
			settings := gatewaytest.Settings(t, url)
			o := openOfficeIn(t, settings)
			all := o.Credential(t, backoffice.AllScopes...)
			of := func() map[string]string { return storeDigest(t, url, settings.Files) }
			run := func(field, call string) string {
				_, body, _ := o.Ask(t, all, "mutation { "+field+call+" }", nil, nil)
				var answer struct {
					Data map[string]json.RawMessage
				}
				if err := json.Unmarshal(body, &answer); err != nil || answer.Data[field] == nil {
					t.Fatalf("%s: %s", field, body)
				}
				return string(answer.Data[field])
			}
			const saved = `(input: {name: "saved", document: "query Q { viewer { name } }"}) { userErrors { code } }`
			run("saveQuery", saved)
			before := of()
			for _, field := range slices.Sorted(maps.Keys(rehearsals)) {
				if got := run(field, strings.ReplaceAll(rehearsals[field].call, "DRY", "dryRun: true")); got != rehearsals[field].want {
					t.Errorf("%s answers\n%s\nnot\n%s", field, got, rehearsals[field].want)
				}
				if found := changedIn(before, of()); len(found) > 0 {
					t.Fatalf("a dry run of %s has changed %v", field, found)
				}
				input, _, _ := strings.Cut(rehearsals[field].call, "DRY)")
				_, body, _ := o.Ask(t, all, "mutation { "+field+input+"dryRun: true) { userErrors { code } } }", nil, http.Header{"X-Explain": {"true"}})
				rows := regexp.MustCompile(`"name":"[\w.]+","times":\d+,"rows":[1-9]`).Find(body)
				if !bytes.Contains(body, []byte(`"rows":0`)) || rows != nil && field != "generateTranscriptDocument" { // which first reads what it prints, in view
					t.Errorf("x-explain of %s tells rows that a write reads or changes, or nothing: %s in %s", field, rows, body)
				}
			}
			// The same for good: the same answer, and another store, so that neither the answers nor the digest are
			// hollow.
			for _, field := range slices.Sorted(maps.Keys(rehearsals)) {
				url := fresh(t)
				settings := gatewaytest.Settings(t, url)
				o = openOfficeIn(t, settings)
				all = o.Credential(t, backoffice.AllScopes...)
				run("saveQuery", saved)
				before := storeDigest(t, url, settings.Files)
				if got := run(field, strings.ReplaceAll(rehearsals[field].call, "DRY", "dryRun: false")); got != rehearsals[field].want {
					t.Errorf("%s for good answers\n%s\nnot\n%s", field, got, rehearsals[field].want)
				}
				if len(changedIn(before, storeDigest(t, url, settings.Files))) == 0 && field != "createDocumentUpload" { // which signs a path, and keeps nothing
					t.Errorf("%s changes nothing that the digest sees", field)
				}
			}
		})
	}
}

// openOfficeIn fills a fresh store of these settings and puts the real handler over it.
func openOfficeIn(t testing.TB, settings gateway.Settings) *gatewaytest.Office {
	t.Helper()
	o := gatewaytest.Serve(t, settings, gatewaytest.Limits())
	o.Fill(t)
	return o
}

// changedIn lists what one digest of a store has otherwise than another.
func changedIn(before, after map[string]string) (changed []string) {
	for of := range after {
		if after[of] != before[of] {
			changed = append(changed, of)
		}
	}
	return changed
}

// notedInTime is what a server notes by itself while time passes: which keys it knows, every 20 seconds, and after a
// minute on which day a credential was used, and who records discrepancies.
var notedInTime = map[string]bool{"keyset_users": true, "last_used_at": true, "leases": true}

// storeDigest has a digest of the rows of every table, by its name, and of the stored files, without what a server
// notes in time.
func storeDigest(t testing.TB, url, stored string) map[string]string {
	t.Helper()
	db := gatewaytest.RawDatabase(t, url)
	defer func() { _ = db.Close() }()
	tables := "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
	if !strings.HasPrefix(url, "sqlite:") {
		tables = "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' ORDER BY table_name"
	}
	digests := map[string]string{}
	for _, table := range rowsOf(t, db, tables) {
		if notedInTime[table] {
			continue
		}
		digest := sha256.New()
		rows := rowsOf(t, db, `SELECT * FROM "`+table+`"`)
		slices.Sort(rows)
		for _, row := range rows {
			fmt.Fprintln(digest, row)
		}
		digests[table] = hex.EncodeToString(digest.Sum(nil))
	}
	digest := sha256.New()
	folder := os.DirFS(strings.TrimPrefix(stored, "file:"))
	err := fs.WalkDir(folder, ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			fmt.Fprintln(digest, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	digests["the stored files"] = hex.EncodeToString(digest.Sum(nil))
	return digests
}

// rowsOf writes each row of an answer as a text.
func rowsOf(t testing.TB, db *sql.DB, query string) (list []string) {
	t.Helper()
	rows, err := db.QueryContext(context.Background(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		for i, column := range columns {
			if notedInTime[column] {
				values[i] = nil
			}
		}
		list = append(list, strings.TrimSuffix(fmt.Sprintln(values...), "\n"))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}
