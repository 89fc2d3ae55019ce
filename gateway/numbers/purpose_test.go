package numbers

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
	"example.org/backoffice/privacy"
)

// openReserved serves the small office to those alone who say why they look at numbers.
func openReserved(t testing.TB, database string) *gatewaytest.Office {
	t.Helper()
	gatewaytest.OpenOn(t, database)
	settings := gatewaytest.Settings(t, database)
	h, err := settings.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c := gatewaytest.Config(gatewaytest.Limits())
	c.Privacy.RequirePurpose = true
	return gatewaytest.ServeConfig(t, h, c)
}

var stated = http.Header{privacy.PurposeHeader: {"annual accounts"}}

func TestWhoStatesNoPurposeIsShownNoNumberAndWritesNothingWhoseAnswerWouldShowOne(t *testing.T) {
	t.Parallel()
	for name, fresh := range gatewaytest.Engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := openReserved(t, fresh(t))
			all, unprivileged := o.Credential(t, backoffice.AllScopes...), o.Credential(t, backoffice.CustomersWrite)
			_, body, _ := o.Ask(t, all, `mutation { createCustomer(input: {name: "Known", type: PRIVATE_PERSON, registrationNumber: "85073003328"}) { customer { id } } }`, nil, stated)
			var made struct {
				Data struct {
					CreateCustomer struct{ Customer struct{ ID string } }
				}
			}
			if err := json.Unmarshal(body, &made); err != nil || made.Data.CreateCustomer.Customer.ID == "" {
				t.Fatalf("%s", body)
			}
			id := made.Data.CreateCustomer.Customer.ID
			before := o.RegisterEntries(t)
			for _, query := range []string{
				`{ customers(first: 5) { nodes { registrationNumber } } }`,
				`{ customer(id: "` + id + `") { spouseRegistrationNumber } }`,
				`query($with: Boolean = true) { customer(id: "` + id + `") { id ... on Customer @include(if: $with) { registrationNumber } } }`,
				`{ customers(filter: {registrationNumber: "85073003328"}) { totalCount } }`,
				`{ duplicates(by: REGISTRATION_NUMBER, first: 0) { totalCount } }`,
				`query($by: DuplicateKey = REGISTRATION_NUMBER) { duplicates(by: $by) { groupCount } }`,
				`mutation { createCustomer(input: {name: "Unstated", type: PRIVATE_PERSON, firstName: "A", lastName: "B", registrationNumber: "85073003328"}) { customer { id } } }`,
				`mutation { createCustomer(input: {name: "Unstated", type: COMPANY}) { customer { id registrationNumber } } }`,
			} {
				status, body, _ := o.Ask(t, all, query, nil, nil)
				if status != http.StatusBadRequest || !strings.Contains(string(body), `"code":"BAD_USER_INPUT"`) || !strings.Contains(string(body), "x-access-purpose") || strings.Contains(string(body), `"data"`) {
					t.Errorf("%s: %d %s", query, status, body)
				}
				if strings.HasPrefix(query, "mutation") { // which would do what it may
					continue
				}
				if _, body, _ := o.Ask(t, unprivileged, query, nil, nil); strings.Contains(string(body), "x-access-purpose") || !strings.Contains(string(body), `"FORBIDDEN"`) {
					t.Errorf("without the scope, %s: %s", query, body)
				}
			}
			if _, body, _ := o.Ask(t, all, `mutation { mergeCustomers(input: {keepId: "`+id+`", dropId: "unknown"}, dryRun: true) { userErrors { code } } }`, nil, nil); !strings.Contains(string(body), "x-access-purpose") || strings.Contains(string(body), "NOT_FOUND") {
				t.Errorf("a merge: %s", body)
			}
			paths := []struct{ method, path, body string }{
				{"GET", "/customers/" + id + "/evidence", ""},
				{"GET", "/customers", ""},
				{"GET", "/customers/" + id, ""},
				{"GET", "/customers/" + id + "/privacy", ""},
				{"GET", "/customers?registrationNumber=85073003328", ""},
				{"POST", "/customers/search", `{"registrationNumber": "85073003328"}`},
				{"POST", "/customers", `{"name": "Unstated", "type": "company"}`},
				{"PUT", "/customers/" + id, `{"name": "Unstated"}`},
				{"POST", "/customers/batch", `{"customers": [{"name": "Unstated", "type": "company"}]}`},
				{"POST", "/customers/" + id + "/merge", `{"dropId": "unknown"}`},
			}
			listed := len(paths)
			for _, of := range gatewaytest.OperationsOf(t, o) {
				if strings.Contains(of.Description, "Needs the scope `privacy.read`") {
					paths = append(paths, struct{ method, path, body string }{of.Method, strings.ReplaceAll(of.Path, "{customerId}", id), "{}"})
				}
			}
			if len(paths) < listed+3 {
				t.Errorf("of all operations only %v need privacy.read", paths[listed:])
			}
			for _, r := range paths {
				if w := o.Send(t, all, r.method, r.path, r.body); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "x-access-purpose") {
					t.Errorf("%s %s: %d %s", r.method, r.path, w.Code, w.Body)
				}
			}
			if _, body, _ := o.Ask(t, unprivileged, `{ customers(filter: {search: "Unstated"}) { totalCount } }`, nil, nil); !strings.Contains(string(body), `"totalCount":0`) {
				t.Errorf("something was written: %s", body)
			}
			if after := o.RegisterEntries(t); !slices.Equal(after, before) {
				t.Errorf("entered: %v", after[len(before):])
			}
			if status, body, _ := o.Ask(t, all, `{ customers(first: 5) { nodes { id name kboNumber } } }`, nil, nil); status != http.StatusOK || strings.Contains(string(body), `"errors"`) {
				t.Errorf("what discloses nothing: %d %s", status, body)
			}
			if w := o.Send(t, all, "GET", "/users", ""); w.Code != http.StatusOK {
				t.Errorf("GET /users: %d %s", w.Code, w.Body)
			}
			plan := http.Header{"X-Explain": {"plan"}}
			if status, body, _ := o.Ask(t, all, `{ customers(filter: {registrationNumber: "85073003328"}) { nodes { registrationNumber } } }`, nil, plan); status != http.StatusOK || !strings.Contains(string(body), `"cost":`) {
				t.Errorf("a plan: %d %s", status, body)
			}
		})
	}
}

