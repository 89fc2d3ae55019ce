package rest_test

import (
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
)

// The rows of section 4 of the specification, in its order, each through the whole handler on a real store.

func TestRow01GetFinancialyearsCurrent(t *testing.T) {
	t.Parallel()
	o := open(t)
	has(t, o.get(t, "/financialyears/current").is(200), map[string]any{"_id": "year-2026", "startDate": "2026", "endDate": "2026", "isCurrentYear": true, "archivedAt": nil})
}

func TestRow02GetChecklists(t *testing.T) {
	t.Parallel()
	o := open(t)
	ids, data := o.get(t, "/checklists").items(3, "/checklists?page=1&pageSize=100", "/checklists?page=1&pageSize=100")
	equal(t, "ids", ids, "list-2025-nl list-2026-fr list-2026-nl")
	has(t, data[1], map[string]any{"name": "Impôt des sociétés 2026", "language": "french", "authRequired": false, "remindersEnabled": true, "financialYear": "year-2026"})
	ids, _ = o.get(t, "/checklists?financialYear=year-2026&language=dutch&page=1&pageSize=1").items(1,
		"/checklists?financialYear=year-2026&language=dutch&page=1&pageSize=1", "/checklists?financialYear=year-2026&language=dutch&page=1&pageSize=1")
	equal(t, "ids", ids, "list-2026-nl")
}

func TestRow03GetTranscripts(t *testing.T) {
	t.Parallel()
	o := open(t)
	ids, data := o.get(t, "/transcripts?financialYear=year-2026&checklist=list-2026-nl&pageSize=2").items(4,
		"/transcripts?checklist=list-2026-nl&financialYear=year-2026&page=1&pageSize=2", "/transcripts?checklist=list-2026-nl&financialYear=year-2026&page=2&pageSize=2")
	equal(t, "ids", ids, "tr-1 tr-3")
	has(t, data[0], map[string]any{
		"status": "Calculation done", "isCompleted": true, "financialYear": "year-2026", "documentGenerated": true, "customer": "acme",
		"updatedAt": "2026-04-01T09:00:00.000Z", "progressPercentage": 100, "checklist": "list-2026-nl",
		"customVariables": map[string]any{"turnover": 125000.5, "vehicles": map[string]any{"own": 2, "leased": true}, "remarks": "Geen"},
	})
	has(t, data[1], map[string]any{"status": "To Process", "progressPercentage": 40.5, "documentGenerated": false})
	ids, _ = o.get(t, "/transcripts?status=Sent&status=In+calculation").items(1, "/transcripts?status=Sent&status=In+calculation&page=1&pageSize=100", "/transcripts?status=Sent&status=In+calculation&page=1&pageSize=100")
	equal(t, "in calculation", ids, "tr-5")
}

func TestRow04GetTranscriptsDownloadFile(t *testing.T) {
	t.Parallel()
	o := open(t)
	o.isFile(t, "/transcripts/download/tr-1/file", "tr-1.pdf", `attachment; filename="transcript-tr-1.pdf"`)
	for id, missing := range map[string]string{
		"tr-2": "no document was generated", "tr-3": "not completed, and no document", "nobody": "no transcript",
	} {
		detail := o.get(t, "/transcripts/download/"+id+"/file").problem(404)["detail"].(string)
		if !strings.Contains(detail, missing) {
			t.Errorf("%s: %s", id, detail)
		}
	}
}

func TestRow05GetTranscriptsDownloadMetadata(t *testing.T) {
	t.Parallel()
	o := open(t)
	o.isMetadata(t, "/transcripts/download/tr-1/metadata", "tr-1.pdf")
	o.get(t, "/transcripts/download/tr-2/metadata").problem(404)
}

