package gatewaytest

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
	"example.org/backoffice/gateway"
	"example.org/backoffice/graphql/limits"
	"example.org/backoffice/importexport"
	"example.org/backoffice/store/postgres"
	"example.org/backoffice/store/postgres/pgtest"
	"example.org/backoffice/store/sqlite/sqlitetest"
)

// Office is a gateway that serves, as a client sees it, with the backend below it.
type Office struct {
	*gateway.Backend
	Before         backoffice.Store // what the server reads: the store, or a cache in front of it
	Handler        http.Handler
	Stop           func()               // does what SIGTERM does
	Credentials    map[string][2]string // by scopes: client id and secret
	metricsAddress string               // where metrics are served; see Measured
}

// Engines returns the URL of a new, empty store, by engine.
var Engines = map[string]func(testing.TB) string{
	"SQLite":     sqlitetest.URL,
	"PostgreSQL": PostgreSQL,
}

// PostgreSQL creates a database in the server of the tests, migrates it and returns its URL.
func PostgreSQL(t testing.TB) string {
	t.Helper()
	return pgtest.Migrated(t, postgres.Migrate)
}

// Open serves the small office of testdata/office over a new SQLite store.
func Open(t testing.TB) *Office {
	t.Helper()
	return OpenOn(t, Engines["SQLite"](t))
}

// OpenOn is Open over any empty store.
func OpenOn(t testing.TB, database string) *Office {
	t.Helper()
	return OpenWith(t, database, Limits())
}

// OpenWith is OpenOn with other limits.
func OpenWith(t testing.TB, database string, bounds limits.Settings) *Office {
	t.Helper()
	o := Serve(t, Settings(t, database), bounds)
	o.Fill(t)
	return o
}

// Fill imports the small office of testdata/office.
func (o *Office) Fill(t testing.TB) {
	t.Helper()
	fill(t, o.Backend)
}

func fill(t testing.TB, b *gateway.Backend) {
	t.Helper()
	importer := importexport.Importer{Store: b.Store, Files: b.Files, Keys: b.Keys}
	if _, err := importer.Import(t.Context(), Path("testdata", "office")); err != nil {
		t.Fatal(err)
	}
}

// Limits are the default limits, with time enough for the race detector on a busy machine. Tests of time set their own.
func Limits() limits.Settings {
	bounds := limits.Defaults()
	bounds.Time = 2 * time.Minute
	return bounds
}

// Settings are those of a backend over a store, with the keys of testdata and an empty folder for files.
func Settings(t testing.TB, database string) gateway.Settings {
	return gateway.Settings{
		Statement: time.Minute, // as in Limits
		Database:  database,
		Files:     FilesLost(t),
		Keyset:    Path("testdata", "keyset.json"),
	}
}

// Serve opens a backend, serves it with these limits, and closes it when the test ends.
func Serve(t testing.TB, settings gateway.Settings, bounds limits.Settings) *Office {
	t.Helper()
	return ServeThrough(t, settings, bounds, func(of backoffice.Store) backoffice.Store { return of })
}

// ServeThrough is Serve with something between the server and the store.
func ServeThrough(t testing.TB, settings gateway.Settings, bounds limits.Settings, between func(backoffice.Store) backoffice.Store) *Office {
	t.Helper()
	h, err := settings.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	h.Store = between(h.Store)
	return ServeBackend(t, h, bounds)
}

// ServeCached is Serve with a cache in front of the store.
func ServeCached(t testing.TB, settings gateway.Settings, memory gateway.CacheSettings) *Office {
	t.Helper()
	h, err := settings.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c := Config(Limits())
	c.Cache = memory
	return ServeConfig(t, h, c)
}

// ServeBackend serves an open backend with these limits, and closes it when the test ends.
func ServeBackend(t testing.TB, h *gateway.Backend, bounds limits.Settings) *Office {
	t.Helper()
	return ServeConfig(t, h, Config(bounds))
}

// OpenMeasured is Open with metrics.
func OpenMeasured(t testing.TB) *Office {
	t.Helper()
	settings := Settings(t, Engines["SQLite"](t))
	b, err := settings.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	o := ServeConfig(t, b, Measured(t, Config(Limits())))
	o.Fill(t)
	return o
}