func TestWhoStatesAPurposeIsShownWhatItAsksForAndTheRegisterSaysWhy(t *testing.T) {
	t.Parallel()
	o := openReserved(t, gatewaytest.Engines["SQLite"](t))
	all := o.Credential(t, backoffice.AllScopes...)
	status, body, _ := o.Ask(t, all, `mutation($n: String) { createCustomer(input: {name: "Stated", type: PRIVATE_PERSON, firstName: "A", lastName: "B", registrationNumber: $n}) { customer { id registrationNumber } userErrors { code field } } }`,
		json.RawMessage(`{"n": "85073003328"}`), stated)
	if status != http.StatusOK || !strings.Contains(string(body), `"registrationNumber":"`) {
		t.Errorf("%d %s", status, body)
	}
	r := gatewaytest.NewRequest(t, all, "GET", "/customers", "")
	r.Header.Set(privacy.PurposeHeader, stated.Get(privacy.PurposeHeader))
	if w := o.Serve(r); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"registrationNumber":"`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	entries, err := o.Store.ListConsultations(t.Context(), backoffice.ConsultationPosition{}, 100)
	if err != nil || len(entries) == 0 {
		t.Fatal(entries, err)
	}
	for _, entry := range entries {
		if entry.Purpose == nil || *entry.Purpose != "annual accounts" {
			t.Errorf("entry %d states %v", entry.Number, entry.Purpose)
		}
	}
}
