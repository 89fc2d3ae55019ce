package graphqlhttp

import (
	"context"
	"math"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/limits"
)

// validationOfTrusted bounds the work of validating a trusted document, which is done once.
const validationOfTrusted = 1_000_000

// trustedLimits are the limits for trusted documents: all but those of form. Nesting stays, for the parser's sake.
func trustedLimits(s limits.Settings) limits.Settings {
	s.Tokens, s.Aliases, s.Directives, s.RootFields = math.MaxInt, math.MaxInt, math.MaxInt, math.MaxInt
	s.Validation = max(s.Validation, validationOfTrusted)
	return s
}

// trusted finds the document of a request that names it by an identifier, or that may only send trusted ones.
func (g *GraphQL) trusted(ctx context.Context, asked request) (*document, gqlerror.List) {
	id := asked.documentID
	if id == "" && asked.query != "" {
		id = backoffice.DocumentID(asked.query)
	}
	found, err := g.trustedDocument(ctx, id)
	unknown := backoffice.KindOf(err) == backoffice.NotFound
	switch {
	case err != nil && !unknown:
		return nil, gqlerror.List{g.Present(ctx, err)}
	case asked.query != "" && asked.documentID != "" && !agree(asked, found):
		return nil, gqlerror.List{failure(codeBadInput,
			"the document does not match its identifier; send only one of them")}
	case unknown && asked.query != "" && backoffice.TrustedOnly(ctx):
		return nil, gqlerror.List{failure(codeForbidden, "this credential may send trusted documents only")}
	case unknown && asked.query != "":
		return g.documents.get(asked.query)
	case unknown && asked.apollo: // Apollo's clients know it by the message, and send the document
		return nil, gqlerror.List{failure(codeNotPersisted, "PersistedQueryNotSupported")}
	case unknown:
		return nil, gqlerror.List{errUntrusted}
	}
	return g.documents.find(known{text: found.ID, trusted: true}, found.Text)
}

var errUntrusted = failure(codeNotPersisted, "no trusted document has this identifier")

// trustedDocument finds a document by an identifier. Errors: NotFound.
func (g *GraphQL) trustedDocument(ctx context.Context, id string) (*backoffice.TrustedDocument, error) {
	if g.hooks.Trusted == nil || id == "" {
		return nil, backoffice.Errorf(backoffice.NotFound, "there is no such document")
	}
	return g.hooks.Trusted(ctx, id)
}

func agree(asked request, found *backoffice.TrustedDocument) bool {
	if found != nil {
		return found.Text == asked.query
	}
	return asked.documentID == backoffice.DocumentID(asked.query)
}
