package gateway_test

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"example.org/backoffice/auth"
	"example.org/backoffice/auth/people/peopletest"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway"
	"example.org/backoffice/gateway/gatewaytest"
	"example.org/backoffice/privacy"
)

// stage is an office with a cache, at which credentials and people are at work, and its administrators' command line.
type stage struct {
	*gatewaytest.Office
	*peopletest.Issuer
	client   gatewaytest.Follower
	holds    *holding
	settings gateway.Settings
	config   gateway.Config
	path     string       // of the map
	ahead    atomic.Int64 // nanoseconds that its clock for tokens is before this machine's
	changed  atomic.Bool  // the rights were, or are about to be
	large    string       // a document that takes long
	everyone [2]string    // a credential with every scope
}

// holding is a store that holds back what it is asked to, until that is let or its request has ended.
type holding struct {
	backoffice.Store
	mu            sync.Mutex
	pages, writes map[string]*heldBack // by client id
}

type heldBack struct {
	left      int // pages that are read before
	held, go_ chan struct{}
}

func (h *holding) write(id string) (held <-chan struct{}, let func()) { return h.set(h.writes, id, 1) }
func (h *holding) page(id string) (held <-chan struct{}, let func())  { return h.set(h.pages, id, 4) }

func (h *holding) set(of map[string]*heldBack, id string, left int) (<-chan struct{}, func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	one := &heldBack{left, make(chan struct{}), make(chan struct{})}
	of[id] = one
	return one.held, func() { close(one.go_) }
}

func (h *holding) wait(ctx context.Context, of map[string]*heldBack) {
	who := auth.From(ctx)
	if who == nil {
		return
	}
	h.mu.Lock()
	one := of[who.ClientID]
	if one == nil {
		h.mu.Unlock()
		return
	}
	one.left--
	left := one.left
	h.mu.Unlock()
	if left != 0 {
		return
	}
	close(one.held)
	select {
	case <-one.go_:
	case <-ctx.Done():
	}
}

func (h *holding) BeginSnapshot(ctx context.Context) backoffice.Snapshot {
	h.wait(ctx, h.pages)
	return h.Store.BeginSnapshot(ctx)
}

func (h *holding) Write(ctx context.Context, do func(ctx context.Context, tx backoffice.Tx) error) error {
	h.wait(ctx, h.writes)
	return h.Store.Write(ctx, do)
}

