package mirror

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/changes"
	"example.org/backoffice/files"
	"example.org/backoffice/importexport"
	"example.org/backoffice/privacy"
	"example.org/backoffice/rest"
	"example.org/backoffice/store/postgres"
	"example.org/backoffice/store/postgres/pgtest"
	"example.org/backoffice/store/sqlite"
	"example.org/backoffice/store/sqlite/sqlitetest"
)

// office is a store with its files, its keys and its REST interface.
type office struct {
	store   backoffice.Store
	files   *files.Folder
	keys    *privacy.Keyset
	handler http.Handler
	beside  *os.Root // where its imports find files
	id      string
	secret  string
	fed     bool // those who pull from it see its change feed
}

type engine struct {
	name string
	open func(testing.TB) backoffice.Store
}

var engines = []engine{{"SQLite", openSQLite}, {"PostgreSQL", openPostgres}}

func openSQLite(t testing.TB) backoffice.Store {
	t.Helper()
	return openAt(t, sqlitetest.URL(t))
}

func openAt(t testing.TB, url string) backoffice.Store {
	t.Helper()
	store, err := sqlite.Open(t.Context(), url, sqlite.Options{})
	must(t, err)
	t.Cleanup(func() { _ = store.Close() })
	return store
}

func openPostgres(t testing.TB) backoffice.Store {
	t.Helper()
	url := pgtest.Migrated(t, postgres.Migrate)
	store, err := postgres.Open(t.Context(), url, postgres.Options{})
	must(t, err)
	t.Cleanup(func() { _ = store.Close() })
	return store
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err, errors.Unwrap(err))
	}
}

// newOffice is an empty office.
func newOffice(t testing.TB, store backoffice.Store, scopes ...backoffice.Scope) *office {
	t.Helper()
	folder, err := files.OpenFolder(filepath.Join(t.TempDir(), "files"))
	must(t, err)
	t.Cleanup(func() { _ = folder.Close() })
	keys, err := privacy.NewKeyset()
	must(t, err)
	beside, err := os.OpenRoot(t.TempDir())
	must(t, err)
	t.Cleanup(func() { _ = beside.Close() })
	o := &office{store: store, files: folder, keys: keys, beside: beside}
	issued, secret, err := auth.Issue(t.Context(), store, "test", append(scopes, backoffice.MinfinRead, backoffice.CustomersWrite), 0)
	must(t, err)
	o.id, o.secret = issued.ID, secret
	o.mount(t, nil)
	return o
}

// mount makes the office's REST interface, whose writes of what is mirrored an origin does.
func (o *office) mount(t testing.TB, origin backoffice.Origin) {
	store, folder, keys := o.store, o.files, o.keys
	authenticator := auth.NewAuthenticator(store)
	t.Cleanup(authenticator.Close)
	feed := changes.New(store, changes.Options{})
	t.Cleanup(feed.Close)
	router := chi.NewRouter()
	rest.Mount(router, rest.Config{
		Store: store, Service: &backoffice.Service{Store: store, Files: folder, Keys: keys, Origin: origin}, Files: folder, Keys: keys, Feed: feed,
		Vault: privacy.NewVault(keys, store), Authenticator: authenticator, Throttle: auth.NewThrottle(), Upload: 1 << 20,
	})
	o.handler = router
}

// furnish imports the small office of testdata/office.
func (o *office) furnish(t testing.TB) *office {
	t.Helper()
	importer := &importexport.Importer{Store: o.store, Files: o.files, Keys: o.keys, AllowDeletions: 1000}
	_, err := importer.Import(t.Context(), "../../testdata/office")
	must(t, err)
	return o
}

// say imports lines of a noun; those that are no good are passed over.
func (o *office) say(t testing.TB, noun backoffice.Noun, lines ...string) {
	t.Helper()
	importer := &importexport.Importer{Store: o.store, Files: o.files, Keys: o.keys, AllowDeletions: 1000}
	stream, err := importer.Stream(context.WithoutCancel(t.Context()), o.beside)
	must(t, err)
	defer stream.Close()
	text := ""
	for _, line := range lines {
		text += line + "\n"
	}
	_, err = stream.Load(context.WithoutCancel(t.Context()), noun, []byte(text), false)
	must(t, err)
}

// ask sends a request to the office itself.
func (o *office) ask(t testing.TB, method, path string) (status int, body string) {
	t.Helper()
	return o.send(t, method, path, "")
}

