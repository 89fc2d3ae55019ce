package graphqlhttp

import (
	"context"
	"net/http"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"example.org/backoffice/backoffice"
)

// Call is a request of another transport for one query.
type Call struct {
	Document  *backoffice.TrustedDocument // nil: the text
	Text      string
	Variables []byte // a JSON object; empty for none
	Plan      bool   // it is explained, and does not run
}

// Called is the answer of a call.
type Called struct {
	Data       []byte // JSON, valid until it was used; nil when the call failed as a whole
	Errors     gqlerror.List
	Extensions map[string]any
}

// Call answers one query like a request of its own. use gets the answer once the register's entries are durable.
func (g *GraphQL) Call(ctx context.Context, header http.Header, c Call, use func(Called)) {
	var served served
	defer func() { served.end() }()
	a := g.guarded(ctx, mediaGraphQL, func() answer {
		asked, refused := g.callOf(c)
		if refused != nil {
			return refusal(mediaGraphQL, refused...)
		}
		return g.respond(ctx, nil, asked, header, mediaGraphQL, &served)
	})
	use(Called{Data: a.data, Errors: a.errors, Extensions: a.extensions})
	g.done(ctx, &served, a)
}

func (g *GraphQL) callOf(c Call) (asked request, _ gqlerror.List) {
	document, errs := g.documentOfCall(c)
	if errs != nil {
		return asked, errs
	}
	asked.known = document
	if len(document.operations) > 1 {
		return asked, gqlerror.List{failure(codeBadInput, "the document has several operations; send one")}
	}
	if document.operations[0].Operation != ast.Query {
		return asked, gqlerror.List{failure(codeBadInput, "only a query can be asked here")}
	}
	if c.Plan {
		asked.explain = explainPlan
	}
	if len(c.Variables) == 0 {
		return asked, nil
	}
	parsed, err := parseJSON(string(c.Variables), g.limits.Nesting)
	if err != nil {
		return asked, gqlerror.List{failure(codeBadInput, "the variables were refused: %s", err)}
	}
	variables, ok := parsed.(*object)
	if !ok {
		return asked, gqlerror.List{failure(codeBadInput, "the variables are a JSON object")}
	}
	asked.variables = variables.members
	for name := range asked.variables {
		if document.operations[0].VariableDefinitions.ForName(name) == nil {
			return asked, gqlerror.List{
				failure(codeBadInput, "there is no variable \"%s\"", backoffice.ShownName(name))}
		}
	}
	return asked, nil
}

func (g *GraphQL) documentOfCall(c Call) (*document, gqlerror.List) {
	if c.Document == nil {
		return g.documents.get(c.Text)
	}
	return g.documents.find(known{text: c.Document.ID, trusted: true}, c.Document.Text)
}

// Describe returns the query of a call and what it is made of, without variables. Errors: *RequestError.
func (g *GraphQL) Describe(c Call) (*Query, error) {
	document, errs := g.documentOfCall(c)
	if errs != nil {
		return nil, requestError(errs...)
	}
	return &Query{Schema: g.schema, Document: document.ast, Operation: document.operations[0].OperationDefinition,
		shape: document.shape, depth: document.depth, guarded: g.documents.guarded}, nil
}

// Guards reports whether a described query has a variable where a value needs a scope.
func (q *Query) Guards(variable string) bool {
	return documentHolds(q.Document, q.guarded, map[string]bool{variable: true})
}

// Schema is the schema that is served.
func (g *GraphQL) Schema() *ast.Schema { return g.schema }

// CodeOf is the code of an error, and the scope that its caller lacks, "" for none.
func CodeOf(err *gqlerror.Error) (code, scope string) {
	scope, _ = err.Extensions["requiredScope"].(string)
	return codeOfError(err), scope
}