func openStage(t *testing.T, engine string) *stage {
	t.Helper()
	s := &stage{Issuer: peopletest.New(t, jose.ES256), settings: gatewaytest.Settings(t, gatewaytest.Engines[engine](t))}
	s.path, s.settings.Connections = peopletest.Map(t, s.mapText(false)), 40 // for all rows of a column at once
	b, err := s.settings.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.holds = &holding{Store: b.Store, pages: map[string]*heldBack{}, writes: map[string]*heldBack{}}
	b.Store = s.holds
	s.config = gatewaytest.Config(gatewaytest.SmallPages())
	s.config.Limits.Upload = 128 << 20
	gateway.SetClock(&s.config, func() time.Time { return time.Now().Add(time.Duration(s.ahead.Load())) })
	s.config.People = gateway.PeopleSettings{Issuer: s.URL, Audience: peopletest.Audience, Map: s.path}
	cached := gatewaytest.Measured(t, s.config)
	cached.Cache.Cache = 64 << 20
	s.Office = gatewaytest.ServeConfig(t, b, cached)
	s.Fill(t)
	for range 40 {
		s.MakeCustomer(t)
	}
	server := httptest.NewServer(s.Handler)
	t.Cleanup(func() { s.Stop(); server.CloseClientConnections(); server.Close() })
	s.everyone = s.Credential(t, backoffice.AllScopes...)
	s.client = gatewaytest.Follower{Address: server.URL, Credential: s.everyone}
	for name, document := range map[string]string{"List": watchedList, "Numbers": `query Numbers { customers(first: 1) { nodes { id registrationNumber } } }`} {
		if wrong := s.Saves(t, s.everyone, map[string]any{"document": document, "name": name}); wrong != nil {
			t.Fatal(wrong)
		}
	}
	s.Tool(t, backoffice.Tool{Name: "numbers", About: "Numbers.", Numbers: true}, `query Numbers { customers(first: 1) { nodes { id registrationNumber } } }`)
	w := s.Upload(s.everyone, "acme", "?name=large.txt", strings.NewReader(strings.Repeat("a line of a long document\n", 64<<20/26)), "Content-Type", "text/plain")
	if w.Code != http.StatusCreated {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	s.large = strings.TrimSuffix(strings.TrimPrefix(w.Header().Get("Location"), "/customers/documents/"), "/download")
	return s
}

// fresh answers what a server would that has seen nothing yet and keeps nothing.
func (s *stage) fresh(t *testing.T) http.Handler {
	t.Helper()
	backend := *s.Backend // of its own vault, whose settings it makes
	backend.Vault = privacy.NewVault(backend.Keys, backend.Store)
	return gatewaytest.ServeOpen(t, &backend, s.config).Handler
}

// command runs the program's command line over the stage's store.
func (s *stage) command(ctx context.Context, args ...string) ([]byte, error) {
	keyset, err := filepath.Abs(s.settings.Keyset)
	if err != nil {
		return nil, err
	}
	command, err := gatewaytest.Command(ctx, append([]string{"--database=" + s.settings.Database, "--files=" + s.settings.Files, "--keyset=" + keyset}, args...)...)
	if err != nil {
		return nil, err
	}
	return command.CombinedOutput()
}

// caller is whom a column is about.
type caller struct {
	*stage
	name, id string
	header   http.Header
	format   string // of their export
	saved    bool
}

// callerOf is a credential or a person, who may do much.
func (s *stage) callerOf(t *testing.T, name string, col *column, n int) *caller {
	t.Helper()
	c := &caller{stage: s, name: name, header: http.Header{}, format: [...]string{"jsonl", "csv", "xlsx"}[n%3], saved: n%2 == 1}
	if !col.person {
		now := backoffice.InstantOf(time.Now())
		credential, err := backoffice.NewCredential(backoffice.NewID(), name, usualScopes, now, 0)
		if err != nil {
			t.Fatal(err)
		}
		if name == "credentials networks --remove" {
			credential.Networks = backoffice.Networks{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("192.0.2.0/24")}
		}
		secret, err := auth.Create(t.Context(), s.Store, credential, now)
		if err != nil {
			t.Fatal(err)
		}
		c.id = credential.ID
		c.header.Set(auth.ClientIDHeader, credential.ID)
		c.header.Set(auth.ClientSecretHeader, secret)
		return c
	}
	now, life := time.Now(), 15*time.Minute
	if name == tokenEnds {
		life = tokenLife
	}
	token := s.Sign(t, "at+jwt", s.Claims(name, now, map[string]any{"groups": []string{name}, "exp": now.Add(life).Unix()}))
	c.id = backoffice.PersonID(s.URL, name)
	c.header.Set("Authorization", "Bearer "+token)
	return c
}

var usualScopes = []backoffice.Scope{backoffice.PrivacyRead, backoffice.CustomersWrite, backoffice.PtiWrite, backoffice.MinfinRead}

// anonymous is somebody with a signed path and nothing else.
func (c *caller) anonymous() *caller {
	other := *c
	other.header = http.Header{}
	return &other
}

// names is what something is called that the caller makes in some way.
func (c *caller) names(way string) string {
	return way + "-" + strings.Trim(strings.ReplaceAll(c.name, " ", "-"), "-")
}

func (c *caller) request(t *testing.T, method, path string, body io.Reader, header ...string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(context.WithoutCancel(t.Context()), method, c.client.Address+path, body)
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(r.Header, c.header)
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return r
}

// do sends a request that has to be answered well.
func (c *caller) do(t *testing.T, r *http.Request) *http.Response {
	t.Helper()
	response, err := waiting.Do(r)
	if err != nil {
		t.Fatalf("%s: %v", c.name, err)
	}
	t.Cleanup(func() { _ = response.Body.Close() })
	if response.StatusCode >= 300 {
		text, _ := io.ReadAll(response.Body)
		t.Fatalf("%s: %s %s: %d %s", c.name, r.Method, r.URL.Path, response.StatusCode, text)
	}
	return response
}

// path is a signed path in an answer.
func (c *caller) signedPath(t *testing.T, query, member string) string {
	t.Helper()
	response := c.do(t, c.request(t, http.MethodPost, "/graphql", strings.NewReader(gatewaytest.JSON(t, map[string]string{"query": query}))))
	text, _ := io.ReadAll(response.Body)
	_, path, found := strings.Cut(string(text), `"`+member+`":"`)
	path, _, _ = strings.Cut(path, `"`)
	var plain string
	if err := json.Unmarshal([]byte(`"`+path+`"`), &plain); err != nil || !found {
		t.Fatalf("%s: %s", c.name, text)
	}
	return plain
}

func (c *caller) uploadPath(t *testing.T, name string) string {
	t.Helper()
	return c.signedPath(t, `mutation { createDocumentUpload(input: {customerId: "acme", name: "`+name+`"}) { uploadPath } }`, "uploadPath")
}

func (c *caller) downloadPath(t *testing.T, id, noun string) string {
	t.Helper()
	return c.signedPath(t, `{ node(id: "`+id+`") { ... on `+noun+` { file { downloadPath } } } }`, "downloadPath")
}
