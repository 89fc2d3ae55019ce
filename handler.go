package main

import (
	"context"
	_ "embed"
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/handler"
	"github.com/99designs/gqlgen/graphql/handler/extension"
	"github.com/99designs/gqlgen/graphql/handler/transport"
	"github.com/go-chi/chi/v5"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/execute"
	"example.org/backoffice/graph"
	"example.org/backoffice/graphiql"
	"example.org/backoffice/loaders"
	"example.org/backoffice/privacy"
	"example.org/backoffice/resolvers"
)

//go:embed schema.graphqls
var schemaText []byte

// newHandler puts the faces together over a house.
func newHandler(h *house, authenticator *auth.Authenticator, proxies auth.Proxies) http.Handler {
	vault := privacy.NewVault(h.keys, h.store)
	signIn := auth.Middleware(authenticator, auth.NewThrottle(), proxies, refuse)
	ledger := vault.Middleware(auth.From, refuse)

	r := chi.NewRouter()
	r.With(signIn, ledger).Post("/graphql", graphqlHandler(h).ServeHTTP)
	r.Get("/livez", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	r.Get("/schema.graphqls", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write(schemaText)
	})
	r.Get("/", http.RedirectHandler(graphiql.Path, http.StatusFound).ServeHTTP)
	page := graphiql.Handler()
	r.Handle(graphiql.Path, page)
	r.Handle(graphiql.Path+"/*", page)
	return r
}

func graphqlHandler(h *house) http.Handler {
	server := handler.New(graph.NewBreadthFirst(graph.Config{
		Resolvers:  &resolvers.Root{Keys: h.keys},
		Directives: graph.DirectiveRoot{HasScope: hasScope},
	}, execute.Options{Runner: loaders.Level, Prepare: selectedFields, Attach: withSelectedFields}))
	server.AddTransport(transport.POST{})
	server.Use(extension.Introspection{})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		server.ServeHTTP(w, r.WithContext(loaders.With(r.Context(), h.store, loaders.Gated)))
	})
}

// hasScope guards what the schema marks with @hasScope.
func hasScope(ctx context.Context, _ any, next graphql.Resolver, scope backoffice.Scope) (any, error) {
	if err := auth.Require(ctx, scope); err != nil {
		return nil, err
	}
	return next(ctx)
}

// refuse answers in GraphQL's form what never reached a resolver.
func refuse(w http.ResponseWriter, _ *http.Request, err error) {
	status := map[backoffice.Kind]int{
		backoffice.Unauthenticated: http.StatusUnauthorized, backoffice.Forbidden: http.StatusForbidden,
		backoffice.RateLimited: http.StatusTooManyRequests, backoffice.Unavailable: http.StatusServiceUnavailable,
		backoffice.BadInput: http.StatusBadRequest, backoffice.Timeout: http.StatusGatewayTimeout,
	}[backoffice.KindOf(err)]
	if status == 0 {
		status = http.StatusInternalServerError
	}
	http.Error(w, err.Error(), status)
}
