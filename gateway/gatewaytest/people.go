package gatewaytest

import (
	"bytes"
	"log/slog"
	"net/http"
	"sync"
	"testing"

	"github.com/go-jose/go-jose/v4"

	"example.org/backoffice/auth"
	"example.org/backoffice/auth/people/peopletest"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway"
)

// Desk is an office at which people sign in.
type Desk struct {
	*Office
	*peopletest.Issuer
	Config gateway.Config
	Path   string // of the map
	Log    SafeBuffer
}

// SafeBuffer is a buffer for several writers.
type SafeBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write is io.Writer.
func (w *SafeBuffer) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(b)
}

// String is what was written so far.
func (w *SafeBuffer) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

// UsualMap maps the groups of tokens to scopes and customers.
const UsualMap = `{"rules": [
	{"claim": "groups", "value": "managers", "scopes": ["privacy.read", "customers.write", "pti.write", "minfin.read", "settings.write"]},
	{"claim": "groups", "value": "acme", "scopes": ["customers.write"], "onlyCustomer": ["acme"]},
	{"claim": "groups", "value": "an", "onlyResponsible": ["user-an"]}
], "deny": ["gone"]}`

// OpenDesk serves the small office of testdata/office to people, with something between the server and the store.
func OpenDesk(t testing.TB, c gateway.Config, between func(backoffice.Store) backoffice.Store) *Desk {
	t.Helper()
	return openDesk(t, Engines["SQLite"](t), c, between)
}

// OpenDeskOn is OpenDesk over any empty store.
func OpenDeskOn(t testing.TB, database string, c gateway.Config) *Desk {
	t.Helper()
	return openDesk(t, database, c, func(of backoffice.Store) backoffice.Store { return of })
}

func openDesk(t testing.TB, database string, c gateway.Config, between func(backoffice.Store) backoffice.Store) *Desk {
	t.Helper()
	d := &Desk{Issuer: peopletest.New(t, jose.ES256), Path: peopletest.Map(t, UsualMap)}
	settings := Settings(t, database)
	h, err := settings.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	fill(t, h)
	h.Store = between(h.Store)
	c.Log = slog.New(slog.NewTextHandler(&d.Log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	c.People = gateway.PeopleSettings{Issuer: d.URL, Audience: peopletest.Audience, Map: d.Path}
	d.Office, d.Config = ServeConfig(t, h, c), c
	return d
}

// Request is one with an access token.
func (d *Desk) Request(t testing.TB, token, method, path, body string) *http.Request {
	t.Helper()
	r := NewRequest(t, [2]string{}, method, path, body)
	r.Header.Del(auth.ClientIDHeader)
	r.Header.Del(auth.ClientSecretHeader)
	r.Header.Set("Accept", "application/json, application/graphql-response+json")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return r
}

// Says returns the answer to a query with an access token.
func (d *Desk) Says(t testing.TB, token, query string) string {
	t.Helper()
	return d.Serve(d.Request(t, token, http.MethodPost, "/graphql", JSON(t, map[string]string{"query": query}))).Body.String()
}
