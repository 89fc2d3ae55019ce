package mirror

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"example.org/backoffice/backoffice"
)

var writeScopes = []backoffice.Scope{backoffice.PtiWrite, backoffice.SettingsWrite, backoffice.UsersWrite}

// throughMirror is a mirror of a furnished office that writes through, and what is between them.
func throughMirror(t *testing.T, open func(testing.TB) backoffice.Store, scopes ...backoffice.Scope) (origin, copied *office, pull *Pull, between *proxy) {
	t.Helper()
	origin, copied = newOffice(t, openSQLite(t), writeScopes...).furnish(t), newOffice(t, open(t), append(scopes, writeScopes...)...)
	between = &proxy{}
	pull = copied.pullFrom(origin.serve(t, between.between), origin)
	pull.mustOnce(t)
	through, err := pull.Through()
	must(t, err)
	copied.mount(t, through)
	return origin, copied, pull, between
}

func TestAWriteThroughTheMirrorIsDoneAtTheOriginAndCopiedAtOnce(t *testing.T) {
	t.Parallel()
	for _, engine := range engines {
		t.Run(engine.name, func(t *testing.T) {
			t.Parallel()
			origin, copied, pull, _ := throughMirror(t, engine.open)
			checklist := origin.records(t, "/checklists")
			for _, write := range []struct {
				request, body string
				status        int
				want          string
			}{
				{"POST /customers", `{"type":"Company","name":"Nieuw","customerCode":"N-1","addressFields":{"city":"Gent","box":null},"scopes":["checklist"]}`, 201, `"city":"Gent"`},
				{"PUT /customers/acme", `{"name":"Anders","addressFields":{"street":"Nieuwstraat"},"customerCode":null}`, 200, `"street":"Nieuwstraat"`},
				{"POST /customers/acme/relations", `{"relatedCustomer":"NEW","kind":"shareholder"}`, 201, `"kind":"shareholder"`},
				{"POST /settings/labels", `{"name":"Nieuw label","color":"#ff0000"}`, 201, `"#ff0000"`},
				{"POST /checklists/assign", `{"checklist":"CHECKLIST","customer":"acme","customVariables":{"a":[1,{"b":null}]}}`, 201, `"_id"`},
				{"PATCH /users/USER", `{"firstName":"Ander"}`, 200, `"firstName":"Ander"`},
				{"DELETE /customers/NEW", "", 204, ""},
				{"DELETE /users/USER", "", 204, ""},
			} {
				named := func(text string) string {
					fresh := ""
					for _, r := range origin.records(t, "/customers") {
						if r.text("name") == "Nieuw" {
							fresh = r.id()
						}
					}
					current := checklist[0].id()
					for _, c := range checklist {
						if year := c.text("financialYear"); year == currentYear(t, origin) {
							current = c.id()
						}
					}
					return strings.NewReplacer("NEW", fresh, "CHECKLIST", current, "USER", origin.records(t, "/users")[0].id()).Replace(text)
				}
				method, path, _ := strings.Cut(named(write.request), " ")
				if status, answer := copied.send(t, method, path, named(write.body)); status != write.status || !strings.Contains(answer, write.want) {
					t.Fatalf("%s is answered with %d %s", write.request, status, answer)
				}
				if write.request != "DELETE /users/USER" { // the version of its customers comes with the next pull
					wantSame(t, origin, copied)
				}
			}
			before := copied.changed(t)
			pull.mustOnce(t)
			wantSame(t, origin, copied)
			if more := copied.changed(t) - before; more > 5 {
				t.Errorf("the next pull changes %d records more", more)
			}
		})
	}
}

func TestAnAssignmentAtAnOriginWithTheSpecificationsRequestsAloneIsCopied(t *testing.T) {
	t.Parallel()
	origin, copied := newOffice(t, openSQLite(t), writeScopes...).furnish(t), newOffice(t, openSQLite(t), writeScopes...)
	pull := copied.pullFrom(origin.serve(t, bare), origin)
	pull.mustOnce(t)
	through, err := pull.Through()
	must(t, err)
	copied.mount(t, through)
	for _, checklist := range copied.records(t, "/checklists") {
		if checklist.text("financialYear") == currentYear(t, copied) {
			if status, answer := copied.send(t, "POST", "/checklists/assign", `{"checklist":"`+checklist.id()+`","customer":"acme"}`); status != 201 {
				t.Errorf("it is answered with %d %s", status, answer)
			}
			return
		}
	}
	t.Error("there is no checklist to assign")
}

func currentYear(t *testing.T, o *office) string {
	t.Helper()
	for _, year := range o.records(t, "/financialyears") {
		if year.isTrue("isCurrentYear") {
			return year.id()
		}
	}
	t.Fatal("there is no current year")
	return ""
}

