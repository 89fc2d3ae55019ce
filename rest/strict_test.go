package rest_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"example.org/backoffice/backoffice"
)

func TestAnUnknownPathIsNotFound(t *testing.T) {
	t.Parallel()
	o := open(t)
	for _, path := range []string{"/nothing", "/customers/", "/customers/acme/nothing", "/transcripts/download/tr-1", "/Customers", "/customers//relations", "/customers//documents", "/customers//privacy", "/transcripts/download//file"} {
		o.get(t, path).problem(404)
	}
	o.ask(t, credential{}, "GET", "/nothing", nil).problem(404)
}

func TestAWrongMethodIsToldWhichAreRight(t *testing.T) {
	t.Parallel()
	o := open(t)
	for request, allow := range map[string]string{
		"PATCH /customers":                    "GET, HEAD, POST",
		"POST /customers/acme":                "GET, HEAD, PUT, DELETE",
		"GET /checklists/assign/":             "",
		"PUT /customers/acme/relations":       "GET, HEAD, POST",
		"GET /customers/acme/relations/x":     "PATCH, DELETE",
		"DELETE /financialyears/current":      "GET, HEAD",
		"POST /openapi.json":                  "GET, HEAD",
		"POST /files/minfin/min-1":            "GET, HEAD",
		"DELETE /transcripts/download/x/file": "GET, HEAD",
	} {
		method, path, _ := strings.Cut(request, " ")
		a := o.ask(t, o.all, method, path, nil)
		if allow == "" {
			a.problem(404)
			continue
		}
		a.problem(405)
		equal(t, request, a.header.Get("Allow"), allow)
	}
}

func TestOnlyJSONIsTaken(t *testing.T) {
	t.Parallel()
	o := open(t)
	for _, media := range []string{"-", "text/plain", "application/xml", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/json; charset=latin1", "application/merge-patch+json", "x", "/"} {
		o.ask(t, o.all, "POST", "/settings/labels", `{"name":"x"}`, "Content-Type", "-", "Content-Type", media).problem(415)
	}
	o.ask(t, o.all, "POST", "/settings/labels", `{"name":"x"}`, "Content-Encoding", "gzip").problem(415)
	o.ask(t, o.all, "POST", "/customers/acme/documents?name=a.pdf", "x", "Content-Type", "-", "Content-Type", "Multipart/Form-Data; boundary=x").problem(415)
	o.ask(t, o.all, "POST", "/settings/labels", `{"name":"plain"}`, "Content-Encoding", "Identity").is(201)
	for i, media := range []string{"application/json", "application/json; charset=utf-8", `APPLICATION/JSON; charset="UTF-8"`} {
		o.ask(t, o.all, "POST", "/settings/labels", map[string]string{"name": strings.Repeat("x", i+1)}, "Content-Type", "-", "Content-Type", media).is(201)
	}
}

func TestAClientThatTakesNoJSONGetsNone(t *testing.T) {
	t.Parallel()
	o := open(t)
	for accept, status := range map[string]int{
		"": 200, "*/*": 200, "application/json": 200, "application/*;q=0.1": 200, "text/html, application/json;q=0.5": 200, "application/problem+json, application/json": 200,
		"text/html": 406, "application/json;q=0": 406, "*/*, application/json;q=0": 406, "application/problem+json": 406, "nonsense": 406,
	} {
		var header []string
		if accept != "" {
			header = []string{"Accept", accept}
		}
		a := o.get(t, "/customers", header...)
		equal(t, accept, a.status, status)
		media := "application/json"
		if status == 406 {
			media = "application/problem+json"
		}
		equal(t, accept, a.header.Get("Content-Type"), media)
	}
	o.get(t, "/changes", "Accept", "text/event-stream", "Last-Event-ID", "42").fault(400, "Last-Event-ID", "INVALID")
	equal(t, "a file", o.get(t, "/minfin/download/min-1", "Accept", "application/pdf").status, 200)
	for accept, status := range map[string]int{ // a stream rejects the header, which a page does not take
		"text/event-stream": 400, "text/event-stream, */*": 400, "text/event-stream;q=0.5, application/json;q=0.4": 400, "application/json;q=0, text/event-stream;q=0.1": 400,
		"application/json, text/event-stream": 200, "application/json, text/event-stream;q=0.1": 200, "text/event-stream;q=0.1, */*;q=0.5": 200, "text/event-stream;q=0, */*": 200, "application/json;q=0.5, */*": 200,
	} {
		equal(t, accept, o.get(t, "/changes", "Accept", accept, "Last-Event-ID", "no cursor").status, status)
	}
}

