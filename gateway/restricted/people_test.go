package restricted

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"example.org/backoffice/auth"
	"example.org/backoffice/auth/people/peopletest"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
	"example.org/backoffice/privacy"
)

func openDesk(t testing.TB) *gatewaytest.Desk {
	t.Helper()
	return gatewaytest.OpenDesk(t, gatewaytest.Config(gatewaytest.Limits()), func(of backoffice.Store) backoffice.Store { return of })
}

func tokenOf(t testing.TB, d *gatewaytest.Desk, subject string, groups ...string) string {
	t.Helper()
	return d.Token(t, subject, map[string]any{"groups": groups})
}

func TestAPersonIsAnsweredByBothAPIsAsTheMapHasIt(t *testing.T) {
	t.Parallel()
	d := openDesk(t)
	manager, visitor := tokenOf(t, d, "an@office", "managers"), tokenOf(t, d, "bea@office", "acme")
	var answer struct {
		Data struct {
			Viewer    map[string]any
			Customers struct{ TotalCount int }
		}
	}
	if err := json.Unmarshal([]byte(d.Says(t, visitor, `{ viewer { kind clientId subject name scopes restriction expiresAt } customers { totalCount } }`)), &answer); err != nil {
		t.Fatal(err)
	}
	viewer := answer.Data.Viewer
	if viewer["kind"] != "PERSON" || viewer["subject"] != "bea@office" || viewer["name"] != "Name of bea@office" || viewer["clientId"] != backoffice.PersonID(d.URL, "bea@office") ||
		fmt.Sprint(viewer["scopes"]) != "[CUSTOMERS_WRITE]" || viewer["restriction"] != `{"customers":["acme"]}` || viewer["expiresAt"] == nil || answer.Data.Customers.TotalCount != 1 {
		t.Errorf("%+v", answer)
	}
	if all := d.Says(t, manager, `{ customers { totalCount } }`); strings.Contains(all, `"totalCount":1}`) || strings.Contains(all, "errors") {
		t.Error(all)
	}
	for path, status := range map[string]int{"/customers/acme": 200, "/customers/brouwerij": 404, "/customers?page=1": 200} {
		if w := d.Serve(d.Request(t, visitor, http.MethodGet, path, "")); w.Code != status {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	if w := d.Serve(d.Request(t, visitor, http.MethodGet, "/customers/acme/privacy", "")); w.Code != http.StatusForbidden {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if log := d.Log.String(); !strings.Contains(log, "subject=bea@office") || strings.Contains(log, manager) || strings.Contains(log, "Name of") || strings.Contains(log, "managers") {
		t.Errorf("the log says %s", log)
	}
}

func TestWhoeverIsNoPersonIsToldSoByBothAPIs(t *testing.T) {
	t.Parallel()
	d := openDesk(t)
	credential := d.Credential(t, backoffice.AllScopes...)
	good := tokenOf(t, d, "an", "managers")
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
		"somebody denied": {func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+tokenOf(t, d, "gone", "managers")) }, 401, "UNAUTHENTICATED", `Bearer error="invalid_token"`},
		"no rule":         {func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+tokenOf(t, d, "an")) }, 403, "FORBIDDEN", `Bearer error="insufficient_scope"`},
		"a credential as well": {func(r *http.Request) {
			r.Header.Set("Authorization", "Bearer "+good)
			r.Header.Set(auth.ClientIDHeader, credential[0])
			r.Header.Set(auth.ClientSecretHeader, credential[1])
		}, 400, "BAD_USER_INPUT", ""},
		"two tokens": {func(r *http.Request) { r.Header["Authorization"] = []string{"Bearer " + good, "Bearer " + good} }, 400, "BAD_USER_INPUT", ""},
		"a credential alone": {func(r *http.Request) {
			r.Header.Set(auth.ClientIDHeader, credential[0])
			r.Header.Set(auth.ClientSecretHeader, credential[1])
		}, 200, "", ""},
		"the scheme in capital": {func(r *http.Request) { r.Header.Set("Authorization", "BEARER "+good) }, 200, "", ""},
	} {
		for path, body := range map[string]string{"/customers": "", "/graphql": `{"query":"{ viewer { name } }"}`} {
			method := http.MethodGet
			if body != "" {
				method = http.MethodPost
			}
			r := d.Request(t, "", method, path, body)
			r.RemoteAddr = fmt.Sprintf("192.0.2.%d:1", len(name)) // 10 failures of an address are slowed
			if body != "" {
				r.Header.Set("Accept", "application/graphql-response+json")
			}
			of.change(r)
			w := d.Serve(r)
			if w.Code != of.status || w.Header().Get("WWW-Authenticate") != of.challenge || body != "" && of.code != "" && !strings.Contains(w.Body.String(), `"`+of.code+`"`) {
				t.Errorf("%s, %s: %d %q %s", name, path, w.Code, w.Header().Get("WWW-Authenticate"), w.Body)
			}
		}
	}
}

