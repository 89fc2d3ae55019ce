package rest_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/rest"
)

func TestAFieldThatIsRequiredAndNullIsMissing(t *testing.T) {
	t.Parallel()
	o := open(t)
	for path, body := range map[string]string{
		"/customers /type":                           `{"type":null}`,
		"/settings/labels /name":                     `{"name":null}`,
		"/checklists/assign /customer":               `{"customer":null,"checklist":"list-2026-nl"}`,
		"/customers/acme/relations /kind":            `{"kind":null,"relatedCustomer":"beta"}`,
		"/customers/acme/relations /relatedCustomer": `{"kind":"UBO","relatedCustomer":null}`,
	} {
		path, place, _ := strings.Cut(path, " ")
		o.ask(t, o.all, "POST", path, body).fault(422, place, "REQUIRED")
	}
	o.ask(t, o.all, "PUT", "/customers/acme", `{"scopes":["a",null]}`).fault(422, "/scopes/1", "INVALID")
	o.ask(t, o.all, "POST", "/settings/labels", `{"name":"x","none":null}`).fault(422, "/none", "INVALID")
}

func TestARequiredTextOfAUserThatIsEmptyIsMissing(t *testing.T) {
	t.Parallel()
	o := open(t)
	for _, field := range []string{"firstName", "lastName", "email"} {
		o.ask(t, o.all, "PATCH", "/users/user-an", `{"`+field+`":""}`).fault(422, "/"+field, "REQUIRED")
	}
	o.ask(t, o.all, "PATCH", "/users/user-an", `{"language":""}`).fault(422, "/language", "INVALID")
}

func TestIfMatchTakesAList(t *testing.T) {
	t.Parallel()
	o := open(t)
	name := map[string]any{"phone": nil}
	for _, tags := range []string{`"3", "5"`, `W/"4"`, `"a,b"`, `"04"`, `"3" , W/"4",`, `""`, ",", " , "} {
		o.ask(t, o.all, "PUT", "/customers/acme", name, "If-Match", tags).fault(412, "If-Match", "STALE_VERSION")
	}
	for _, tags := range []string{`"3" "4"`, `4`, `"4`, `*, "4"`, `"4", x`, `w/"4"`, `"a b"`} {
		o.ask(t, o.all, "PUT", "/customers/acme", name, "If-Match", tags).fault(400, "If-Match", "INVALID")
	}
	o.ask(t, o.all, "DELETE", "/customers/acme", nil, "If-Match", `"3"`, "If-Match", `"5"`).problem(412)
	for _, tags := range []string{`"3", "4"`, `"4"`, ` , "x,y",W/"1","4" ,`, `*`} { // nothing changes, nor does the version
		o.ask(t, o.all, "PUT", "/customers/acme", "{}", "If-Match", tags).is(200)
	}
	o.ask(t, o.all, "PUT", "/customers/acme", "{}", "If-Match", `"3"`, "If-Match", `"4"`).is(200)
}

func TestAWriteRejectsAConditionThatItDoesNotTake(t *testing.T) {
	t.Parallel()
	o := open(t)
	var described struct {
		Paths map[string]map[string]struct {
			Parameters []struct{ Name string }
		}
	}
	check(t, json.Unmarshal(o.ask(t, credential{}, "GET", rest.OpenAPIPath, nil).body, &described))
	guarded, not := 0, 0
	for path, methods := range described.Paths {
		for method, operation := range methods {
			for _, name := range []string{"If-Match", "If-None-Match"} {
				taken := func(p struct{ Name string }) bool { return p.Name == name }
				switch {
				case method == "get" || method == "head" || strings.HasPrefix(path, "/uploads/"): // a link comes first
				case slices.ContainsFunc(operation.Parameters, taken):
					guarded++
				default:
					not++
					a := o.ask(t, o.all, strings.ToUpper(method), path, map[string]any{}, name, `"1"`)
					a.fault(400, name, "INVALID")
				}
			}
		}
	}
	if guarded < 5 || not < 20 {
		t.Errorf("%d conditions are taken, and %d are not", guarded, not)
	}
}

