package parity

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
)

func TestAnUnknownIdentifierInAFilterMatchesNobody(t *testing.T) {
	t.Parallel()
	for engine, open := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o := gatewaytest.OpenOn(t, open(t))
			credential := o.Credential(t, backoffice.AllScopes...)
			graphql := map[string]string{
				"customers":       "ids responsibleId withoutChecklistId",
				"transcripts":     "checklistId financialYearId customerId responsibleId",
				"checklists":      "financialYearId",
				"minfinDocuments": "customerId financialYearId",
			}
			rest := map[string]string{
				"/customers":   "responsible withoutChecklist",
				"/transcripts": "checklist financialYear",
				"/checklists":  "financialYear",
				"/minfin":      "customer financialYear",
			}
			for _, unknown := range []string{"nope", "", " ", "a.b", strings.Repeat("x", 65), "list-2026-nl\\u0000"} {
				for list, filters := range graphql {
					for _, filter := range strings.Fields(filters) {
						query := fmt.Sprintf(`{ %s(filter: {%s: "%s"}) { totalCount nodes { id } } }`, list, filter, unknown)
						status, body, _ := o.Ask(t, credential, query, nil, nil)
						if text := string(body); status != http.StatusOK || !strings.Contains(text, `"totalCount":0,"nodes":[]`) {
							t.Errorf("%s: %d %.300s", query, status, text)
						}
					}
				}
				for path, filters := range rest {
					for _, filter := range strings.Fields(filters) {
						target := path + "?" + filter + "=" + strings.NewReplacer(" ", "%20", `\u0000`, "%00").Replace(unknown)
						if w := o.Send(t, credential, http.MethodGet, target, ""); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"total":0,"count":0`) {
							t.Errorf("%s: %d %.300s", target, w.Code, w.Body)
						}
					}
				}
			}
		})
	}
}

func TestAPageFarPastTheEndIsEmpty(t *testing.T) {
	t.Parallel()
	for engine, open := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o := gatewaytest.OpenOn(t, open(t))
			credential := o.Credential(t, backoffice.AllScopes...)
			for _, path := range []string{"/customers", "/transcripts", "/checklists", "/users", "/settings/labels", "/minfin", "/financialyears", "/customers/acme/relations", "/customers/acme/documents"} {
				for _, page := range []string{"4294968", "2147483648", "4294967297", "9223372036854775807"} {
					target := path + "?pageSize=500&page=" + page
					if w := o.Send(t, credential, http.MethodGet, target, ""); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"count":0,"data":[]`) {
						t.Errorf("%s: %d %.300s", target, w.Code, w.Body)
					}
				}
			}
		})
	}
}

func TestAPersonSentBackAsItWasReadKeepsItsNameWorkedOut(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	credential := o.Credential(t, backoffice.AllScopes...)
	must := func(w interface{ Result() *http.Response }, status int) map[string]any {
		t.Helper()
		return gatewaytest.Decoded(t, w.Result(), status)
	}
	made := must(o.Send(t, credential, http.MethodPost, "/customers", `{"type":"Private Person","firstName":"Ann","lastName":"Peeters"}`), http.StatusCreated)
	path := "/customers/" + made["_id"].(string)
	put := func(body map[string]any, name string) {
		t.Helper()
		if got := must(o.Send(t, credential, http.MethodPut, path, gatewaytest.JSON(t, body)), http.StatusOK)["name"]; got != name {
			t.Errorf("the name is %v instead of %s", got, name)
		}
	}
	read := func() map[string]any {
		all := must(o.Send(t, credential, http.MethodGet, path, ""), http.StatusOK)
		body := map[string]any{}
		for _, field := range []string{"type", "name", "firstName", "lastName", "scopes", "email", "phone", "language", "addressFields"} {
			body[field] = all[field]
		}
		return body
	}
	put(read(), "Ann Peeters")
	if version := must(o.Send(t, credential, http.MethodGet, path, ""), http.StatusOK)["version"]; version != 1.0 {
		t.Errorf("a person that was sent back as read has version %v", version)
	}
	body := read()
	body["lastName"] = "Janssens"
	put(body, "Ann Janssens")
	put(map[string]any{"lastName": "Maes"}, "Ann Maes")
	put(map[string]any{"name": "Ann Vos", "lastName": "Vos"}, "Ann Vos")
	put(map[string]any{"lastName": "Claes"}, "Ann Claes")
	put(map[string]any{"name": "Annie"}, "Annie")
	put(map[string]any{"lastName": "Wouters"}, "Annie")
	put(map[string]any{"name": nil}, "Ann Wouters")
	put(map[string]any{"name": "Ann Wouters", "type": "Company"}, "Ann Wouters")
	put(map[string]any{"lastName": "Adams"}, "Ann Wouters") // a company's name is its own
}
