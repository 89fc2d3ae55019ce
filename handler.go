package main

import (
	"context"
	_ "embed"
	"net/http"

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
	"example.org/backoffice/resolvers"
	"example.org/backoffice/rest"
	"example.org/backoffice/transport"
)

//go:embed schema.graphqls
var schemaText []byte

// newHandler puts the faces together over a house.
func newHandler(h *house, authenticator *auth.Authenticator, proxies auth.Proxies) http.Handler {
	vault := privacy.NewVault(h.keys, h.store)
	throttle := auth.NewThrottle()
	endpoint := graphqlEndpoint(h)

	r := chi.NewRouter()
	r.With(auth.Middleware(authenticator, throttle, proxies, endpoint.Refuse), vault.Middleware(auth.From, endpoint.Refuse)).
		Handle("/graphql", answer(h, endpoint))
	r.Get("/livez", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	r.Get("/schema.graphqls", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write(schemaText)
	})
	r.Get("/", http.RedirectHandler(graphiql.Path, http.StatusFound).ServeHTTP)
	page := graphiql.Handler()
	r.Handle(graphiql.Path, page)
	r.Handle(graphiql.Path+"/*", page)
	docs := apidocs.Handler()
	r.Handle(apidocs.Path, docs)
	r.Handle(apidocs.Path+"/*", docs)
	rest.Mount(r, rest.Config{
		Store: h.store, Office: h.office(), Files: h.files, Keys: h.keys, Vault: vault,
		Authenticator: authenticator, Throttle: throttle, Proxies: proxies,
	})
	return r
}

// graphqlEndpoint is the GraphQL face.
func graphqlEndpoint(h *house) *transport.GraphQL {
	return transport.New(graph.NewBreadthFirst(graph.Config{
		Resolvers:  &resolvers.Root{Keys: h.keys, Office: h.office()},
		Directives: graph.DirectiveRoot{HasScope: resolvers.HasScope},
	}, execute.Options{Runner: loaders.Level, Prepare: selectedFields, Attach: withSelectedFields}), limits.Defaults(), transport.Hooks{
		BeforeWrite: privacy.Commit,
		StoreCalls:  func(ctx context.Context) int { return backoffice.CallsOf(ctx).Count() },
	})
}

// answer gives a request its loaders and lends it a buffer for the answer.
func answer(h *house, endpoint http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := r.Context()
		if backoffice.CallsOf(ctx) == nil {
			ctx, _ = backoffice.WithCalls(ctx)
		}
		ctx, giveBack := execute.Lend(loaders.With(ctx, h.store, loaders.Gated))
		defer giveBack()
		endpoint.ServeHTTP(w, r.WithContext(ctx))
	})
}