func TestRow06PostChecklistsAssign(t *testing.T) {
	t.Parallel()
	o := open(t)
	a := o.ask(t, o.all, "POST", "/checklists/assign", map[string]any{"checklist": "list-2026-nl", "customer": "duo", "customVariables": map[string]any{"b": 1, "a": "é"}})
	id := a.is(201)["_id"].(string)
	equal(t, "Location", a.header.Get("Location"), "/transcripts/"+id)
	has(t, o.get(t, "/transcripts/"+id).is(200), map[string]any{
		"_id": id, "status": "To Process", "progressPercentage": 0, "financialYear": "year-2026", "customer": "duo", "isCompleted": false,
		"documentGenerated": false, "customVariables": map[string]any{"a": "é", "b": 1},
	})
	again := o.ask(t, o.all, "POST", "/checklists/assign", map[string]any{"checklist": "list-2026-nl", "customer": "duo"}).is(201)["_id"]
	if again == id {
		t.Error("assigned twice, one transcript")
	}
	o.ask(t, o.all, "POST", "/checklists/assign", map[string]any{"checklist": "list-2025-nl", "customer": "duo"}).fault(409, "/checklist", "FINANCIAL_YEAR_ARCHIVED")
	o.ask(t, o.all, "POST", "/checklists/assign", map[string]any{"checklist": "list-2026-nl", "customer": "nobody"}).fault(422, "/customer", "NOT_FOUND")
	o.ask(t, o.all, "POST", "/checklists/assign", map[string]any{"customer": "duo"}).fault(422, "/checklist", "REQUIRED")
	o.needs(t, backoffice.PtiWrite, "POST", "/checklists/assign", "not even JSON")
}

func TestRow07GetCustomers(t *testing.T) {
	t.Parallel()
	o := open(t)
	ids, data := o.get(t, "/customers?page=1&pageSize=3").items(7, "/customers?page=1&pageSize=3", "/customers?page=3&pageSize=3")
	equal(t, "ids", ids, "acme brouwerij cafe")
	has(t, data[0], map[string]any{
		"type": "Company", "name": "Acmé Boekhouding", "displayName": "Acmé Boekhouding", "firstName": nil, "lastName": nil,
		"scopes": []string{"annual-accounts", "checklist"}, "kboNumber": "0200065765", "companyType": "NV", "customerCode": "C-001",
		"addressFields":      map[string]any{"street": "Panhuisstraat", "houseNumber": "1", "box": "2A", "postalCode": "9070", "city": "Destelbergen", "country": "België"},
		"registrationNumber": nil, "spouseRegistrationNumber": nil, "responsible": "user-an", "language": "dutch", "email": "Info@Acme.example",
		"phone": "+32 9 251 11 11", "createdAt": "2024-03-01T09:00:00.000Z", "updatedAt": "2026-02-01T10:00:00.000Z", "version": 4,
	})
	for query, want := range map[string]string{
		"language=french": "cafe gaspard", "responsible=user-an&language=dutch": "acme brouwerij", "email=INFO@acme.EXAMPLE": "acme",
		"responsible=nobody": "", "language=": "", "type=Private+Person": "els fien gaspard", "companyType=BV": "brouwerij",
		"kboNumber=BE+0200.065.765": "acme", "customerCode=P-001": "els", "scope=vat-os": "cafe", "search=%C3%A9lan": "cafe fien gaspard",
		"updatedSince=2026-02-03T10:00:00.000Z&type=Company": "acme brouwerij cafe duo", // by when they became visible here
		"updatedSince=2999-01-01T00:00:00.000Z":              "",
	} {
		got := o.get(t, "/customers?"+query).is(200)
		var list []string
		for _, item := range got["data"].([]any) {
			list = append(list, item.(map[string]any)["_id"].(string))
		}
		if strings.Join(list, " ") != want {
			t.Errorf("%s gives %v instead of %s", query, list, want)
		}
	}
	number := o.number(t, "els")
	ids, _ = o.get(t, "/customers?registrationNumber="+number).items(1, "/customers?registrationNumber="+number+"&page=1&pageSize=100", "/customers?registrationNumber="+number+"&page=1&pageSize=100")
	equal(t, "by number", ids, "els")
	for _, filter := range []string{"registrationNumber=" + number, "spouseRegistrationNumber=x", "registrationNumber="} {
		a := o.ask(t, o.none, "GET", "/customers?"+filter, nil)
		has(t, a.problem(403), map[string]any{"requiredScope": "privacy.read"})
		equal(t, "store calls", a.calls, 0)
	}
}

