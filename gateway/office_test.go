package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/limits"
	"example.org/backoffice/importexport"
	"example.org/backoffice/store/cache"
	"example.org/backoffice/store/postgres"
	"example.org/backoffice/store/postgres/pgtest"
	"example.org/backoffice/store/sqlite/sqlitetest"
)

// office is a running gateway over the small office of testdata/office, as a client sees it.
type office struct {
	*Backend
	before  backoffice.Store // what the server reads: the store, with a cache before it if there is one
	handler http.Handler
	stop    func()               // what SIGTERM does
	pairs   map[string][2]string // by scopes: client id and secret
	metrics string               // the address where they are served, if they are: see measured
}

// engines are the stores that a gateway can stand on, each with the URL of a fresh one.
var engines = map[string]func(testing.TB) string{
	"SQLite":     sqlitetest.URL,
	"PostgreSQL": newPostgres,
}

// newPostgres makes a schema of its own in the server of the tests and brings it up to date.
func newPostgres(t testing.TB) string {
	t.Helper()
	return pgtest.Migrated(t, postgres.Migrate)
}

// patient gives a busy machine time to make connections, and to answer on those that rested. Tests of a server that
// is away do without.
func patient(url string) string { return url + "&connect_timeout=60&pool_ping_timeout=1m" }

// openOffice fills a fresh embedded store and puts the real handler over it.
func openOffice(t testing.TB) *office {
	t.Helper()
	return openOfficeOn(t, engines["SQLite"](t))
}

// openOfficeOn does the same with any empty store.
func openOfficeOn(t testing.TB, database string) *office {
	t.Helper()
	return openOfficeWith(t, database, unhurried())
}

// openOfficeWith does it with limits of its own.
func openOfficeWith(t testing.TB, database string, bounds limits.Settings) *office {
	t.Helper()
	o := serveOffice(t, officeSettings(t, database), bounds)
	o.fill(t)
	return o
}

// fill imports the small office.
func (o *office) fill(t testing.TB) {
	t.Helper()
	importer := importexport.Importer{Store: o.Store, Files: o.Files, Keys: o.Keys}
	if _, err := importer.Import(t.Context(), filepath.Join("..", "testdata", "office")); err != nil {
		t.Fatal(err)
	}
}

// unhurried are the usual limits with time enough for the race detector on a busy machine; tests about time set their
// own.
func unhurried() limits.Settings {
	bounds := limits.Defaults()
	bounds.Time = 2 * time.Minute
	return bounds
}

func officeSettings(t testing.TB, database string) Settings {
	return Settings{
		Statement: time.Minute, // as in unhurried
		Database:  database,
		Files:     filesLost(t),
		Keyset:    filepath.Join("..", "testdata", "keyset.json"),
	}
}

// serveOffice puts the real handler over a store as it is.
func serveOffice(t testing.TB, settings Settings, bounds limits.Settings) *office {
	t.Helper()
	return serveOfficeThrough(t, settings, bounds, func(of backoffice.Store) backoffice.Store { return of })
}

// serveOfficeThrough puts something between the handler and the store.
func serveOfficeThrough(t testing.TB, settings Settings, bounds limits.Settings, between func(backoffice.Store) backoffice.Store) *office {
	t.Helper()
	h, err := settings.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	h.Store = between(h.Store)
	return serveBackend(t, h, bounds)
}

// serveRemembering puts the real handler over a store with a cache before it.
func serveRemembering(t testing.TB, settings Settings, memory CacheSettings) *office {
	t.Helper()
	h, err := settings.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c := quiet(unhurried())
	c.Cache = memory
	return serveConfigured(t, h, c)
}

// serveBackend puts the real handler over what is open, and closes it at the end.
func serveBackend(t testing.TB, h *Backend, bounds limits.Settings) *office {
	t.Helper()
	return serveConfigured(t, h, quiet(bounds))
}

// openMeasured is the small office over an embedded store, of which metrics are served.
func openMeasured(t testing.TB) *office {
	t.Helper()
	settings := officeSettings(t, engines["SQLite"](t))
	b, err := settings.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	o := serveConfigured(t, b, measured(t, quiet(unhurried())))
	o.fill(t)
	return o
}

