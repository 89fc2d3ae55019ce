package gateway_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.org/backoffice/auth"
	"example.org/backoffice/auth/people/peopletest"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway"
	"example.org/backoffice/gateway/gatewaytest"
)

// turning is a desk whose tokens are held to a clock that the test turns, and which tells when a person's export is
// about to read a page.
type turning struct {
	*gatewaytest.Desk
	*gatewaytest.Paged
	server *httptest.Server
	ahead  atomic.Int64 // nanoseconds that its clock is before this machine's
}

func (d *turning) now() time.Time { return time.Now().Add(time.Duration(d.ahead.Load())) }

// turn lets time go by.
func (d *turning) turn(by time.Duration) { d.ahead.Add(int64(by)) }

const tokenLife = 10 * time.Minute // of the tokens of a test

// walker is a good token, by the desk's clock, of the person whose exports are told of.
func (d *turning) walker(t testing.TB) string {
	t.Helper()
	now := d.now()
	return d.Sign(t, "at+jwt", d.Claims("an", now, map[string]any{"name": "test walker", "groups": []string{"managers"}, "exp": now.Add(tokenLife).Unix()}))
}

// openWatched is a desk with 47 customers, of which an export reads 7 at a time.
func openWatched(t *testing.T) *turning {
	t.Helper()
	d := &turning{Paged: &gatewaytest.Paged{BeforePage: func(int64) {}}}
	c := gatewaytest.Config(gatewaytest.SmallPages())
	gateway.SetClock(&c, d.now)
	d.Desk = gatewaytest.OpenDesk(t, c, func(of backoffice.Store) backoffice.Store { d.Paged.Store = of; return d.Paged })
	for range 40 {
		d.MakeCustomer(t)
	}
	d.server = d.ExportServer(t)
	return d
}