func TestRow08GetCustomersCustomerId(t *testing.T) {
	t.Parallel()
	o := open(t)
	a := o.get(t, "/customers/acme")
	has(t, a.is(200), map[string]any{"_id": "acme", "version": 4, "registrationNumber": nil})
	equal(t, "ETag", a.header.Get("ETag"), `"4"`)
	if body := o.get(t, "/customers/els").is(200); body["registrationNumber"] != o.number(t, "els") {
		t.Errorf("els has %v", body["registrationNumber"])
	}
	shown := o.ask(t, o.none, "GET", "/customers/els", nil).is(200)
	for _, key := range []string{"registrationNumber", "spouseRegistrationNumber"} {
		if _, there := shown[key]; there {
			t.Errorf("%s is there without privacy.read", key)
		}
	}
	o.get(t, "/customers/nobody").problem(404)
	o.get(t, "/customers/tr-1").problem(404)
	o.get(t, "/customers/a%20b").problem(404)
}

func TestRow09GetCustomersPrivacy(t *testing.T) {
	t.Parallel()
	o := open(t)
	body := o.get(t, "/customers/els/privacy", "x-access-purpose", "a test").is(200)
	if len(body) != 2 || body["registrationNumber"] != o.number(t, "els") {
		t.Errorf("%v", body)
	}
	has(t, o.get(t, "/customers/acme/privacy").is(200), map[string]any{"registrationNumber": nil, "spouseRegistrationNumber": nil})
	o.get(t, "/customers/nobody/privacy").problem(404)
	o.needs(t, backoffice.PrivacyRead, "GET", "/customers/els/privacy", nil)
	o.needs(t, backoffice.PrivacyRead, "GET", "/customers/nobody/privacy", nil)
}

func TestRow10PostCustomers(t *testing.T) {
	t.Parallel()
	o := open(t)
	a := o.ask(t, o.all, "POST", "/customers", map[string]any{"type": "Company", "scopes": []string{"vat-os", "checklist"}, "kboNumber": "BE 0403.019.261", "companyType": "BV", "customerCode": "N-1"})
	body := a.is(201)
	id := body["_id"].(string)
	has(t, body, map[string]any{"type": "Company", "scopes": []string{"checklist", "vat-os"}, "kboNumber": "0403019261", "companyType": "BV", "customerCode": "N-1", "displayName": "N-1", "name": nil, "version": 1})
	equal(t, "Location", a.header.Get("Location"), "/customers/"+id)
	equal(t, "ETag", a.header.Get("ETag"), `"1"`)
	has(t, o.get(t, "/customers/"+id).is(200), map[string]any{"_id": id, "customerCode": "N-1"})

	o.ask(t, o.all, "POST", "/customers", map[string]any{"type": "Company", "customerCode": "N-1"}).fault(409, "/customerCode", "TAKEN")
	o.ask(t, o.all, "POST", "/customers", map[string]any{}).fault(422, "/type", "REQUIRED")
	o.ask(t, o.all, "POST", "/customers", map[string]any{"type": "Club"}).fault(422, "/type", "INVALID")
	o.ask(t, o.all, "POST", "/customers", map[string]any{"type": "Company", "kboNumber": "0403019262"}).fault(422, "/kboNumber", "INVALID")
	o.ask(t, o.all, "POST", "/customers", map[string]any{"type": "Private Person", "kboNumber": "0403019261"}).fault(422, "/kboNumber", "NOT_ALLOWED")
	o.ask(t, o.all, "POST", "/customers", map[string]any{"type": "Company", "responsible": "nobody"}).fault(422, "/responsible", "NOT_FOUND")
	o.ask(t, o.all, "POST", "/customers", map[string]any{"type": "Company", "addressFields": map[string]any{"city": ""}}).fault(422, "/addressFields/city", "INVALID")
	o.needs(t, backoffice.CustomersWrite, "POST", "/customers", map[string]any{"type": "Company"})
	o.needs(t, backoffice.PrivacyRead, "POST", "/customers", map[string]any{"type": "Private Person", "registrationNumber": "x"})
}