func TestABodyIsStrictJSON(t *testing.T) {
	t.Parallel()
	o := open(t)
	for name, body := range map[string]string{
		"nothing": "", "blank": " ", "half": `{"name":"secret`, "an array": `["secret"]`, "a text": `"secret"`, "null": "null",
		"a key twice": `{"name":"secret","name":"secret"}`, "two": `{"name":"secret"}{}`, "something behind": `{"name":"secret"} secret`,
		"no UTF-8": "{\"name\":\"secret\xff\"}", "half a character": `{"name":"secret\ud800"}`, "a comma": `{"name":"secret",}`,
		"deep": `{"name":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`,
	} {
		a := o.ask(t, o.all, "POST", "/settings/labels", body)
		a.problem(400)
		if strings.Contains(string(a.body), "secret") {
			t.Errorf("%s: %s", name, a.body)
		}
	}
	o.ask(t, o.all, "POST", "/settings/labels", `{"name":"`+strings.Repeat("x", 256<<10)+`"}`).problem(413)
	o.get(t, "/settings/labels").items(3, "/settings/labels?page=1&pageSize=100", "/settings/labels?page=1&pageSize=100")
}

func TestAFieldThatIsUnknownOrOfAnotherTypeIsNamed(t *testing.T) {
	t.Parallel()
	o := open(t)
	for body, place := range map[string]string{
		`{"name":"x","colour":"secret"}`: "/colour", `{"name":7}`: "/name", `{"name":"x","color":7}`: "/color",
		`{"Name":"x","name":"x"}`: "/Name", `{"name":"x","91042112345":"secret"}`: "/#",
		`{"name":"x","91.04.21-123.45":"secret"}`: "/#",
	} {
		a := o.ask(t, o.all, "POST", "/settings/labels", body)
		a.fault(422, place, "INVALID")
		if strings.Contains(string(a.body), "secret") || strings.Contains(string(a.body), "91042112345") || strings.Contains(string(a.body), "91.04.21") {
			t.Errorf("%s", a.body)
		}
	}
	o.ask(t, o.all, "PUT", "/customers/acme", `{"addressFields":{"town":"secret"}}`).fault(422, "/addressFields/town", "INVALID")
	o.ask(t, o.all, "PUT", "/customers/acme", `{"scopes":["a",7]}`).fault(422, "/scopes/1", "INVALID")
	o.ask(t, o.all, "PUT", "/customers/acme", `{"scopes":["a","B"]}`).fault(422, "/scopes/1", "INVALID")
	long := strings.Repeat("k", 300)
	a := o.ask(t, o.all, "PUT", "/customers/acme", `{"`+long+`":1}`)
	if a.problem(422); strings.Contains(string(a.body), long[:65]) {
		t.Error("a long name is not cut")
	}
	many := map[string]int{}
	for i := range 1000 {
		many["x"+strconv.Itoa(i)] = 1
	}
	if errors := o.ask(t, o.all, "PUT", "/customers/acme", many).problem(422)["errors"].([]any); len(errors) != 100 {
		t.Errorf("%d errors are told", len(errors))
	}
	equal(t, "version", o.get(t, "/customers/acme").header.Get("ETag"), `"4"`)
}

