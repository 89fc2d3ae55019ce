package gateway

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"example.org/backoffice/auth"
	"example.org/backoffice/auth/people/peopletest"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/privacy"
)

// desk is an office at which people sign in.
type desk struct {
	*office
	*peopletest.Issuer
	config Config
	path   string // of the map
	log    writing
}

// writing is what several may write to.
type writing struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (w *writing) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(b)
}

func (w *writing) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

const usualMap = `{"rules": [
	{"claim": "groups", "value": "managers", "scopes": ["privacy.read", "customers.write", "pti.write", "minfin.read", "settings.write"]},
	{"claim": "groups", "value": "acme", "scopes": ["customers.write"], "onlyCustomer": ["acme"]},
	{"claim": "groups", "value": "an", "onlyResponsible": ["an"]}
], "deny": ["gone"]}`

func openDesk(t testing.TB) *desk {
	t.Helper()
	d := makeDesk(t, quiet(unhurried()), func(of backoffice.Store) backoffice.Store { return of })
	d.fill(t)
	return d
}

// makeDesk is a desk without records, with something between the handler and the store.
func makeDesk(t testing.TB, c Config, between func(backoffice.Store) backoffice.Store) *desk {
	t.Helper()
	d := &desk{Issuer: peopletest.New(t, jose.ES256), path: peopletest.Map(t, usualMap)}
	settings := officeSettings(t, engines["SQLite"](t))
	h, err := settings.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	h.Store = between(h.Store)
	c.Log = slog.New(slog.NewTextHandler(&d.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	c.People = PeopleSettings{Issuer: d.URL, Audience: peopletest.Audience, Map: d.path}
	d.office, d.config = serveConfigured(t, h, c), c
	return d
}

func (d *desk) token(t testing.TB, subject string, groups ...string) string {
	t.Helper()
	return d.Token(t, subject, map[string]any{"groups": groups})
}

// request is one with an access token, and no pair.
func (d *desk) request(t testing.TB, token, method, path, body string) *http.Request {
	t.Helper()
	r := newRequest(t, [2]string{}, method, path, body)
	r.Header.Del(auth.ClientIDHeader)
	r.Header.Del(auth.ClientSecretHeader)
	r.Header.Set("Accept", "application/json, application/graphql-response+json")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return r
}

// says is the answer to a query, with the token of a person.
func (d *desk) says(t testing.TB, token, query string) string {
	t.Helper()
	return d.serve(d.request(t, token, http.MethodPost, "/graphql", encoded(t, map[string]string{"query": query}))).Body.String()
}

func TestAPersonIsAnsweredByBothAPIsAsTheMapHasIt(t *testing.T) {
	t.Parallel()
	d := openDesk(t)
	manager, visitor := d.token(t, "an@office", "managers"), d.token(t, "bea@office", "acme")
	var answer struct {
		Data struct {
			Viewer    map[string]any
			Customers struct{ TotalCount int }
		}
	}
	if err := json.Unmarshal([]byte(d.says(t, visitor, `{ viewer { kind clientId subject name scopes restriction expiresAt } customers { totalCount } }`)), &answer); err != nil {
		t.Fatal(err)
	}
	viewer := answer.Data.Viewer
	if viewer["kind"] != "PERSON" || viewer["subject"] != "bea@office" || viewer["name"] != "Name of bea@office" || viewer["clientId"] != backoffice.PersonID(d.URL, "bea@office") ||
		fmt.Sprint(viewer["scopes"]) != "[CUSTOMERS_WRITE]" || viewer["restriction"] != `{"customers":["acme"]}` || viewer["expiresAt"] == nil || answer.Data.Customers.TotalCount != 1 {
		t.Errorf("%+v", answer)
	}
	if all := d.says(t, manager, `{ customers { totalCount } }`); strings.Contains(all, `"totalCount":1}`) || strings.Contains(all, "errors") {
		t.Error(all)
	}
	for path, status := range map[string]int{"/customers/acme": 200, "/customers/brouwerij": 404, "/customers?page=1": 200} {
		if w := d.serve(d.request(t, visitor, http.MethodGet, path, "")); w.Code != status {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	if w := d.serve(d.request(t, visitor, http.MethodGet, "/customers/acme/privacy", "")); w.Code != http.StatusForbidden {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if log := d.log.String(); !strings.Contains(log, "subject=bea@office") || strings.Contains(log, manager) || strings.Contains(log, "Name of") || strings.Contains(log, "managers") {
		t.Errorf("the log says %s", log)
	}
}

func TestWhoeverIsNoPersonIsToldSoByBothAPIs(t *testing.T) {
	t.Parallel()
	d := openDesk(t)
	pair := d.pair(t, backoffice.AllScopes...)
	good := d.token(t, "an", "managers")
	for name, of := range map[string]struct {
		change    func(*http.Request)
		status    int
		code      string
		challenge string
	}{
		"nothing":        {func(*http.Request) {}, 401, "UNAUTHENTICATED", "Bearer"},
		"another scheme": {func(r *http.Request) { r.Header.Set("Authorization", "Basic "+good) }, 401, "UNAUTHENTICATED", "Bearer"},
		"no token":       {func(r *http.Request) { r.Header.Set("Authorization", "Bearer") }, 401, "UNAUTHENTICATED", `Bearer error="invalid_token"`},
		"another issuer's": {func(r *http.Request) {
			r.Header.Set("Authorization", "Bearer "+peopletest.New(t, jose.ES256).Token(t, "an", nil))
		}, 401, "UNAUTHENTICATED", `Bearer error="invalid_token"`},
		"somebody denied": {func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+d.token(t, "gone", "managers")) }, 401, "UNAUTHENTICATED", `Bearer error="invalid_token"`},
		"no rule":         {func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+d.token(t, "an")) }, 403, "FORBIDDEN", `Bearer error="insufficient_scope"`},
		"a pair as well": {func(r *http.Request) {
			r.Header.Set("Authorization", "Bearer "+good)
			r.Header.Set(auth.ClientIDHeader, pair[0])
			r.Header.Set(auth.ClientSecretHeader, pair[1])
		}, 400, "BAD_USER_INPUT", ""},
		"two tokens": {func(r *http.Request) { r.Header["Authorization"] = []string{"Bearer " + good, "Bearer " + good} }, 400, "BAD_USER_INPUT", ""},
		"a pair alone": {func(r *http.Request) {
			r.Header.Set(auth.ClientIDHeader, pair[0])
			r.Header.Set(auth.ClientSecretHeader, pair[1])
		}, 200, "", ""},
		"the scheme in capital": {func(r *http.Request) { r.Header.Set("Authorization", "BEARER "+good) }, 200, "", ""},
	} {
		for path, body := range map[string]string{"/customers": "", "/graphql": `{"query":"{ viewer { name } }"}`} {
			method := http.MethodGet
			if body != "" {
				method = http.MethodPost
			}
			r := d.request(t, "", method, path, body)
			r.RemoteAddr = fmt.Sprintf("192.0.2.%d:1", len(name)) // 10 failures of an address are slowed
			if body != "" {
				r.Header.Set("Accept", "application/graphql-response+json")
			}
			of.change(r)
			w := d.serve(r)
			if w.Code != of.status || w.Header().Get("WWW-Authenticate") != of.challenge || body != "" && of.code != "" && !strings.Contains(w.Body.String(), `"`+of.code+`"`) {
				t.Errorf("%s, %s: %d %q %s", name, path, w.Code, w.Header().Get("WWW-Authenticate"), w.Body)
			}
		}
	}
}

func TestAnIssuerThatIsAwayIsNoMatterOfReadinessNorOfPairs(t *testing.T) {
	t.Parallel()
	d := openDesk(t)
	d.Away(true)
	for path, body := range map[string]string{"/customers": "", "/graphql": `{"query":"{ viewer { name } }"}`} {
		method := http.MethodGet
		if body != "" {
			method = http.MethodPost
		}
		w := d.serve(d.request(t, d.token(t, "an", "managers"), method, path, body))
		if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" || body != "" && !strings.Contains(w.Body.String(), `"UNAVAILABLE"`) {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	if w := d.send(t, d.pair(t), http.MethodGet, "/customers", ""); w.Code != http.StatusOK {
		t.Errorf("a pair: %d", w.Code)
	}
	if w := d.serve(httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/readyz", http.NoBody)); w.Code != http.StatusOK {
		t.Errorf("readyz: %d", w.Code)
	}
}

// ending is a token that is good for some seconds more, by the skew of a minute.
func (d *desk) ending(t testing.TB, seconds int, groups ...string) string {
	t.Helper()
	now := time.Now()
	return d.Sign(t, "at+jwt", d.Claims("an", now, map[string]any{"groups": groups, "iat": now.Add(-5 * time.Minute).Unix(), "exp": now.Add(time.Duration(seconds)*time.Second - time.Minute).Unix()}))
}

func TestATokenThatEndsEndsWhatWasBegunWithIt(t *testing.T) {
	t.Parallel()
	d := openDesk(t)
	f := d.follower(t, [2]string{})
	token, lasting := d.ending(t, 4, "managers"), d.token(t, "an", "managers")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	connected := func(token string) socket {
		s, err := f.dial(ctx, nil, "graphql-transport-ws")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.CloseNow() })
		s.says(t, fmt.Sprintf(`{"type":"connection_init","payload":{"Authorization":"Bearer %s"}}`, token))
		return s
	}
	short, long := connected(token), connected(lasting)
	for _, s := range []socket{short, long} {
		if m := s.hears(t); m.Type != "connection_ack" {
			t.Fatalf("%+v", m)
		}
		s.says(t, subscribing("1", everyChange, nil))
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, f.address+"/changes", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Accept", "text/event-stream")
	events, err := http.DefaultClient.Do(r)
	if err != nil || events.StatusCode != http.StatusOK {
		t.Fatalf("%+v %v", events, err)
	}
	defer events.Body.Close()
	said := ""
	for lines := bufio.NewScanner(events.Body); lines.Scan(); {
		said += lines.Text() + "\n"
	}
	if !strings.Contains(said, "event: end") || !strings.Contains(said, "the access token has ended") {
		t.Errorf("the stream says %s", said)
	}
	if got := short.closed(t); got.Code != 4401 || !strings.Contains(got.Reason, "has ended") {
		t.Errorf("%+v", got)
	}
	if w := d.serve(d.request(t, token, http.MethodGet, "/customers", "")); w.Code != http.StatusUnauthorized {
		t.Errorf("a request: %d", w.Code)
	}
	d.write(t, d.pair(t, backoffice.AllScopes...), `mutation { createLabel(input: {name: "Later", color: "#123456"}) { label { id } userErrors { code } } }`)
	if c := changeIn(t, long.hears(t)); c.Noun != "LABEL" {
		t.Errorf("the person's other socket: %+v", c)
	}

	peopletest.Write(t, d.path, strings.ReplaceAll(usualMap, `"gone"`, `"an"`))
	if got := long.closed(t); got.Code != 4401 || !strings.Contains(got.Reason, "may not sign in") {
		t.Errorf("denied: %+v", got)
	}
	refused := connected(lasting)
	if got := refused.closed(t); got.Code != 4401 {
		t.Errorf("denied: %+v", got)
	}
}