func TestRow11PutCustomersCustomerId(t *testing.T) {
	t.Parallel()
	o := open(t)
	before := o.get(t, "/customers/acme").is(200)
	a := o.ask(t, o.all, "PUT", "/customers/acme", map[string]any{"customerCode": "C-9", "responsible": "user-bruno", "phone": nil, "addressFields": map[string]any{"box": nil}}, "If-Match", `"4"`)
	after := a.is(200)
	equal(t, "ETag", a.header.Get("ETag"), `"5"`)
	has(t, after, map[string]any{"customerCode": "C-9", "responsible": "user-bruno", "phone": nil, "version": 5, "name": before["name"], "kboNumber": before["kboNumber"], "scopes": before["scopes"]})
	has(t, after["addressFields"], map[string]any{"box": nil, "street": "Panhuisstraat"})
	has(t, o.ask(t, o.all, "PUT", "/customers/acme", map[string]any{}).is(200), map[string]any{"version": 5})
	has(t, o.ask(t, o.all, "PUT", "/customers/acme", map[string]any{"type": "Private Person", "kboNumber": nil, "companyType": nil}).is(200), map[string]any{"type": "Private Person", "kboNumber": nil})

	o.ask(t, o.all, "PUT", "/customers/acme", map[string]any{"name": "x"}, "If-Match", `"4"`).fault(412, "If-Match", "STALE_VERSION")
	o.ask(t, o.all, "PUT", "/customers/acme", map[string]any{"name": "x"}, "If-Match", `W/"6"`).problem(412)
	o.ask(t, o.all, "PUT", "/customers/acme", map[string]any{"name": "x"}, "If-Match", `6`).fault(400, "If-Match", "INVALID")
	o.ask(t, o.all, "PUT", "/customers/nobody", map[string]any{"name": "x"}).problem(404)
	o.ask(t, o.all, "PUT", "/customers/acme", map[string]any{"name": ""}).fault(422, "/name", "INVALID")
	o.needs(t, backoffice.CustomersWrite, "PUT", "/customers/acme", map[string]any{"name": "x"})
	o.needs(t, backoffice.PrivacyRead, "PUT", "/customers/els", map[string]any{"registrationNumber": nil})
	has(t, o.get(t, "/customers/els/privacy").is(200), map[string]any{"registrationNumber": o.number(t, "els")})
}

func TestRow12DeleteCustomersCustomerId(t *testing.T) {
	t.Parallel()
	o := open(t)
	o.needs(t, backoffice.CustomersWrite, "DELETE", "/customers/acme", nil)
	o.ask(t, o.all, "DELETE", "/customers/acme", nil, "If-Match", `"3"`).problem(412)
	if a := o.ask(t, o.all, "DELETE", "/customers/acme", nil, "If-Match", `"4"`); a.status != 204 || len(a.body) != 0 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	for _, gone := range []string{"/customers/acme", "/customers/acme/relations", "/transcripts/tr-1", "/customers/documents/doc-1/download", "/calculations/files/calc-1"} {
		o.get(t, gone).problem(404)
	}
	o.ask(t, o.all, "DELETE", "/customers/acme", nil).problem(404)
}