func TestAnIssuerThatIsAwayIsNoMatterOfReadinessNorOfCredentials(t *testing.T) {
	t.Parallel()
	d := openDesk(t)
	d.Away(true)
	for path, body := range map[string]string{"/customers": "", "/graphql": `{"query":"{ viewer { name } }"}`} {
		method := http.MethodGet
		if body != "" {
			method = http.MethodPost
		}
		w := d.Serve(d.Request(t, tokenOf(t, d, "an", "managers"), method, path, body))
		if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" || body != "" && !strings.Contains(w.Body.String(), `"UNAVAILABLE"`) {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	if w := d.Send(t, d.Credential(t), http.MethodGet, "/customers", ""); w.Code != http.StatusOK {
		t.Errorf("a credential: %d", w.Code)
	}
	if w := d.Serve(httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/readyz", http.NoBody)); w.Code != http.StatusOK {
		t.Errorf("readyz: %d", w.Code)
	}
}

// endingToken is a token that is good for some seconds more, by the skew of a minute.
func endingToken(t testing.TB, d *gatewaytest.Desk, seconds int, groups ...string) string {
	t.Helper()
	now := time.Now()
	return d.Sign(t, "at+jwt", d.Claims("an", now, map[string]any{"groups": groups, "iat": now.Add(-5 * time.Minute).Unix(), "exp": now.Add(time.Duration(seconds)*time.Second - time.Minute).Unix()}))
}

func TestATokenThatEndsEndsWhatWasBegunWithIt(t *testing.T) {
	t.Parallel()
	d := openDesk(t)
	f := d.Follower(t, [2]string{})
	token, lasting := endingToken(t, d, 10, "managers"), tokenOf(t, d, "an", "managers")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	connected := func(token string) gatewaytest.Socket {
		s, err := f.Dial(ctx, nil, "graphql-transport-ws")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.CloseNow() })
		s.Says(t, fmt.Sprintf(`{"type":"connection_init","payload":{"Authorization":"Bearer %s"}}`, token))
		return s
	}
	short, long := connected(token), connected(lasting)
	for _, s := range []gatewaytest.Socket{short, long} {
		if m := s.Hears(t); m.Type != "connection_ack" {
			t.Fatalf("%+v", m)
		}
		s.Says(t, gatewaytest.Subscribing("1", gatewaytest.EveryChange, nil))
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, f.Address+"/changes", http.NoBody)
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
	if !strings.Contains(said, "event: end") || !strings.Contains(said, "the access token has expired") {
		t.Errorf("the stream says %s", said)
	}
	if got := short.Closed(t); got.Code != 4401 || !strings.Contains(got.Reason, "has expired") {
		t.Errorf("%+v", got)
	}
	if w := d.Serve(d.Request(t, token, http.MethodGet, "/customers", "")); w.Code != http.StatusUnauthorized {
		t.Errorf("a request: %d", w.Code)
	}
	d.Write(t, d.Credential(t, backoffice.AllScopes...), `mutation { createLabel(input: {name: "Later", color: "#123456"}) { label { id } userErrors { code } } }`)
	if c := gatewaytest.ChangeIn(t, long.Hears(t)); c.Noun != "LABEL" {
		t.Errorf("the person's other socket: %+v", c)
	}

	peopletest.Write(t, d.Path, strings.ReplaceAll(gatewaytest.UsualMap, `"gone"`, `"an"`))
	if got := long.Closed(t); got.Code != 4401 || !strings.Contains(got.Reason, "may no longer sign in") {
		t.Errorf("denied: %+v", got)
	}
	refused := connected(lasting)
	if got := refused.Closed(t); got.Code != 4401 {
		t.Errorf("denied: %+v", got)
	}
}

func TestAStreamEndsWhenThePersonIsGivenSomethingElse(t *testing.T) {
	t.Parallel()
	d := openDesk(t)
	f := d.Follower(t, [2]string{})
	s, err := f.Dial(t.Context(), nil, "graphql-transport-ws")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.CloseNow() }()
	s.Says(t, fmt.Sprintf(`{"type":"connection_init","payload":{"authorization":"bearer %s"}}`, tokenOf(t, d, "bea", "acme")))
	if m := s.Hears(t); m.Type != "connection_ack" {
		t.Fatalf("%+v", m)
	}
	peopletest.Write(t, d.Path, strings.ReplaceAll(gatewaytest.UsualMap, `"acme"]`, `"brouwerij"]`))
	if got := s.Closed(t); got.Code != 4403 || !strings.Contains(got.Reason, "were changed") {
		t.Errorf("%+v", got)
	}
}