func TestAQueryIsHeldToWhatTheOperationKnows(t *testing.T) {
	t.Parallel()
	o := open(t)
	for query, name := range map[string]string{
		"page=0": "page", "page=-1": "page", "page=x": "page", "page=1.5": "page", "page=": "page", "page": "page", "page=99999999999999999999": "page",
		"pageSize=0": "pageSize", "pageSize=501": "pageSize", "pageSize=abc": "pageSize", "pageSize=": "pageSize",
		"nme=x": "nme", "Language=x": "Language", "language=dutch&language=french": "language", "page=1&page=1": "page",
		"type=Club": "type", "type=": "type", "companyType=XX": "companyType", "updatedSince=yesterday": "updatedSince", "updatedSince=": "updatedSince",
	} {
		a := o.get(t, "/customers?"+query)
		a.fault(400, name, "INVALID")
		equal(t, "store calls", a.calls, 0)
	}
	for query, name := range map[string]string{
		"search=ab": "search", "kboNumber=1": "kboNumber", "registrationNumber=secret": "registrationNumber", "spouseRegistrationNumber=secret": "spouseRegistrationNumber",
	} {
		a := o.get(t, "/customers?"+query)
		if a.fault(400, name, "INVALID"); strings.Contains(string(a.body), "secret") {
			t.Errorf("%s", a.body)
		}
	}
	o.get(t, "/users?search=ab").fault(400, "search", "INVALID")
	o.get(t, "/changes?noun=customer").fault(400, "noun", "INVALID")
	o.get(t, "/customers", "x-access-purpose", "about 91042112345").fault(400, "x-access-purpose", "INVALID")
	o.ask(t, o.all, "POST", "/customers/search", `{"search":"ab"}`).fault(400, "/search", "INVALID")
	o.ask(t, o.all, "POST", "/customers/search", `{"updatedSince":"2026-06-01T00:00:00,5Z"}`).fault(400, "/updatedSince", "INVALID")
	o.get(t, "/customers?updatedSince=2026-06-01T00:00:00,5Z").fault(400, "updatedSince", "INVALID")
	o.get(t, "/reports/supervision-year?year=2026&riskVariable=").fault(400, "riskVariable", "INVALID")
	for _, query := range []string{"language=%zz", "a;b"} {
		if a := o.get(t, "/customers?"+query); strings.Contains(string(a.body), "secret") {
			t.Errorf("%s", a.body)
		} else {
			a.problem(400)
		}
	}
	for _, path := range []string{"/customers/acme?page=1", "/financialyears/current?x=1", "/minfin/download/min-1?a=b", "/minfin?type=x"} {
		o.get(t, path).problem(400)
	}
	for query, name := range map[string]string{"isCompleted=perhaps": "isCompleted", "status=secret": "status", "status=": "status"} {
		a := o.get(t, "/transcripts?"+query)
		if a.problem(400); !strings.Contains(string(a.body), `"parameter":"`+name) || strings.Contains(string(a.body), "secret") {
			t.Errorf("%s: %s", query, a.body)
		}
	}
	divided := o.get(t, "/customers?91.04.21-123.45=x")
	if divided.problem(400); strings.Contains(string(divided.body), "91.04.21") {
		t.Errorf("%s", divided.body)
	}
	masked := o.get(t, "/customers?91042112345=x")
	if masked.problem(400); strings.Contains(string(masked.body), "91042112345") {
		t.Errorf("%s", masked.body)
	}
}

func TestFaultsComeInOneOrder(t *testing.T) {
	t.Parallel()
	o := open(t)
	for range 20 {
		for _, a := range []*answer{o.ask(t, o.all, "PUT", "/customers/acme", `{"c":1,"a":2,"d":3,"b":4,"e":5}`), o.get(t, "/customers?c=1&a=2&d=3&b=4&e=5")} {
			var told struct {
				Errors []struct{ Pointer, Parameter string }
			}
			check(t, json.Unmarshal(a.body, &told))
			places := ""
			for _, e := range told.Errors {
				places += strings.TrimPrefix(e.Pointer, "/") + e.Parameter
			}
			equal(t, "the places", places, "abcde")
		}
	}
}

func TestNothingOfARefusedRequestIsEchoed(t *testing.T) {
	t.Parallel()
	o := open(t)
	values := rapid.StringMatching(`zq[a-zA-Z0-9 <>"'\\/é{}\[\]]{6,40}qz`)
	rapid.Check(t, func(r *rapid.T) {
		secret := values.Draw(r, "value")
		field := rapid.SampledFrom([]string{"type", "name", "kboNumber", "companyType", "customerCode", "registrationNumber", "language", "email", "phone", "responsible", "scopes", "addressFields"}).Draw(r, "field")
		text, _ := json.Marshal(secret)
		value := rapid.SampledFrom([]string{string(text), "[" + string(text) + "]", `{"city":` + string(text) + `,"street":[` + string(text) + `]}`}).Draw(r, "shape")
		escaped := url.QueryEscape(secret)
		for _, a := range []*answer{
			o.ask(t, o.all, "POST", "/customers", `{"type":"Private Person","`+field+`":`+value+`,"kboNumber":"x"}`),
			o.ask(t, o.all, "PUT", "/customers/acme", `{"`+field+`":`+value+`,"email":"x"}`),
			o.ask(t, o.all, "POST", "/customers/search", `{"`+field+`":`+value+`,"page":0}`),
			o.get(t, "/customers?page="+escaped), o.get(t, "/customers?updatedSince="+escaped), o.get(t, "/customers?type="+escaped),
			o.get(t, "/customers?registrationNumber="+escaped), o.get(t, "/transcripts?status="+escaped),
			o.get(t, "/customers/"+url.PathEscape(secret)), o.get(t, "/customers/acme", "x-access-purpose", strings.Repeat("1", 9)+"zqqz"),
			o.ask(t, o.all, "PUT", "/customers/acme", "{}", "If-Match", secret),
		} {
			if a.status < 400 || a.status >= 500 {
				r.Fatalf("%d %s", a.status, a.body)
			}
			if strings.Contains(string(a.body), "zq") {
				r.Fatalf("echoed: %s", a.body)
			}
		}
	})
}

