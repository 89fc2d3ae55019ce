package graphqlhttp

import (
	"context"
	"net/http"

	"example.org/backoffice/limits"
)

// explanation is extensions.cost, for a request with the header "x-explain: true".
type explanation struct {
	Depth      int      `json:"depth"`
	Cost       int      `json:"cost"`
	Limit      int      `json:"limit"`
	Scopes     []string `json:"scopes"` // that the whole answer needs, as "privacy.read"
	StoreCalls int      `json:"storeCalls"`
}

func (g *GraphQL) explained(ctx context.Context, r *http.Request, a answer, operation operation, variables map[string]any, outcome Outcome) answer {
	if r.Header.Get("X-Explain") != "true" {
		return a
	}
	shown := explanation{
		Depth:  outcome.Depth,
		Cost:   outcome.Cost,
		Limit:  g.limits.Cost,
		Scopes: limits.Scopes(g.schema, operation.OperationDefinition, variables),
	}
	if shown.Scopes == nil {
		shown.Scopes = []string{}
	}
	if g.hooks.StoreCalls != nil {
		shown.StoreCalls = g.hooks.StoreCalls(ctx)
	}
	a.extensions = with(a.extensions, "cost", shown)
	return a
}
