package gateway

import (
	"context"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/execute"
	"example.org/backoffice/graph"
	"example.org/backoffice/graphqlhttp"
	"example.org/backoffice/limits"
	"example.org/backoffice/trusted"
)

// trustedDocuments tells the GraphQL API which documents the pair of a context may name by an identifier.
type trustedDocuments struct{ known *trusted.Known }

// Find implements graphqlhttp.TrustedDocuments. For a pair that may send trusted documents alone, what another pair
// has saved is none.
func (t trustedDocuments) Find(ctx context.Context, id string) (*backoffice.TrustedDocument, error) {
	found, err := t.known.Find(ctx, id)
	if err != nil {
		return nil, err
	}
	if !found.ByOperator && t.Only(ctx) {
		return nil, backoffice.Errorf(backoffice.NotFound, "there is no such document")
	}
	return found.TrustedDocument, nil
}

func (trustedDocuments) Only(ctx context.Context) bool {
	principal := auth.From(ctx)
	return principal != nil && principal.TrustedOnly
}

// NewDocumentChecker checks documents against the schema of this program, without a store.
func NewDocumentChecker(settings limits.Settings) backoffice.DocumentChecker {
	return graphqlhttp.NewChecker(graph.NewBreadthFirst(graph.Config{}, execute.Options{}).Schema(), settings)
}
