package gateway

import (
	"context"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/graph"
	"example.org/backoffice/graphql/execute"
	"example.org/backoffice/graphql/graphqlhttp"
	"example.org/backoffice/graphql/limits"
)

// trustedDocument finds a document by an identifier; for a credential of trusted ones alone, none that another saved.
func (s server) trustedDocument(ctx context.Context, id string) (*backoffice.TrustedDocument, error) {
	found, err := s.trusted.Find(ctx, id)
	if err != nil {
		return nil, err
	}
	if !found.ByOperator && backoffice.TrustedOnly(ctx) {
		return nil, backoffice.Errorf(backoffice.NotFound, "there is no such document")
	}
	return found.TrustedDocument, nil
}

// NewDocumentChecker checks documents against the schema of this program, without a store.
func NewDocumentChecker(settings limits.Settings) backoffice.DocumentChecker {
	return graphqlhttp.NewChecker(graph.NewBreadthFirst(graph.Config{}, execute.Options{}).Schema(), settings)
}