func TestAStreamEndsWhenThePersonIsGivenSomethingElse(t *testing.T) {
	t.Parallel()
	d := openDesk(t)
	f := d.follower(t, [2]string{})
	s, err := f.dial(t.Context(), nil, "graphql-transport-ws")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.CloseNow() }()
	s.says(t, fmt.Sprintf(`{"type":"connection_init","payload":{"authorization":"bearer %s"}}`, d.token(t, "bea", "acme")))
	if m := s.hears(t); m.Type != "connection_ack" {
		t.Fatalf("%+v", m)
	}
	peopletest.Write(t, d.path, strings.ReplaceAll(usualMap, `"acme"]`, `"brouwerij"]`))
	if got := s.closed(t); got.Code != 4403 || !strings.Contains(got.Reason, "was changed") {
		t.Errorf("%+v", got)
	}
}

func TestASignedPathOfAPersonIsForWhatTheySeeAndEndsWithThem(t *testing.T) {
	t.Parallel()
	d := openDesk(t)
	manager := d.token(t, "an", "managers")
	said := d.says(t, manager, `mutation { createDocumentUpload(input: {customerId: "acme", name: "a.txt"}) { uploadPath userErrors { code } } }`)
	var made struct {
		Data struct {
			CreateDocumentUpload struct{ UploadPath string }
		}
	}
	if err := json.Unmarshal([]byte(said), &made); err != nil || made.Data.CreateDocumentUpload.UploadPath == "" {
		t.Fatalf("%s %v", said, err)
	}
	put := d.request(t, "", http.MethodPut, made.Data.CreateDocumentUpload.UploadPath, "the text of a document")
	put.Header.Set("Content-Type", "text/plain")
	if w := d.serve(put); w.Code != http.StatusCreated {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	paths := func(token string) (found []string) {
		var answer struct {
			Data struct {
				Documents struct {
					Nodes []struct {
						Name string
						File struct{ DownloadPath string }
					}
				}
			}
		}
		if err := json.Unmarshal([]byte(d.says(t, token, `{ documents { nodes { name file { downloadPath } } } }`)), &answer); err != nil {
			t.Fatal(err)
		}
		for _, node := range answer.Data.Documents.Nodes {
			if node.Name == "a.txt" {
				found = append(found, node.File.DownloadPath)
			}
		}
		return found
	}
	found, ending := paths(d.token(t, "bea", "acme")), paths(d.ending(t, 3, "managers"))
	if len(found) != 1 || len(ending) != 1 || strings.Contains(found[0], "bea") {
		t.Fatalf("%q %q", found, ending)
	}
	get := func(path string) *httptest.ResponseRecorder {
		return d.serve(d.request(t, "", http.MethodGet, path, ""))
	}
	if w := get(found[0]); w.Code != http.StatusOK || w.Body.String() != "the text of a document" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	for began := time.Now(); get(ending[0]).Code == http.StatusOK; time.Sleep(100 * time.Millisecond) {
		if time.Since(began) > 20*time.Second {
			t.Fatal("the path goes on behind the token")
		}
	}
	peopletest.Write(t, d.path, strings.ReplaceAll(usualMap, `"onlyCustomer": ["acme"]`, `"onlyCustomer": ["brouwerij"]`))
	time.Sleep(1100 * time.Millisecond) // the map is looked at once a second
	if w := get(found[0]); w.Code != http.StatusUnauthorized {
		t.Errorf("what was given was changed: %d %s", w.Code, w.Body)
	}
}

func TestTheRegisterAndTheChangeLogNameThePerson(t *testing.T) {
	t.Parallel()
	d := openDesk(t)
	manager := d.token(t, "an@office", "managers")
	if said := d.says(t, manager, `{ customer(id: "acme") { id } customers { nodes { registrationNumber } } }`); strings.Contains(said, "errors") {
		t.Fatal(said)
	}
	var numbered string
	entries, err := d.Store.ListConsultations(t.Context(), backoffice.ConsultationPosition{}, 100)
	for _, entry := range entries {
		if entry.Subject == nil || *entry.Subject != "an@office" || *entry.Issuer != d.URL || entry.ClientName != "Name of an@office" || entry.ClientID != backoffice.PersonID(d.URL, "an@office") {
			t.Errorf("%+v", entry)
		}
		numbered = *entry.CustomerID
	}
	if err != nil || len(entries) == 0 {
		t.Fatal(err)
	}
	other := d.pair(t, backoffice.PrivacyRead)
	_, body, _ := d.ask(t, other, `{ customer(id: "`+numbered+`") { registrationNumber } }`, nil, nil)
	_, again, _ := d.ask(t, other, `{ customer(id: "`+numbered+`") { privacyAccesses { nodes { clientName subject subjectName } } } }`, nil, nil)
	if want := `[{"clientName":"test privacy.read","subject":null,"subjectName":null},{"clientName":"Name of an@office","subject":"an@office","subjectName":"Name of an@office"}]`; !strings.Contains(string(again), want) {
		t.Errorf("%s %s", body, again)
	}
	if verified, err := d.Keys.Verify(t.Context(), d.Store, "", func(p privacy.Problem) { t.Error(p) }); err != nil || verified.Entries != int64(len(entries))+1 {
		t.Errorf("%+v %v", verified, err)
	}

	if said := d.says(t, manager, `mutation { createLabel(input: {name: "Of An", color: "#123456"}) { label { id } userErrors { code } } }`); !strings.Contains(said, `"userErrors":[]`) {
		t.Fatal(said)
	}
	log, err := d.Store.Changes(t.Context(), 0, 1000)
	if last := log[len(log)-1]; err != nil || last.Subject != "an@office" || last.Issuer != d.URL || last.ClientID != backoffice.PersonID(d.URL, "an@office") || log[0].Subject != "" {
		t.Errorf("%+v %v", last, err)
	}
}
