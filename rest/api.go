package rest

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/changes"
	"example.org/backoffice/privacy"
)

const OpenAPIPath = "/openapi.json"

// Config is what the interface needs. Everything is required unless its comment says otherwise.
type Config struct {
	Store   Store
	Service *backoffice.Service
	Files   backoffice.FileStore
	Keys    *privacy.Keyset // sign paths and packs of evidence
	Vault   *privacy.Vault
	Feed    *changes.Feed

	Authenticator *auth.Authenticator
	Throttle      *auth.Throttle
	Proxies       auth.Proxies

	// Admit, if set, waits until a request of this cost, in objects, may run, and returns a context for it. Call leave
	// when the answer is sent. least is the part of the cost that is charged in any case.
	Admit func(ctx context.Context, cost, least int) (own context.Context, leave func(), err error)
	// Open, if set, charges for opening a stream or a transfer, which does not wait for Admit. Errors: RateLimited.
	Open func(ctx context.Context) error
	// Answer is the maximum size of an answer in bytes; 0 is unlimited.
	Answer int
	// Upload is the maximum size of an uploaded document in bytes.
	Upload int64

	// Streamed limits transfers of files, while bytes flow; Bounded the time of other requests; nil: no limit.
	Bounded, Streamed func(http.Handler) http.Handler

	// SignIn, if set, replaces the check of credentials.
	SignIn func(http.Handler) http.Handler

	// SignedIn, if set, sees each request that has a principal.
	SignedIn func(http.Handler) http.Handler
}

type Store interface {
	backoffice.Readers
	ReadChanges(b *backoffice.Batch, q backoffice.ChangeQuery, into *backoffice.ChangePage) backoffice.Queued
	ChangesBefore(ctx context.Context, at backoffice.Instant) (int64, error)
	backoffice.ConsultationStore
	BeginSnapshot(ctx context.Context) backoffice.Snapshot
}

// parts are the operations of each noun, by tag, in the order of the OpenAPI document.
var parts = []struct {
	tag, about string
	mount      func(*API)
}{
	{"Financial years", "The years for which data is collected.", (*API).financialYears},
	{"Checklists", "Questionnaires, and assigning them to customers.", (*API).checklists},
	{"Transcripts", "Filled-in checklists and their documents.", (*API).transcripts},
	{tagCustomers, "Companies and private persons.", (*API).customers},
	{"Relations", "Which customer is director, UBO, shareholder or contact person of which.", (*API).relations},
	{"Documents", "Documents of customers.", (*API).documents},
	{"Calculations", "Proposals of tax calculations.", (*API).calculations},
	{"Discrepancies", "Where UBO relations differ from the computed owners.", (*API).discrepancies},
	{"Minfin", "Documents of the tax administration.", (*API).minfin},
	{"Settings", "Labels.", (*API).labels},
	{"Users", "The firm's staff.", (*API).users},
	{"Reports", "The numbers of a year.", (*API).reports},
	{tagChanges, "What was created, updated and deleted.", (*API).changes},
	{tagQueries, "Saved queries, each at its own URL: " +
		"for spreadsheets and reports that refresh automatically.", func(*API) {}},
}

// API is the mounted interface. Safe for concurrent use.
type API struct {
	Config
	huma     huma.API
	tag      string        // of the part being mounted
	document func() []byte // the OpenAPI document, made on first use

	running sync.Map // semaphores by kind of transfer and credential
}

// Mount adds the interface to a router, which may have other routes. Operations need sign-in; signed paths and the
// OpenAPI document do not. Unknown paths and wrong methods are answered with problem details.
func Mount(r chi.Router, c Config) *API {
	a := &API{Config: c}
	for _, middleware := range []*func(http.Handler) http.Handler{&c.Bounded, &c.Streamed, &c.SignedIn} {
		if *middleware == nil {
			*middleware = func(next http.Handler) http.Handler { return next }
		}
	}
	held := c.Vault.Middleware(auth.From, c.Authenticator.Challenging(a.Refuse))
	if c.SignIn == nil {
		c.SignIn = auth.Middleware(c.Authenticator, c.Throttle, c.Proxies, a.Refuse)
	}
	guarded := func(bound func(http.Handler) http.Handler) huma.Adapter {
		return humachi.NewAdapter(r.With(bound, Compressed, noStore, c.SignIn, c.SignedIn, held))
	}
	admitted := func(clientOf func(*http.Request) (string, error)) chi.Router {
		return r.With(c.Streamed, noStore, auth.Admit(c.Authenticator, c.Proxies, clientOf, a.Refuse), c.SignedIn, held)
	}
	a.huma = huma.NewAPI(a.describe(), &adapter{
		guarded(c.Bounded), guarded(c.Streamed), humachi.NewAdapter(admitted(a.uploadSignedFor))})
	for _, part := range parts {
		a.tag = part.tag
		part.mount(a)
	}
	a.finishDescription()
	a.describeQueries()

	a.document = sync.OnceValue(func() []byte {
		document, err := json.MarshalIndent(a.huma.OpenAPI(), "", "  ")
		if err != nil {
			panic("rest: cannot write the OpenAPI document: " + err.Error())
		}
		return document
	})
	described := r.With(c.Bounded, Compressed)
	described.Get(OpenAPIPath, a.serveDocument)
	described.Head(OpenAPIPath, a.serveDocument)

	signed := admitted(func(r *http.Request) (clientID string, err error) {
		return a.Keys.VerifyDownload(
			r.URL.Query().Get("signature"), chi.URLParam(r, "kind"), chi.URLParam(r, "id"), time.Now())
	})
	signed.Get(signedPath, a.serveSigned)
	signed.Head(signedPath, a.serveSigned)

	r.NotFound(func(w http.ResponseWriter, r *http.Request) {
		a.Refuse(w, r, backoffice.Errorf(backoffice.NotFound, "unknown path"))
	})
	r.MethodNotAllowed(a.methodNotAllowed)
	return a
}

// adapter routes operations by whether they stream and are signed, and answers HEAD wherever GET is answered.
type adapter struct {
	huma.Adapter // of all operations that do not stream
	streamed     huma.Adapter
	signed       huma.Adapter // of uploads to signed paths
}

func (a *adapter) Handle(op *huma.Operation, handler func(huma.Context)) {
	to := a.Adapter
	switch {
	case signs(op):
		to = a.signed
	case streams(op):
		to = a.streamed
	}
	to.Handle(op, handler)
	if op.Method == http.MethodGet {
		head := *op
		head.Method = http.MethodHead
		to.Handle(&head, handler)
	}
}

// Document is the OpenAPI document. Do not change it.
func (a *API) Document() []byte { return a.document() }

func (a *API) serveDocument(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write(a.document())
}

// noStore keeps answers with data, and errors about it, out of every cache.
func noStore(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		next.ServeHTTP(w, r)
	})
}

func (a *API) methodNotAllowed(w http.ResponseWriter, r *http.Request) {
	routing := chi.RouteContext(r.Context())
	path := cmp.Or(routing.RoutePath, r.URL.RawPath, r.URL.Path)
	var allowed []string
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch,
		http.MethodDelete, http.MethodOptions} {
		routed := strings.Replace(method, http.MethodHead, http.MethodGet, 1) // HEAD works wherever GET does
		if routing.Routes.Match(chi.NewRouteContext(), routed, path) {
			allowed = append(allowed, method)
		}
	}
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	a.Refuse(w, r, problem(http.StatusMethodNotAllowed, "this path does not support this method"))
}