// takes asks for an export; during is called when its fourth page is about to be read, the last one before what
// during does counts.
func (d *turning) takes(t *testing.T, token, method, path string, during func()) gatewaytest.Export {
	t.Helper()
	body := ""
	if method == http.MethodPost {
		body = gatewaytest.JSON(t, map[string]any{"query": watchedList, "variables": map[string]int{"first": 100}})
	}
	r, err := http.NewRequestWithContext(t.Context(), method, d.server.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	d.Pages.Store(0)
	d.BeforePage = func(page int64) {
		if page == 4 {
			during()
		}
	}
	return gatewaytest.SendExport(t, r)
}

// A saved query has to cost no more than one that is answered whole.
const watchedList = `query List($first: Int = 3) { customers(first: $first) { edges { cursor node { id name } } } }`

// exportedRows are the identifiers of exported customers and the cursor of the last, of JSON Lines that may break off.
func exportedRows(e gatewaytest.Export) (ids []string, last string) {
	for line := range strings.Lines(e.Body) {
		var row struct {
			ID     string
			Cursor string `json:"_cursor"`
		}
		if json.Unmarshal([]byte(line), &row) == nil {
			ids, last = append(ids, row.ID), row.Cursor
		}
	}
	return ids, last
}

// ways are those of asking for the same export, by its method and its path up to the format and behind it.
var ways = map[string]struct{ method, before, behind string }{
	"by its query":            {http.MethodPost, "/graphql/export?format=", "&"},
	"by a saved query's name": {http.MethodGet, "/queries/List.", "?first=100&"},
}

func (d *turning) savesList(t *testing.T) {
	t.Helper()
	said := d.Says(t, d.walker(t), `mutation { saveQuery(input: {document: "`+watchedList+`"}) { userErrors { code } } }`)
	if !strings.Contains(said, `"userErrors":[]`) {
		t.Fatal(said)
	}
}

func TestAnExportEndsWithTheTokenThatItBeganWithAndGoesOnWithANewOne(t *testing.T) {
	t.Parallel()
	d := openWatched(t)
	d.savesList(t)
	whole, _ := exportedRows(d.takes(t, d.walker(t), http.MethodPost, "/graphql/export?format=jsonl", func() {}))
	if len(whole) != 47 {
		t.Fatalf("the list has %d rows", len(whole))
	}
	ends := func() { d.turn(tokenLife + time.Minute) } // the clocks may differ by a minute
	for way, of := range ways {
		for _, format := range []string{"jsonl", "csv"} {
			token := d.walker(t)
			if e := d.takes(t, token, of.method, of.before+format+of.behind, func() { d.turn(tokenLife) }); !e.Complete() {
				t.Errorf("%s %s, with a token that has less than a minute left: %v", way, format, e)
			}
			token = d.walker(t)
			e := d.takes(t, token, of.method, of.before+format+of.behind, ends)
			if e.Status != http.StatusOK || e.Err == nil || e.Trailer.Get("Export-Status") != "" || strings.Count(e.Body, "\n") > 29 {
				t.Errorf("%s %s, with a token that ends: %v", way, format, e)
			}
			if again := d.takes(t, token, of.method, of.before+format+of.behind, func() {}); again.Status != http.StatusUnauthorized || again.Code() != "UNAUTHENTICATED" ||
				again.Header.Get("WWW-Authenticate") != `Bearer error="invalid_token"` || !strings.Contains(again.Body, "has expired") {
				t.Errorf("%s %s, again: %v", way, format, again)
			}
		}
		if said := d.Log.String(); !strings.Contains(said, "an export was aborted") || !strings.Contains(said, "the access token has expired") {
			t.Errorf("the log says %s", said)
		}
		// Nothing of a sheet is sent before all of it was read, so its refusal is one that can be read.
		if e := d.takes(t, d.walker(t), of.method, of.before+"xlsx"+of.behind, ends); e.Status != http.StatusUnauthorized || e.Code() != "UNAUTHENTICATED" ||
			e.Header.Get("WWW-Authenticate") != `Bearer error="invalid_token"` || !strings.Contains(e.Body, "has expired") {
			t.Errorf("%s xlsx, with a token that ends: %v", way, e)
		}

		token, path := d.walker(t), of.before+"jsonl"+of.behind+"cursor=on"
		began := d.takes(t, token, of.method, path, ends)
		had, last := exportedRows(began)
		if began.Complete() || last == "" {
			t.Fatalf("%s: %v", way, began)
		}
		if e := d.takes(t, token, of.method, path+"&after="+last, func() {}); e.Status != http.StatusUnauthorized {
			t.Errorf("%s, going on with the token that has ended: %v", way, e)
		}
		rest := d.takes(t, d.walker(t), of.method, path+"&after="+last, func() {})
		if ids, _ := exportedRows(rest); !rest.Complete() || !slices.Equal(append(had, ids...), whole) {
			t.Errorf("%s, going on with a new token: %d rows and %d are not the %d of the list: %v", way, len(had), len(ids), len(whole), rest)
		}
	}
}

func TestAnExportEndsWhenThePersonIsGivenSomethingElse(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"fewer customers": strings.Replace(gatewaytest.UsualMap, `"settings.write"]}`, `"settings.write"], "onlyCustomer": ["acme"]}`, 1),
		"a scope less":    strings.Replace(gatewaytest.UsualMap, `"settings.write"]}`, `"users.write"]}`, 1),
		"nothing":         strings.Replace(gatewaytest.UsualMap, `"managers"`, `"directors"`, 1),
		"denied":          strings.Replace(gatewaytest.UsualMap, `"gone"`, `"an"`, 1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := openWatched(t)
			e := d.takes(t, d.walker(t), http.MethodPost, "/graphql/export?format=jsonl", func() {
				peopletest.Write(t, d.Path, text)
				d.turn(2 * time.Second) // the map is looked at once a second
			})
			if ids, _ := exportedRows(e); e.Status != http.StatusOK || e.Err == nil || e.Trailer.Get("Export-Status") != "" || len(ids) > 28 {
				t.Errorf("%d rows: %v", len(ids), e)
			}
		})
	}
}

// forgetful is a sign-in that does not look again at who has begun something.
type forgetful struct{ auth.People }

func (forgetful) Live(began *backoffice.Principal) (*backoffice.Principal, error) { return began, nil }