func TestASignedPathOfAPersonIsForWhatTheySeeAndEndsWithThem(t *testing.T) {
	t.Parallel()
	d := openDesk(t)
	manager := tokenOf(t, d, "an", "managers")
	said := d.Says(t, manager, `mutation { createDocumentUpload(input: {customerId: "acme", name: "a.txt"}) { uploadPath userErrors { code } } }`)
	var made struct {
		Data struct {
			CreateDocumentUpload struct{ UploadPath string }
		}
	}
	if err := json.Unmarshal([]byte(said), &made); err != nil || made.Data.CreateDocumentUpload.UploadPath == "" {
		t.Fatalf("%s %v", said, err)
	}
	put := d.Request(t, "", http.MethodPut, made.Data.CreateDocumentUpload.UploadPath, "the text of a document")
	put.Header.Set("Content-Type", "text/plain")
	if w := d.Serve(put); w.Code != http.StatusCreated {
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
		if err := json.Unmarshal([]byte(d.Says(t, token, `{ documents { nodes { name file { downloadPath } } } }`)), &answer); err != nil {
			t.Fatal(err)
		}
		for _, node := range answer.Data.Documents.Nodes {
			if node.Name == "a.txt" {
				found = append(found, node.File.DownloadPath)
			}
		}
		return found
	}
	found, ending := paths(tokenOf(t, d, "bea", "acme")), paths(endingToken(t, d, 8, "managers"))
	if len(found) != 1 || len(ending) != 1 || strings.Contains(found[0], "bea") {
		t.Fatalf("%q %q", found, ending)
	}
	get := func(path string) *httptest.ResponseRecorder {
		return d.Serve(d.Request(t, "", http.MethodGet, path, ""))
	}
	if w := get(found[0]); w.Code != http.StatusOK || w.Body.String() != "the text of a document" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	for began := time.Now(); get(ending[0]).Code == http.StatusOK; time.Sleep(100 * time.Millisecond) {
		if time.Since(began) > 20*time.Second {
			t.Fatal("the path goes on behind the token")
		}
	}
	peopletest.Write(t, d.Path, strings.ReplaceAll(gatewaytest.UsualMap, `"onlyCustomer": ["acme"]`, `"onlyCustomer": ["brouwerij"]`))
	time.Sleep(1100 * time.Millisecond) // the map is looked at once a second
	if w := get(found[0]); w.Code != http.StatusUnauthorized {
		t.Errorf("what was given was changed: %d %s", w.Code, w.Body)
	}
}

func TestTheRegisterAndTheChangeLogNameThePerson(t *testing.T) {
	t.Parallel()
	d := openDesk(t)
	manager := tokenOf(t, d, "an@office", "managers")
	if said := d.Says(t, manager, `{ customer(id: "acme") { id } customers { nodes { registrationNumber } } }`); strings.Contains(said, "errors") {
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
	other := d.Credential(t, backoffice.PrivacyRead)
	_, body, _ := d.Ask(t, other, `{ customer(id: "`+numbered+`") { registrationNumber } }`, nil, nil)
	_, again, _ := d.Ask(t, other, `{ customer(id: "`+numbered+`") { privacyAccesses { nodes { clientName subject subjectName } } } }`, nil, nil)
	if want := `[{"clientName":"test privacy.read","subject":null,"subjectName":null},{"clientName":"Name of an@office","subject":"an@office","subjectName":"Name of an@office"}]`; !strings.Contains(string(again), want) {
		t.Errorf("%s %s", body, again)
	}
	if verified, err := d.Keys.Verify(t.Context(), d.Store, "", func(p privacy.Problem) { t.Error(p) }); err != nil || verified.Entries != int64(len(entries))+1 {
		t.Errorf("%+v %v", verified, err)
	}

	if said := d.Says(t, manager, `mutation { createLabel(input: {name: "Of An", color: "#123456"}) { label { id } userErrors { code } } }`); !strings.Contains(said, `"userErrors":[]`) {
		t.Fatal(said)
	}
	log, err := d.Store.Changes(t.Context(), 0, 1000)
	if last := log[len(log)-1]; err != nil || last.Subject != "an@office" || last.Issuer != d.URL || last.ClientID != backoffice.PersonID(d.URL, "an@office") || log[0].Subject != "" {
		t.Errorf("%+v %v", last, err)
	}
}