func TestEveryAnswerStaysOutOfCaches(t *testing.T) {
	t.Parallel()
	o := open(t)
	for _, path := range []string{"/customers", "/customers/acme", "/customers/acme/privacy", "/financialyears", "/minfin/download/min-1", "/users", "/nothing"} {
		equal(t, path, o.get(t, path).header.Get("Cache-Control"), "no-store")
	}
	equal(t, "no credential", o.ask(t, credential{}, "GET", "/customers", nil).header.Get("Cache-Control"), "no-store")
}

func TestHeadAnswersLikeGetWithoutABody(t *testing.T) {
	t.Parallel()
	o := open(t)
	a := o.ask(t, o.all, http.MethodHead, "/customers/acme", nil)
	equal(t, "status", a.status, 200)
	equal(t, "ETag", a.header.Get("ETag"), `"4"`)
	o.ask(t, o.none, http.MethodHead, "/customers/acme/privacy", nil).problemWithoutBody(403)
	o.ask(t, o.all, http.MethodHead, "/customers?x=1", nil).problemWithoutBody(400)
}

func (a *answer) problemWithoutBody(status int) {
	a.t.Helper()
	equal(a.t, "status", a.status, status)
	equal(a.t, "media", a.header.Get("Content-Type"), "application/problem+json")
}

func TestAnIdempotencyKeyMakesOneObject(t *testing.T) {
	t.Parallel()
	o := open(t)
	for path, body := range map[string]string{
		"/customers": `{"type":"Company","name":"Een"}`, "/settings/labels": `{"name":"Een"}`,
		"/customers/acme/relations": `{"relatedCustomer":"gaspard","kind":"UBO"}`, "/checklists/assign": `{"checklist":"list-2026-nl","customer":"duo"}`,
	} {
		first := o.ask(t, o.all, "POST", path, body, "Idempotency-Key", "key-1").is(201)
		again := o.ask(t, o.all, "POST", path, body, "Idempotency-Key", "key-1").is(201)
		equal(t, path, again["_id"], first["_id"])
		other := strings.Replace(strings.Replace(strings.Replace(body, "Een", "Twee", 1), "UBO", "director", 1), `"duo"`, `"cafe"`, 1)
		o.ask(t, o.all, "POST", path, other, "Idempotency-Key", "key-1").fault(422, "Idempotency-Key", "IDEMPOTENCY_KEY_REUSED")
		o.ask(t, o.all, "POST", path, body, "Idempotency-Key", strings.Repeat("x", 256)).fault(422, "Idempotency-Key", "INVALID")
		o.ask(t, o.all, "POST", path, body, "Idempotency-Key", "a", "Idempotency-Key", "b").fault(400, "Idempotency-Key", "INVALID")
	}
	id := o.ask(t, o.all, "POST", "/customers", `{"type":"Company"}`, "Idempotency-Key", "key-2").is(201)["_id"].(string)
	o.ask(t, o.all, "DELETE", "/customers/"+id, nil)
	o.ask(t, o.all, "POST", "/customers", `{"type":"Company"}`, "Idempotency-Key", "key-2").problem(404)
}