// EachOffice runs a test over sample data on each engine, without a cache and with one.
func EachOffice(t *testing.T, test func(t *testing.T, o *Office)) {
	t.Helper()
	for engine, database := range Engines {
		for name, memory := range map[string]gateway.CacheSettings{"without a cache": {}, "with a cache": {Cache: 8 << 20}} {
			t.Run(engine+" "+name, func(t *testing.T) {
				t.Parallel()
				o := ServeCached(t, Settings(t, database(t)), memory)
				o.Fill(t)
				test(t, o)
			})
		}
	}
}

// TestedCache is the cache in front of the store in all tests that set no other: none, or that of BACKOFFICE_CACHE,
// BACKOFFICE_CACHE_CHECK and BACKOFFICE_NO_CACHE_ANSWERS.
var TestedCache = func() (c gateway.CacheSettings) {
	if size := os.Getenv("BACKOFFICE_CACHE"); size != "" {
		if err := c.Cache.UnmarshalText([]byte(size)); err != nil {
			panic(err)
		}
	}
	c.Check = os.Getenv("BACKOFFICE_CACHE_CHECK") != ""
	c.NoAnswers = os.Getenv("BACKOFFICE_NO_CACHE_ANSWERS") != ""
	return c
}()

// Config serves with these limits, agents too, logs nothing and sends nothing to webhooks.
func Config(bounds limits.Settings) gateway.Config {
	return gateway.Config{Limits: bounds, Cache: TestedCache, Webhooks: gateway.WebhookSettings{Off: true}, Log: slog.New(slog.DiscardHandler),
		Agents: gateway.AgentSettings{MCP: true, Answer: 32 << 10}}
}

// Credential returns the client id and secret of a credential with these scopes. The first call issues it.
func (o *Office) Credential(t testing.TB, scopes ...backoffice.Scope) [2]string {
	t.Helper()
	name := strings.TrimSpace("test " + strings.Join(backoffice.NamesOf(scopes), " "))
	if credential, known := o.Credentials[name]; known {
		return credential
	}
	if o.Credentials == nil {
		o.Credentials = map[string][2]string{}
	}
	issued, secret, err := auth.Issue(t.Context(), o.Store, name, scopes, 0)
	if err != nil {
		t.Fatal(err)
	}
	o.Credentials[name] = [2]string{issued.ID, secret}
	return o.Credentials[name]
}

// PartialSuccess is the status of data beside errors.
const PartialSuccess = 294

// Ask sends a GraphQL request and returns the answer with the number of statements that it took.
func (o *Office) Ask(t testing.TB, as [2]string, query string, variables json.RawMessage, header http.Header) (status int, body []byte, calls int) {
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
	r.Header.Set(auth.ClientIDHeader, as[0])
	r.Header.Set(auth.ClientSecretHeader, as[1])
	w := httptest.NewRecorder()
	o.Handler.ServeHTTP(w, r)
	answer, err := io.ReadAll(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	return w.Code, answer, counter.Count()
}

// Send sends a request with a JSON body.
func (o *Office) Send(t testing.TB, credential [2]string, method, path, body string) *httptest.ResponseRecorder {
	t.Helper()
	return o.Serve(NewRequest(t, credential, method, path, body))
}

// Decoded is the JSON object of an answer. It fails the test when the status is another one.
func Decoded(t testing.TB, response *http.Response, status int) (body map[string]any) {
	t.Helper()
	if err := json.NewDecoder(response.Body).Decode(&body); err != nil || response.StatusCode != status {
		t.Fatalf("%d instead of %d: %v %v", response.StatusCode, status, body, err)
	}
	return body
}

// JSON is a value as JSON.
func JSON(t testing.TB, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// NewRequest is a request of a credential with a JSON body.
func NewRequest(t testing.TB, credential [2]string, method, path, body string) *http.Request {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set(auth.ClientIDHeader, credential[0])
	r.Header.Set(auth.ClientSecretHeader, credential[1])
	return r
}

// Serve answers a request without a network.
func (o *Office) Serve(r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	o.Handler.ServeHTTP(w, r)
	return w
}

// FilesLost is the URL of a folder without the files that records name: its marker says that they are lost for good.
func FilesLost(t testing.TB) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "files")
	if err := os.MkdirAll(filepath.Join(folder, ".part"), 0o700); err != nil {
		t.Fatal(err)
	}
	return "file:" + folder
}
