package graphqlhttp

import (
	"github.com/vektah/gqlparser/v2/ast"
)

// Foretell is what the operation in a request's body costs, when that is known from the body alone: its document was prepared before, and costs
// the same with all variables.
func (g *GraphQL) Foretell(body string) (cost int, ok bool) {
	asked, unread := parseBody(body, g.limits.Nesting)
	if unread != nil || asked.query == "" || asked.documentID != "" || asked.apollo || g.documents.known == nil {
		return 0, false
	}
	document, ok := g.documents.known.GetIfPresent(known{text: asked.query})
	if !ok || len(document.operations) != 1 || document.operations[0].Operation == ast.Subscription {
		return 0, false
	}
	return document.operations[0].price.Fixed()
}