func TestRow13PostCustomersRelations(t *testing.T) {
	t.Parallel()
	o := open(t)
	link := map[string]any{"relatedCustomer": "fien", "kind": "contact person"}
	created := o.ask(t, o.all, "POST", "/customers/acme/relations", link)
	body := created.is(201)
	equal(t, "ETag", created.header.Get("ETag"), `"1"`)
	has(t, body, map[string]any{"kind": "contact person", "customer": "acme", "relatedCustomer": "fien"})
	if len(body) != 12 || body["_id"] == "" || body["createdAt"] == nil {
		t.Errorf("%v", body)
	}
	o.ask(t, o.all, "POST", "/customers/acme/relations", link).problem(409)
	path := "/customers/acme/relations/" + body["_id"].(string)
	ended := o.ask(t, o.all, "PATCH", path, map[string]any{"endDate": "2024-12-31", "note": "left"}, "If-Match", `"1"`).is(200)
	has(t, ended, map[string]any{"endDate": "2024-12-31", "note": "left", "kind": "contact person"})
	o.ask(t, o.all, "PATCH", path, map[string]any{"note": nil}, "If-Match", `"1"`).problem(412)
	o.ask(t, o.all, "PATCH", path, map[string]any{"startDate": "2025-01-01"}).fault(422, "/endDate", "INVALID")
	o.ask(t, o.all, "PATCH", "/customers/cafe/relations/"+body["_id"].(string), map[string]any{"note": "x"}).problem(404)
	link["startDate"], link["sharePercent"] = "2025-01-01", "33.3330"
	again := o.ask(t, o.all, "POST", "/customers/acme/relations", link).is(201)
	has(t, again, map[string]any{"startDate": "2025-01-01", "sharePercent": "33.333"})
	inForce := func(day string, id any) {
		t.Helper()
		for _, r := range o.get(t, "/customers/acme/relations?pageSize=500&asOf="+day).is(200)["data"].([]any) {
			r := r.(map[string]any)
			if r["kind"] == "contact person" && r["relatedCustomer"] == "fien" && r["_id"] != id {
				t.Errorf("%s: %v", day, r)
			}
		}
	}
	inForce("2024-12-31", body["_id"])
	inForce("2025-01-01", again["_id"])
	o.get(t, "/relations?asOf=2025-02-30").problem(400)
	o.needs(t, backoffice.CustomersWrite, "PATCH", path, map[string]any{"note": "x"})
	delete(link, "startDate")
	o.ask(t, o.all, "POST", "/customers/acme/relations", map[string]any{"relatedCustomer": "acme", "kind": "UBO"}).fault(422, "/relatedCustomer", "NOT_ALLOWED")
	o.ask(t, o.all, "POST", "/customers/acme/relations", map[string]any{"relatedCustomer": "nobody", "kind": "UBO"}).fault(422, "/relatedCustomer", "NOT_FOUND")
	o.ask(t, o.all, "POST", "/customers/acme/relations", map[string]any{"relatedCustomer": "fien", "kind": "friend"}).fault(422, "/kind", "INVALID")
	o.ask(t, o.all, "POST", "/customers/nobody/relations", link).problem(404)
	o.needs(t, backoffice.CustomersWrite, "POST", "/customers/acme/relations", link)
}

func TestRow14GetCustomersRelations(t *testing.T) {
	t.Parallel()
	o := open(t)
	ids, data := o.get(t, "/customers/acme/relations?pageSize=3&page=1").items(4, "/customers/acme/relations?page=1&pageSize=3", "/customers/acme/relations?page=2&pageSize=3")
	equal(t, "ids", ids, "rel-1 rel-2 rel-3")
	has(t, data[2], map[string]any{"kind": "shareholder", "customer": "brouwerij", "relatedCustomer": "acme", "createdAt": "2024-04-03T09:00:00.000Z"})
	o.get(t, "/customers/duo/relations").items(0, "/customers/duo/relations?page=1&pageSize=100", "/customers/duo/relations?page=1&pageSize=100")
	o.get(t, "/customers/nobody/relations").problem(404)
}