func TestWhatTheOriginRefusesIsRefusedHereInOurWordsAndNothingIsWritten(t *testing.T) {
	t.Parallel()
	_, copied, _, between := throughMirror(t, openSQLite, backoffice.PrivacyRead)
	before := copied.changed(t)
	const secret = "what nobody may repeat"
	problem := func(status int, body string) func(int, http.ResponseWriter, *http.Request) bool {
		return func(_ int, w http.ResponseWriter, r *http.Request) bool {
			if r.Method == http.MethodGet {
				return false
			}
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
			return true
		}
	}
	for name, test := range map[string]struct {
		fault  func(int, http.ResponseWriter, *http.Request) bool
		body   string
		status int
		want   string
	}{
		"a rule that is the domain's":        {nil, `{"kboNumber":"1"}`, 422, `"pointer":"/kboNumber"`},
		"a field of a problem":               {problem(422, `{"detail":"`+secret+`","errors":[{"pointer":"/addressFields/city","code":"INVALID","detail":"`+secret+`"}]}`), `{"addressFields":{"city":"Gent"}}`, 422, `"pointer":"/addressFields/city"`},
		"a responsible user":                 {problem(422, `{"errors":[{"pointer":"/responsible","code":"NOT_FOUND","detail":"`+secret+`"}]}`), `{"responsible":"nobody"}`, 422, `"pointer":"/responsible","code":"NOT_FOUND"`},
		"a code of its own":                  {problem(422, `{"errors":[{"pointer":"/`+secret+`","code":"`+secret+`"}]}`), `{"name":"X"}`, 422, `"code":"INVALID"`},
		"a code that is taken":               {problem(409, `{"errors":[{"pointer":"/customerCode","code":"TAKEN"}]}`), `{"customerCode":"X"}`, 409, `"code":"TAKEN"`},
		"no problem":                         {problem(400, secret), `{"name":"X"}`, 422, `"code":"INVALID"`},
		"gone":                               {problem(404, secret), `{"name":"X"}`, 404, "no customer has this identifier"},
		"a credential without the scope":     {problem(403, secret), `{"name":"X"}`, 409, `"code":"NOT_ALLOWED"`},
		"another method":                     {problem(405, secret), `{"name":"X"}`, 409, `"code":"NOT_ALLOWED"`},
		"an older version":                   {problem(412, secret), `{"name":"X"}`, 412, `"code":"STALE_VERSION"`},
		"a credential that it does not know": {problem(401, secret), `{"name":"X"}`, 503, "does not accept writes"},
		"too many":                           {problem(429, secret), `{"name":"X"}`, 429, "too many requests"},
		"an error of its own":                {problem(500, secret), `{"name":"X"}`, 503, "cannot write now"},
		"somewhere else":                     {problem(302, secret), `{"name":"X"}`, 503, "cannot write now"},
		"a connection that ends": {func(_ int, _ http.ResponseWriter, r *http.Request) bool {
			if r.Method != http.MethodGet {
				panic(http.ErrAbortHandler)
			}
			return false
		}, `{"name":"X"}`, 503, "does not answer"},
		"a registration number": {nil, `{"registrationNumber":"85073003328"}`, 422, `"code":"NOT_ALLOWED"`},
	} {
		between.set(test.fault)
		status, answer := copied.send(t, http.MethodPut, "/customers/acme", test.body)
		if status != test.status || !strings.Contains(answer, test.want) || strings.Contains(answer, secret) {
			t.Errorf("%s: it is answered with %d %s", name, status, answer)
		}
	}
	between.set(nil)
	if status, answer := copied.send(t, http.MethodPut, "/customers/acme", `{"name":"X"}`, "If-Match", `"77"`); status != http.StatusPreconditionFailed {
		t.Errorf("another version than it has here is answered with %d %s", status, answer)
	}
	for request, body := range map[string]string{
		"POST /customers/batch": `{"mode":"each","customers":[{"type":"Company","name":"Nieuw"}]}`, "POST /customers/acme/documents?name=x": `{}`,
	} {
		method, path, _ := strings.Cut(request, " ")
		if status, answer := copied.send(t, method, path, body); status != http.StatusConflict || !strings.Contains(answer, "NOT_ALLOWED") {
			t.Errorf("%s, which the specification does not have, is answered with %d %s", request, status, answer)
		}
	}
	if copied.changed(t) != before {
		t.Error("something was written here")
	}
}

func TestAChangeOfAnOlderCopyIsStaleAtTheOrigin(t *testing.T) {
	t.Parallel()
	origin, copied, _, _ := throughMirror(t, openSQLite)
	var version string
	for _, r := range copied.records(t, "/customers") {
		if r.id() == "acme" {
			version = `"` + string(r["version"]) + `"`
		}
	}
	if status, answer := origin.send(t, http.MethodPut, "/customers/acme", `{"name":"Eerst"}`); status != http.StatusOK {
		t.Fatal(status, answer)
	}
	if status, answer := copied.send(t, http.MethodPut, "/customers/acme", `{"name":"Laat"}`, "If-Match", version); status != http.StatusPreconditionFailed {
		t.Errorf("a lost update: %d %s", status, answer)
	}
}