func TestARecordThatTheCallerHasIsNotAnsweredAgain(t *testing.T) {
	t.Parallel()
	o := open(t)
	for _, path := range []string{"/customers/acme", "/users/user-an", "/discrepancies/discrepancy-1"} {
		tag := o.get(t, path).header.Get("ETag")
		before := o.consultations(t)
		for _, tags := range []string{tag, "W/" + tag, `"x", ` + tag, "*"} {
			for _, method := range []string{http.MethodGet, http.MethodHead} {
				a := o.ask(t, o.all, method, path, nil, "If-None-Match", tags)
				if a.status != http.StatusNotModified || len(a.body) != 0 || a.header.Get("ETag") != tag {
					t.Errorf("%s %s %s: %d %q %s", method, path, tags, a.status, a.header.Get("ETag"), a.body)
				}
			}
		}
		if after := o.consultations(t); after != before {
			t.Errorf("%d numbers are entered as disclosed without having been", after-before)
		}
		o.get(t, path, "If-None-Match", `"999"`).is(200)
		o.get(t, path, "If-None-Match", `999`).fault(400, "If-None-Match", "INVALID")
	}
}

// consultations counts the entries of the register.
func (o *office) consultations(t testing.TB) int {
	t.Helper()
	entries, err := o.store.ListConsultations(t.Context(), backoffice.ConsultationPosition{}, 1_000)
	check(t, err)
	return len(entries)
}

func TestHeadIsAnsweredWhereverGetIs(t *testing.T) {
	t.Parallel()
	o := open(t)
	for _, path := range []string{"/customers", "/customers/acme", "/transcripts", "/settings/labels", "/financialyears/current", "/minfin/metadata/min-1", "/minfin/download/min-1", "/openapi.json"} {
		if a := o.ask(t, o.all, http.MethodHead, path, nil); a.status != 200 {
			t.Errorf("HEAD %s: %d", path, a.status)
		}
	}
}

func TestHeadDisclosesNothing(t *testing.T) {
	t.Parallel()
	o := open(t)
	var document struct{ Paths map[string]map[string]any }
	check(t, json.Unmarshal(o.get(t, "/openapi.json").body, &document))
	answered := 0
	for path, methods := range document.Paths {
		if methods["get"] == nil {
			continue
		}
		path = strings.ReplaceAll(path, "{customerId}", "els")
		for _, query := range []string{"", "?values=true", "?registrationNumbers=true"} {
			a := o.ask(t, o.all, http.MethodHead, path+query, nil, "X-Access-Purpose", "a look")
			if a.status == 200 && strings.Contains(string(a.body), "egistrationNumber") {
				t.Errorf("%s%s: %s", path, query, a.body)
			}
			if a.status == 200 {
				answered++
			}
		}
	}
	if entries, _ := o.register(t); answered < 20 || len(entries) > 0 {
		t.Errorf("%d are answered, and the register has %q", answered, entries)
	}
}

func TestAnEmptyAcceptTakesAnything(t *testing.T) {
	t.Parallel()
	o := open(t)
	o.get(t, "/customers/acme", "Accept", "").is(200)
	o.get(t, "/customers/acme", "Accept", " ", "Accept", "").is(200)
	o.get(t, "/customers/acme", "Accept", "", "Accept", "text/html").problem(406)
}

func TestANumberInAnotherNotationIsRefusedInOurWords(t *testing.T) {
	t.Parallel()
	o := open(t)
	paths := map[string]string{
		"POST /customers": "name type kboNumber scopes addressFields registrationNumber", "PUT /customers/acme": "name type email addressFields scopes",
		"POST /customers/search": "page pageSize email ids updatedSince", "POST /settings/labels": "name color",
		"PATCH /users/user-an": "firstName labels", "POST /customers/acme/relations": "kind relatedCustomer", "POST /checklists/assign": "customer customVariables",
	}
	for target, fields := range paths {
		method, path, _ := strings.Cut(target, " ")
		for _, field := range strings.Fields(fields) {
			for _, value := range []string{
				"85073003328e999", "85073003328e-1", "850730033.28e1", "8.5073003328e10", "85073003328.5", "1e2", "-85073003328", "85073003328850730033288507300332885073003328",
				`"85073003328e999"`, `["85073003328e999"]`, `{"85073003328":85073003328}`, `true`,
			} {
				a := o.ask(t, o.all, method, path, `{"`+field+`":`+value+`}`)
				for _, secret := range []string{"8507300332", "8.5073", "850730033.28", "json:", "unmarshal", "Go value", "strconv", "e999"} {
					if a.status >= 300 && strings.Contains(string(a.body), secret) || a.status >= 500 {
						t.Errorf("%s %s as %s: %d %s", target, field, value, a.status, a.body)
						break
					}
				}
			}
		}
	}
}