func TestACopyWhoseExportsOutliveTheTokenIsFound(t *testing.T) {
	t.Parallel()
	d := openWatched(t)
	s, end, err := gateway.NewServer(d.Backend, d.Config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(end)
	s.Authenticator().People = forgetful{s.Authenticator().People}
	d.Handler = s.Handler()
	d.server = d.ExportServer(t)
	e := d.takes(t, d.walker(t), http.MethodPost, "/graphql/export?format=jsonl", func() { d.turn(tokenLife + time.Minute) })
	if ids, _ := exportedRows(e); !e.Complete() || len(ids) != 47 {
		t.Errorf("the copy is not broken: %v", e)
	}
}

// opens begins a download over a socket, and reads its first byte.
func (d *turning) opens(t *testing.T, token, path string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, d.server.URL+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = response.Body.Close() })
	if _, err := io.ReadFull(response.Body, make([]byte, 1)); err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d %v", path, response.StatusCode, err)
	}
	return response
}

// takesSlowly takes 64 KiB of a download at a time, until it ends.
func takesSlowly(from io.Reader) (taken int64, err error) {
	for err == nil {
		var n int64
		n, err = io.CopyN(io.Discard, from, 64<<10)
		taken += n
		time.Sleep(50 * time.Millisecond)
	}
	return taken, err
}

func TestADownloadEndsWithItsTokenAndGoesOnWithANewOne(t *testing.T) {
	t.Parallel()
	const size = 24 << 20 // more than what lies in sockets
	d := openWatched(t)
	token := d.walker(t)
	made := func() string {
		var answer struct {
			Data struct {
				CreateDocumentUpload struct{ UploadPath string }
			}
		}
		said := d.Says(t, token, `mutation { createDocumentUpload(input: {customerId: "acme", name: "a.txt"}) { uploadPath userErrors { code } } }`)
		if err := json.Unmarshal([]byte(said), &answer); err != nil || answer.Data.CreateDocumentUpload.UploadPath == "" {
			t.Fatalf("%s %v", said, err)
		}
		return answer.Data.CreateDocumentUpload.UploadPath
	}
	put := func(path, text string) *httptest.ResponseRecorder {
		r := d.Request(t, "", http.MethodPut, path, text)
		r.Header.Set("Content-Type", "text/plain")
		return d.Serve(r)
	}
	created := put(made(), strings.Repeat("a line of a long document\n", size/26))
	if created.Code != http.StatusCreated {
		t.Fatalf("%d %s", created.Code, created.Body)
	}
	later, own := made(), created.Header().Get("Location")
	id := strings.TrimSuffix(strings.TrimPrefix(own, "/customers/documents/"), "/download")
	signed := func() string {
		var answer struct {
			Data struct {
				Node struct{ File struct{ DownloadPath string } }
			}
		}
		said := d.Says(t, token, `{ node(id: "`+id+`") { ... on CustomerDocument { file { downloadPath } } } }`)
		if err := json.Unmarshal([]byte(said), &answer); err != nil || answer.Data.Node.File.DownloadPath == "" {
			t.Fatalf("%s %v", said, err)
		}
		return answer.Data.Node.File.DownloadPath
	}
	path := signed()
	bySignature, byToken := d.opens(t, "", path), d.opens(t, token, own)
	d.turn(tokenLife + time.Minute)
	for name, response := range map[string]*http.Response{"a signed path": bySignature, "a download": byToken} {
		if n, err := takesSlowly(response.Body); errors.Is(err, io.EOF) || n >= size/26*26-1 {
			t.Errorf("%s: %d bytes behind the first one, %v", name, n, err)
		}
	}
	for name, r := range map[string]*http.Request{"a signed path": d.Request(t, "", http.MethodGet, path, ""), "a download": d.Request(t, token, http.MethodGet, own, "")} {
		r.Header.Set("Range", fmt.Sprintf("bytes=%d-", size/2))
		if w := d.Serve(r); w.Code != http.StatusUnauthorized || !strings.Contains(w.Body.String(), "has expired") {
			t.Errorf("the rest of %s: %d %.200s", name, w.Code, w.Body)
		}
	}
	if w := put(later, "too late"); w.Code != http.StatusUnauthorized {
		t.Errorf("an upload: %d %s", w.Code, w.Body)
	}
	token = d.walker(t)
	path = signed()
	r := d.Request(t, "", http.MethodGet, path, "")
	r.Header.Set("Range", fmt.Sprintf("bytes=%d-", size/26*26-26))
	if w := d.Serve(r); w.Code != http.StatusPartialContent || w.Body.String() != "a line of a long document\n" {
		t.Errorf("the rest by a new path: %d %.100q", w.Code, w.Body)
	}
}
