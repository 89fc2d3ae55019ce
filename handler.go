package main

import (
	"context"
	_ "embed"
	"log/slog"
	"net/http"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/go-chi/chi/v5"

	"example.org/backoffice/apidocs"
	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/execute"
	"example.org/backoffice/graph"
	"example.org/backoffice/graphiql"
	"example.org/backoffice/limits"
	"example.org/backoffice/loaders"
	"example.org/backoffice/privacy"
	"example.org/backoffice/process"
	"example.org/backoffice/resolvers"
	"example.org/backoffice/rest"
	"example.org/backoffice/transport"
)

//go:embed schema.graphqls
var schemaText []byte

// gateway is what the faces are put together from.
type gateway struct {
	house         *house
	process       *process.Process
	limits        limits.Settings
	authenticator *auth.Authenticator
	proxies       auth.Proxies
	log           *slog.Logger
	page          graphiql.Store
}

// newProcess makes the process around a house's faces.
func newProcess(h *house, settings process.Settings, bounds limits.Settings, log *slog.Logger) *process.Process {
	return process.New(settings, process.Options{Ready: h.store.Ping, Alarms: h.vault.Alarms, Time: bounds.Time, Log: log})
}

// handler puts the faces together.
func (g gateway) handler() http.Handler {
	vault := g.house.vault
	throttle := auth.NewThrottle()
	admission := g.limits.NewAdmission()
	endpoint := g.graphql(admission)
	g.measure(throttle, vault, admission)

	r := chi.NewRouter()
	r.Use(g.deadline)
	g.process.Mount(r)
	r.With(auth.Middleware(g.authenticator, throttle, g.proxies, endpoint.Refuse), process.Client, vault.Middleware(auth.From, endpoint.Refuse)).
		Handle("/graphql", g.answer(endpoint))
	r.With(rest.Compressed).Get("/schema.graphqls", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write(schemaText)
	})
	r.Get("/", http.RedirectHandler(graphiql.Path, http.StatusFound).ServeHTTP)
	page := graphiql.Handler(g.page)
	r.Handle(graphiql.Path, page)
	r.Handle(graphiql.Path+"/*", process.Quiet(page))
	docs := apidocs.Handler()
	r.Handle(apidocs.Path, docs)
	r.Handle(apidocs.Path+"/*", process.Quiet(docs))
	rest.Mount(r, rest.Config{
		Store: g.house.store, Office: g.house.office(), Files: g.house.files, Keys: g.house.keys, Vault: vault,
		Authenticator: g.authenticator, Throttle: throttle, Proxies: g.proxies, SignedIn: process.Client, RequestID: process.RequestID,
		Admit: g.admitREST(admission), Answer: g.limits.Answer,
	})
	return r
}

// deadline bounds every request: downloads by inactivity, and all others by the time that they take.
func (g gateway) deadline(next http.Handler) http.Handler {
	bounded, streamed := g.process.Deadline(next), g.process.Stream(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isDownload(r.URL.Path) {
			streamed.ServeHTTP(w, r)
			return
		}
		bounded.ServeHTTP(w, r)
	})
}

func isDownload(path string) bool {
	return strings.HasPrefix(path, "/files/") || strings.HasPrefix(path, "/calculations/files/") ||
		strings.Contains(path, "/download/") || strings.HasSuffix(path, "/download")
}

// schema is what the GraphQL face executes.
func (g gateway) schema() graphql.ExecutableSchema {
	return graph.NewBreadthFirst(graph.Config{
		Resolvers:  &resolvers.Root{Keys: g.house.keys, Office: g.house.office()},
		Directives: graph.DirectiveRoot{HasScope: resolvers.HasScope},
	}, execute.Options{Runner: loaders.Level, Prepare: selectedFields, Attach: withSelectedFields, Early: early, Alone: loaders.Alone, Written: written, MaxErrors: g.limits.FieldErrors})
}

// graphql is the GraphQL face.
func (g gateway) graphql(admission *limits.Admission) *transport.GraphQL {
	return transport.New(g.schema(), g.limits, transport.Hooks{
		Admit:       admit(admission),
		BeforeWrite: privacy.Commit,
		RequestID:   process.RequestID,
		Log:         g.log,
		StoreCalls:  func(ctx context.Context) int { return backoffice.CallsOf(ctx).Count() },
		Done: func(ctx context.Context, o transport.Outcome) {
			process.NoteOperation(ctx, process.Operation{Name: o.Operation, Type: o.Type, Document: o.Shape, Cost: o.Cost, Codes: o.Codes})
		},
	})
}