func TestAnOriginThatDiesBetweenItsWriteAndTheCopyHasWrittenOnce(t *testing.T) {
	t.Parallel()
	origin, copied, pull, between := throughMirror(t, openSQLite)
	const body = `{"type":"Company","name":"Een keer"}`
	var dead atomic.Bool
	between.set(func(_ int, w http.ResponseWriter, r *http.Request) bool {
		if dead.Load() {
			w.WriteHeader(http.StatusBadGateway)
			return true
		}
		if r.Method == http.MethodPost {
			dead.Store(true)
		}
		return false
	})
	if status, answer := copied.send(t, http.MethodPost, "/customers", body, "Idempotency-Key", "one"); status != http.StatusServiceUnavailable || !strings.Contains(answer, "next pull") {
		t.Fatalf("it is answered with %d %s", status, answer)
	}
	if n := named(copied.records(t, "/customers"), "Een keer"); n != 0 {
		t.Errorf("there are %d copies of what nobody could read", n)
	}
	between.set(func(_ int, w http.ResponseWriter, r *http.Request) bool { // the answer is lost, after the write
		if r.Method == http.MethodPost {
			origin.handler.ServeHTTP(&lost{header: http.Header{}}, r)
			panic(http.ErrAbortHandler)
		}
		return false
	})
	if status, answer := copied.send(t, http.MethodPost, "/customers", body, "Idempotency-Key", "one"); status != http.StatusServiceUnavailable {
		t.Errorf("a lost answer: %d %s", status, answer)
	}
	between.set(nil)
	pull.mustOnce(t)
	wantSame(t, origin, copied)
	for range 2 {
		if status, answer := copied.send(t, http.MethodPost, "/customers", body, "Idempotency-Key", "one"); status != http.StatusCreated {
			t.Errorf("the retry is answered with %d %s", status, answer)
		}
	}
	if status, answer := copied.send(t, http.MethodPost, "/customers", `{"type":"Company","name":"Een ander"}`, "Idempotency-Key", "one"); status != http.StatusUnprocessableEntity ||
		!strings.Contains(answer, "IDEMPOTENCY_KEY_REUSED") {
		t.Errorf("the key for something else is answered with %d %s", status, answer)
	}
	if n := named(origin.records(t, "/customers"), "Een keer"); n != 1 {
		t.Errorf("the origin has it %d times", n)
	}
	wantSame(t, origin, copied)
}

// lost is an answer that nobody gets.
type lost struct{ header http.Header }

func (l *lost) Header() http.Header         { return l.header }
func (l *lost) Write(b []byte) (int, error) { return len(b), nil }
func (l *lost) WriteHeader(int)             {}

func named(records []record, name string) (n int) {
	for _, r := range records {
		if r.text("name") == name {
			n++
		}
	}
	return n
}

func TestAWriteDuringAPullStays(t *testing.T) {
	t.Parallel()
	origin, copied, pull, between := throughMirror(t, openSQLite)
	var once atomic.Bool
	gone := origin.records(t, "/customers")[1].id()
	if gone == "acme" {
		gone = origin.records(t, "/customers")[2].id()
	}
	// Of two that swap a code the first is held back until all are read.
	origin.say(t, backoffice.NounCustomer, `{"_id":"acme","customerCode":"was-other"}`, `{"_id":"els","customerCode":"was-acme"}`)
	pull.mustOnce(t)
	origin.say(t, backoffice.NounCustomer, `{"_id":"acme","customerCode":"was-acme"}`, `{"_id":"els","customerCode":"was-other"}`)
	between.set(func(_ int, w http.ResponseWriter, r *http.Request) bool {
		if !lists(r, "/customers") || once.Swap(true) {
			return false
		}
		page := &kept{lost: lost{header: http.Header{}}}
		r.Header.Del("Accept-Encoding")
		origin.handler.ServeHTTP(page, r) // before the writes
		for request, body := range map[string]string{"PUT /customers/acme": `{"name":"Superseded","customerCode":"free"}`, "DELETE /customers/" + gone: ""} {
			method, path, _ := strings.Cut(request, " ")
			if status, answer := copied.send(t, method, path, body); status >= 300 {
				t.Errorf("%s during a pull is answered with %d %s", request, status, answer)
			}
		}
		_, _ = w.Write(page.body)
		return true
	})
	pull.mustOnce(t)
	if !once.Load() {
		t.Error("no list was read")
	}
	wantSame(t, origin, copied)
}

type kept struct {
	lost
	body []byte
}

func (k *kept) Write(b []byte) (int, error) {
	k.body = append(k.body, b...)
	return len(b), nil
}