func TestRow15GetCustomersDocuments(t *testing.T) {
	t.Parallel()
	o := open(t)
	ids, data := o.get(t, "/customers/acme/documents").items(2, "/customers/acme/documents?page=1&pageSize=100", "/customers/acme/documents?page=1&pageSize=100")
	equal(t, "ids", ids, "doc-1 doc-2")
	has(t, data[0], map[string]any{"name": "Statuten.pdf", "customer": "acme", "createdAt": "2024-05-01T09:00:00.000Z", "contentType": "application/pdf"})
	o.get(t, "/customers/nobody/documents").problem(404)
}

func TestRow16GetCustomersDocumentsDownload(t *testing.T) {
	t.Parallel()
	o := open(t)
	o.isFile(t, "/customers/documents/doc-1/download", "doc-1.pdf", `attachment; filename="Statuten.pdf"`)
	o.get(t, "/customers/documents/min-1/download").problem(404)
}

func TestRow17GetCalculationsProposalDownload(t *testing.T) {
	t.Parallel()
	o := open(t)
	o.isFile(t, "/calculations/acme/proposal/download", "calc-1.pdf", `attachment; filename="proposal-calc-1.pdf"`)
	o.isFile(t, "/calculations/files/calc-1", "calc-1.pdf", `attachment; filename="proposal-calc-1.pdf"`)
	o.get(t, "/calculations/els/proposal/download").problem(404)
	o.get(t, "/calculations/nobody/proposal/download").problem(404)
	o.get(t, "/calculations/files/calc-2").problem(404)
}

func TestRow18GetMinfin(t *testing.T) {
	t.Parallel()
	o := open(t)
	ids, data := o.get(t, "/minfin").items(2, "/minfin?page=1&pageSize=100", "/minfin?page=1&pageSize=100")
	equal(t, "ids", ids, "min-1 min-2")
	has(t, data[0], map[string]any{"name": "Aanslagbiljet 2025", "documentType": "assessment", "customer": "acme", "financialYear": "year-2025", "synchronisedAt": "2025-09-01T06:00:00.000Z", "contentType": "application/pdf"})
	has(t, data[1], map[string]any{"customer": nil, "financialYear": nil})
	for query, want := range map[string]string{"customer=acme": "min-1", "financialYear=year-2025": "min-1", "documentType=circular": "min-2", "synchronisedSince=2025-09-02T06:00:00.000Z": "min-2"} {
		got := o.get(t, "/minfin?"+query).is(200)["data"].([]any)
		if len(got) != 1 || got[0].(map[string]any)["_id"] != want {
			t.Errorf("%s gives %v", query, got)
		}
	}
	o.needs(t, backoffice.MinfinRead, "GET", "/minfin", nil)
}

func TestRow19GetMinfinDownload(t *testing.T) {
	t.Parallel()
	o := open(t)
	o.isFile(t, "/minfin/download/min-1", "min-1.pdf", `attachment; filename="Aanslagbiljet 2025.pdf"`)
	o.get(t, "/minfin/download/doc-1").problem(404)
	o.needs(t, backoffice.MinfinRead, "GET", "/minfin/download/min-1", nil)
}

func TestRow20GetMinfinMetadata(t *testing.T) {
	t.Parallel()
	o := open(t)
	o.isMetadata(t, "/minfin/metadata/min-1", "min-1.pdf")
	has(t, o.get(t, "/minfin/metadata/min-1").is(200), map[string]any{"_id": "min-1", "documentType": "assessment"})
	o.needs(t, backoffice.MinfinRead, "GET", "/minfin/metadata/min-1", nil)
}