// send sends a request with a body, and headers that are names and values in turn.
func (o *office) send(t testing.TB, method, path, body string, headers ...string) (status int, answer string) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	r.Header.Set("x-client-id", o.id)
	r.Header.Set("x-client-secret", o.secret)
	w := httptest.NewRecorder()
	o.handler.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// records are all that a list has, by its identifiers.
func (o *office) records(t testing.TB, path string) (all []record) {
	t.Helper()
	for number := 1; ; number++ {
		status, body := o.ask(t, http.MethodGet, fmt.Sprintf("%s?page=%d&pageSize=500", path, number))
		var read page
		must(t, json.Unmarshal([]byte(body), &read))
		if status != http.StatusOK {
			t.Fatalf("%s is answered with %d: %s", path, status, body)
		}
		all = append(all, read.Data...)
		if len(all) >= *read.Total {
			return all
		}
	}
}

// serve serves the office on a port of its own, with something between.
func (o *office) serve(t testing.TB, between func(http.Handler) http.Handler) (url string) {
	t.Helper()
	handler := http.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !o.fed && r.URL.Path == "/changes" {
			http.NotFound(w, r)
			return
		}
		o.handler.ServeHTTP(w, r)
	}))
	if between != nil {
		handler = between(handler)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

// pullFrom is a pull from one office into another.
func (o *office) pullFrom(url string, of *office) *Pull {
	return &Pull{Store: o.store, Files: o.files, Keys: o.keys, From: url, ClientID: of.id, Secret: of.secret, pause: 1}
}

func (p *Pull) mustOnce(t testing.TB) *Report {
	t.Helper()
	report, err := p.Once(t.Context())
	must(t, err)
	return report
}

// total adds up what was loaded.
func (r *Report) total() (total importexport.Loaded) {
	for _, n := range r.Nouns {
		total.Created += n.Loaded.Created
		total.Updated += n.Loaded.Updated
		total.Deleted += n.Loaded.Deleted
		total.Unchanged += n.Loaded.Unchanged
		total.Rejected += n.Loaded.Rejected
	}
	return total
}

func (r *Report) pages() (pages int) {
	for _, n := range r.Nouns {
		pages += n.Pages
	}
	return pages
}

// changed counts the entries of the change log.
func (o *office) changed(t testing.TB) int {
	t.Helper()
	n, after := 0, int64(0)
	for {
		page, err := o.store.Changes(t.Context(), after, 1000)
		must(t, err)
		if len(page) == 0 {
			return n
		}
		n, after = n+len(page), page[len(page)-1].Sequence
	}
}

// differences are the REST requests that two offices answer differently: every list, every object and every file.
func differences(t testing.TB, origin, copied *office) (found []string) {
	t.Helper()
	same := func(path string) {
		wantStatus, want := origin.ask(t, http.MethodGet, path)
		if status, got := copied.ask(t, http.MethodGet, path); status != wantStatus || got != want {
			found = append(found, fmt.Sprintf("%s is answered with\n%d %s\ninstead of\n%d %s", path, status, got, wantStatus, want))
		}
	}
	for _, n := range nouns {
		same(n.path + "?pageSize=500")
		for _, r := range origin.records(t, n.path) {
			if n.object != "" {
				same(n.object + r.id() + n.suffix)
			}
			switch n.of {
			case backoffice.NounTranscript:
				same("/transcripts/download/" + r.id() + "/file")
				same("/transcripts/download/" + r.id() + "/metadata")
			case backoffice.NounCalculation:
				same("/calculations/files/" + r.id())
			case backoffice.NounMinfin:
				same("/minfin/download/" + r.id())
			case backoffice.NounCustomer:
				same("/customers/" + r.id() + "/relations")
				same("/customers/" + r.id() + "/documents")
				same("/calculations/" + r.id() + "/proposal/download")
			}
		}
	}
	return found
}

func wantSame(t testing.TB, origin, copied *office) {
	t.Helper()
	if found := differences(t, origin, copied); len(found) > 0 {
		t.Errorf("%d requests are answered differently; the first: %s", len(found), found[0])
	}
}

func asAway(err error, away **errAway) bool { return errors.As(err, away) }

// cause is what an error does not tell to everyone.
func cause(err error) error { return errors.Unwrap(err) }