func TestASearchInABodyFindsWhatTheQueryFinds(t *testing.T) {
	t.Parallel()
	o := open(t)
	number := o.number(t, "els")
	a := o.ask(t, o.all, "POST", "/customers/search", map[string]any{"registrationNumber": number, "language": nil})
	ids, _ := a.items(1, "/customers/search?page=1&pageSize=100", "/customers/search?page=1&pageSize=100")
	equal(t, "by number", ids, "els")
	ids, _ = o.ask(t, o.all, "POST", "/customers/search?pageSize=2&page=2", map[string]any{"type": "Private Person"}).items(3, "/customers/search?page=1&pageSize=2", "/customers/search?page=2&pageSize=2")
	equal(t, "by the query's page", ids, "gaspard")
	ids, _ = o.ask(t, o.all, "POST", "/customers/search", map[string]any{"page": 2, "pageSize": 2, "type": "Private Person"}).items(3, "/customers/search?page=1&pageSize=2", "/customers/search?page=2&pageSize=2")
	equal(t, "by the body's page", ids, "gaspard")
	last := "/customers/search?page=2&pageSize=2"
	ids, _ = o.ask(t, o.all, "POST", last, map[string]any{"pageSize": 2, "type": "Private Person"}).items(3, "/customers/search?page=1&pageSize=2", last)
	equal(t, "by a link, with the body that gave it", ids, "gaspard")
	ids, _ = o.ask(t, o.all, "POST", "/customers/search", map[string]any{"ids": []string{}}).items(0, "/customers/search?page=1&pageSize=100", "/customers/search?page=1&pageSize=100")
	equal(t, "an empty list of identifiers", ids, "")
	for _, sent := range []map[string]any{{"registrationNumber": number}, {"spouseRegistrationNumber": ""}} {
		refused := o.ask(t, o.none, "POST", "/customers/search", sent)
		has(t, refused.problem(403), map[string]any{"requiredScope": "privacy.read"})
		equal(t, "store calls", refused.calls, 0)
	}
	o.ask(t, o.none, "POST", "/customers/search", map[string]any{"registrationNumber": nil}).is(200)
	o.ask(t, o.all, "POST", "/customers/search?page=1", map[string]any{"page": 2}).fault(400, "page", "INVALID")
	o.ask(t, o.all, "POST", "/customers/search?pageSize=1", map[string]any{"pageSize": 2}).fault(400, "pageSize", "INVALID")
	for _, body := range []string{`{"page":0}`, `{"page":"2"}`, `{"page":1.5}`} {
		o.ask(t, o.all, "POST", "/customers/search", body).fault(400, "/page", "INVALID")
	}
	o.ask(t, o.all, "POST", "/customers/search", map[string]any{"pageSize": 501}).fault(400, "/pageSize", "INVALID")
	o.ask(t, o.all, "POST", "/customers/search", map[string]any{"emial": "x"}).fault(422, "/emial", "INVALID")
	o.ask(t, o.all, "POST", "/customers", map[string]any{"name": "A", "type": "Company", "page": 1}).fault(422, "/page", "INVALID")
}

func TestRelationsAreDeletedFromEitherSide(t *testing.T) {
	t.Parallel()
	o := open(t)
	o.ask(t, o.all, "DELETE", "/customers/cafe/relations/rel-1", nil).problem(404)
	equal(t, "from its customer", o.ask(t, o.all, "DELETE", "/customers/acme/relations/rel-1", nil).status, 204)
	equal(t, "from the related one", o.ask(t, o.all, "DELETE", "/customers/acme/relations/rel-3", nil).status, 204)
	o.ask(t, o.all, "DELETE", "/customers/acme/relations/rel-3", nil).problem(404)
	o.needs(t, backoffice.CustomersWrite, "DELETE", "/customers/acme/relations/rel-2", nil)
}

func TestWhatIntegratorsNeedBeyondTheSpecificationIsThere(t *testing.T) {
	t.Parallel()
	o := open(t)
	for path, want := range map[string]string{"/users/user-an": "user-an", "/checklists/list-2026-nl": "list-2026-nl", "/transcripts/tr-5": "tr-5"} {
		equal(t, path, o.get(t, path).is(200)["_id"], any(want))
	}
	ids, _ := o.get(t, "/financialyears").items(2, "/financialyears?page=1&pageSize=100", "/financialyears?page=1&pageSize=100")
	equal(t, "years", ids, "year-2025 year-2026")
	ids, _ = o.get(t, "/users").items(3, "/users?page=1&pageSize=100", "/users?page=1&pageSize=100")
	equal(t, "users", ids, "user-an user-bruno user-clara")
}