func TestRow21PostSettingsLabels(t *testing.T) {
	t.Parallel()
	o := open(t)
	body := o.ask(t, o.all, "POST", "/settings/labels", map[string]any{"name": "Nieuw", "color": "#1E90FF"}).is(201)
	has(t, body, map[string]any{"name": "Nieuw", "color": "#1e90ff"})
	if len(body) != 4 || body["_id"] == nil || body["createdAt"] == nil {
		t.Errorf("%v", body)
	}
	o.ask(t, o.all, "POST", "/settings/labels", map[string]any{"name": "Nieuw"}).fault(409, "/name", "TAKEN")
	o.ask(t, o.all, "POST", "/settings/labels", map[string]any{"name": "x", "color": "red"}).fault(422, "/color", "INVALID")
	ids, _ := o.get(t, "/settings/labels?pageSize=2&page=9").items(4, "/settings/labels?page=1&pageSize=2", "/settings/labels?page=2&pageSize=2")
	equal(t, "a page past the end", ids, "")
	o.needs(t, backoffice.SettingsWrite, "POST", "/settings/labels", map[string]any{"name": "Nog een"})
}

func TestRow22PatchUsersUserId(t *testing.T) {
	t.Parallel()
	o := open(t)
	a := o.ask(t, o.all, "PATCH", "/users/user-an", map[string]any{"lastName": "Maes", "language": nil, "labels": []string{"label-plain"}}, "If-Match", `"1"`)
	has(t, a.is(200), map[string]any{"_id": "user-an", "firstName": "An", "lastName": "Maes", "email": "an.peeters@kantoor.example", "language": nil, "labels": []string{"label-plain"}})
	equal(t, "ETag", a.header.Get("ETag"), `"2"`)
	o.ask(t, o.all, "PATCH", "/users/user-an", map[string]any{"labels": []string{"label-plain", "nobody"}}).fault(422, "/labels/1", "NOT_FOUND")
	o.ask(t, o.all, "PATCH", "/users/user-an", map[string]any{"email": "x"}).fault(422, "/email", "INVALID")
	o.ask(t, o.all, "PATCH", "/users/user-an", map[string]any{"email": nil}).fault(422, "/email", "REQUIRED")
	o.ask(t, o.all, "PATCH", "/users/nobody", map[string]any{"email": "a@b.example"}).problem(404)
	o.ask(t, o.all, "PATCH", "/users/user-an", map[string]any{"lastName": "Maes"}, "If-Match", `"1"`).problem(412)
	o.needs(t, backoffice.UsersWrite, "PATCH", "/users/user-an", map[string]any{"lastName": "x"})
	ids, _ := o.get(t, "/users?search=lef%C3%A8vre").items(1, "/users?search=lef%C3%A8vre&page=1&pageSize=100", "/users?search=lef%C3%A8vre&page=1&pageSize=100")
	equal(t, "found", ids, "user-bruno")
}

func TestRow23DeleteUsersUserId(t *testing.T) {
	t.Parallel()
	o := open(t)
	o.needs(t, backoffice.UsersWrite, "DELETE", "/users/user-an", nil)
	if a := o.ask(t, o.all, "DELETE", "/users/user-an", nil); a.status != 204 || len(a.body) != 0 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	o.get(t, "/users/user-an").problem(404)
	has(t, o.get(t, "/customers/acme").is(200), map[string]any{"responsible": nil, "version": 5})
	o.ask(t, o.all, "DELETE", "/users/user-an", nil).problem(404)
}

// number is a customer's registration number, as the interface tells it.
func (o *office) number(t testing.TB, customer string) string {
	t.Helper()
	number, _ := o.get(t, "/customers/"+customer+"/privacy").is(200)["registrationNumber"].(string)
	if len(number) != 11 {
		t.Fatalf("%s has no registration number", customer)
	}
	return number
}

// needs checks that a request is refused to a credential with every other scope.
func (o *office) needs(t testing.TB, scope backoffice.Scope, method, path string, body any) {
	t.Helper()
	has(t, o.ask(t, o.without(t, scope), method, path, body).problem(403), map[string]any{"requiredScope": string(scope)})
	o.ask(t, credential{}, method, path, body).problem(401)
}