// differences are the answers from memory that were not those of the store.
func (o *office) differences() int64 { return o.before.(*cache.Store).Differences() }

// testedCache is what stands before the store in all tests of this package: nothing, or what BACKOFFICE_CACHE and
// BACKOFFICE_CACHE_CHECK say, so that the tests can be run with it.
var testedCache = func() (c CacheSettings) {
	if size := os.Getenv("BACKOFFICE_CACHE"); size != "" {
		if err := c.Cache.UnmarshalText([]byte(size)); err != nil {
			panic(err)
		}
	}
	c.Check = os.Getenv("BACKOFFICE_CACHE_CHECK") != ""
	return c
}()

// quiet is how the tests serve: with these limits, a log that nobody reads, and nothing sent to webhooks.
func quiet(bounds limits.Settings) Config {
	return Config{Limits: bounds, Cache: testedCache, Webhooks: WebhookSettings{Off: true}, Log: slog.New(slog.DiscardHandler)}
}

// pair issues a credential pair with these scopes, once.
func (o *office) pair(t testing.TB, scopes ...backoffice.Scope) [2]string {
	t.Helper()
	name := ""
	for _, scope := range scopes {
		name += " " + string(scope)
	}
	if pair, known := o.pairs[name]; known {
		return pair
	}
	if o.pairs == nil {
		o.pairs = map[string][2]string{}
	}
	issued, secret, err := auth.Issue(t.Context(), o.Store, "test"+name, scopes, 0)
	if err != nil {
		t.Fatal(err)
	}
	o.pairs[name] = [2]string{issued.ID, secret}
	return o.pairs[name]
}

// ask sends a GraphQL request as a pair would and returns the answer with the number of store calls it took.
func (o *office) ask(t testing.TB, pair [2]string, query string, variables json.RawMessage, header http.Header) (status int, body []byte, calls int) {
	t.Helper()
	request, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		t.Fatal(err)
	}
	ctx, counter := backoffice.WithStatementCount(context.Background())
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/graphql", bytes.NewReader(request))
	maps.Copy(r.Header, header)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/graphql-response+json")
	r.Header.Set(auth.ClientIDHeader, pair[0])
	r.Header.Set(auth.ClientSecretHeader, pair[1])
	w := httptest.NewRecorder()
	o.handler.ServeHTTP(w, r)
	answer, err := io.ReadAll(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	return w.Code, answer, counter.Count()
}

// send sends any request with a JSON body as a pair would.
func (o *office) send(t testing.TB, pair [2]string, method, path, body string) *httptest.ResponseRecorder {
	t.Helper()
	return o.serve(newRequest(t, pair, method, path, body))
}

// pretty lays out JSON for reading and comparing.
func pretty(t testing.TB, data []byte) string {
	t.Helper()
	var out bytes.Buffer
	if err := json.Indent(&out, bytes.TrimSpace(data), "", "  "); err != nil {
		t.Fatalf("the answer is not JSON: %v\n%s", err, data)
	}
	return strings.TrimSpace(out.String()) + "\n"
}

// decoded is the JSON object of an answer that has to have a status.
func decoded(t testing.TB, response *http.Response, status int) (body map[string]any) {
	t.Helper()
	if err := json.NewDecoder(response.Body).Decode(&body); err != nil || response.StatusCode != status {
		t.Fatalf("%d instead of %d: %v %v", response.StatusCode, status, body, err)
	}
	return body
}

func encoded(t testing.TB, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// newRequest is a request with a JSON body.
func newRequest(t testing.TB, pair [2]string, method, path, body string) *http.Request {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set(auth.ClientIDHeader, pair[0])
	r.Header.Set(auth.ClientSecretHeader, pair[1])
	return r
}

// serve answers a request.
func (o *office) serve(r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	o.handler.ServeHTTP(w, r)
	return w
}

// filesLost is a folder for the files of records that were made without them, as an operator makes it whose files are
// lost.
func filesLost(t testing.TB) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "files")
	if err := os.MkdirAll(filepath.Join(folder, aside), 0o700); err != nil {
		t.Fatal(err)
	}
	return "file:" + folder
}
