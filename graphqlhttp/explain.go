package graphqlhttp

import (
	"context"

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

// explained adds what an operation costs, for a client that asks.
func (g *GraphQL) explained(ctx context.Context, a answer, q *prepared) answer {
	if !q.explain {
		return a
	}
	shown := explanation{
		Depth:  q.depth,
		Cost:   q.cost,
		Limit:  g.limits.Cost,
		Scopes: limits.Scopes(g.schema, q.OperationDefinition, q.variables),
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
