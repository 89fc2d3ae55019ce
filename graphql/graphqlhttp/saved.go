package graphqlhttp

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/answers"
	"example.org/backoffice/graphql/limits"
)

// A saved query has an address, whose parameters are its variables. Addresses end up in logs, so guarded values are not
// taken from them. A spreadsheet shows no errors with its data, so a missing scope fails the whole query.

// ServeSaved answers a GET or HEAD request for a saved query as JSON. A failure has its status by GraphQL over HTTP.
func (g *GraphQL) ServeSaved(w http.ResponseWriter, r *http.Request, saved *backoffice.TrustedDocument,
	parameters url.Values) {
	ctx := r.Context()
	var served served
	defer func() { served.end() }()
	a := g.guarded(ctx, mediaGraphQL, func() answer {
		asked, refused := g.askedBy(ctx, saved, parameters)
		if refused != nil {
			return refusal(mediaGraphQL, refused)
		}
		asked.explain = explainOf(r.Header)
		if r.Method != http.MethodHead {
			return g.respond(ctx, nil, asked, r.Header, mediaGraphQL, &served)
		}
		// Nothing is read: the register would have what is not shown, and the entity tag would tell of it.
		if _, refused := g.prepare(ctx, asked, r.Header, mediaGraphQL, &served); refused != nil {
			return *refused
		}
		return answer{status: http.StatusOK}
	})
	a = withoutFaults(a)
	switch {
	case r.Method == http.MethodHead && a.status == http.StatusOK:
		w.Header()["Content-Type"], w.Header()["Cache-Control"] = contentTypes[mediaJSON], noStore
		w.WriteHeader(a.status)
	case a.data != nil && a.status == http.StatusOK && len(a.errors) == 0 && isKnown(w, r, a.data):
		a.status = http.StatusNotModified
		w.Header()["Cache-Control"] = noStore
		w.WriteHeader(a.status)
	default:
		_ = a.write(w)
	}
	g.done(ctx, &served, a)
}

// withoutFaults makes an answer fail as a whole if it lacks data because of the server. Its status shows every failure.
func withoutFaults(a answer) answer {
	a.media = mediaJSON
	for _, err := range a.errors {
		status := statusOf(codeOfError(err), mediaGraphQL)
		if a.status == http.StatusOK && (status >= http.StatusInternalServerError || string(a.data) == "null") {
			a.status = status
		}
	}
	if a.status >= http.StatusInternalServerError {
		a.data = nil
	}
	return a
}

// isKnown sets an answer's entity tag, and reports whether the client has it.
func isKnown(w http.ResponseWriter, r *http.Request, data []byte) bool {
	tag := `"` + answers.DigestOf(data) + `"`
	w.Header().Set("ETag", tag)
	return hasTag(r.Header, tag)
}

// SavedRequest is the request in a saved query's address. Errors: *RequestError, for a parameter that is no variable,
// does not fit or needs a scope, and for a scope that the whole answer needs and the caller lacks.
func (g *GraphQL) SavedRequest(ctx context.Context, saved *backoffice.TrustedDocument,
	parameters url.Values) (Asked, error) {
	asked, refused := g.askedBy(ctx, saved, parameters)
	if refused != nil {
		return Asked{}, requestError(refused)
	}
	return Asked{asked}, nil
}

func (g *GraphQL) askedBy(ctx context.Context, saved *backoffice.TrustedDocument,
	parameters url.Values) (asked request, _ *gqlerror.Error) {
	document, errs := g.documents.find(known{text: saved.ID, trusted: true}, saved.Text)
	if errs != nil {
		return asked, errs[0]
	}
	operation, refused := document.operation("")
	if refused != nil {
		return asked, refused
	}
	encoded, refused := g.encodeParameters(operation.OperationDefinition, parameters)
	if refused != nil {
		return asked, refused
	}
	parsed, err := parseJSON(string(encoded), g.limits.Nesting)
	if err != nil {
		return asked, failure(codeBadInput, "a parameter was rejected: %s", err)
	}
	asked = request{known: document, variables: parsed.(*object).members, queriesOnly: true}
	values, refused := g.variables(document, operation, asked.variables)
	if refused == nil && g.givesGuarded(document, values, asked.variables) {
		refused = failure(codeBadInput, "input that needs a scope, such as a registration number, is not accepted in a URL; use POST /graphql")
	}
	if refused == nil {
		if missing := missing(ctx, limits.Scopes(g.schema, operation.OperationDefinition, values)); len(missing) > 0 {
			refused = g.Present(ctx, backoffice.MissingScope(backoffice.Scope(missing[0])))
		}
	}
	return asked, refused
}

// encodeParameters writes parameters as a JSON object of variables: lists are repeated parameters, input objects JSON.
func (g *GraphQL) encodeParameters(op *ast.OperationDefinition, parameters url.Values) ([]byte, *gqlerror.Error) {
	b := []byte{'{'}
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		variable := op.VariableDefinitions.ForName(name)
		if variable == nil || slices.Contains(backoffice.ReservedVariables, name) {
			return nil, failure(codeBadInput, "the saved query has no variable \"%s\"", backoffice.ShownName(name))
		}
		values := parameters[name]
		if variable.Type.Elem == nil && len(values) > 1 {
			return nil, failure(codeBadInput, "duplicate parameter \"%s\"", backoffice.ShownName(name))
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(appendEncoded(b, name), ':')
		var fits bool
		if b, fits = g.appendParameter(b, variable.Type, values); !fits {
			return nil, failure(codeBadInput, "the parameter \"%s\" is not of type \"%s\"",
				backoffice.ShownName(name), variable.Type)
		}
	}
	return append(b, '}'), nil
}

func (g *GraphQL) appendParameter(b []byte, expected *ast.Type, values []string) (_ []byte, fits bool) {
	if expected.Elem == nil {
		return g.appendValue(b, expected, values[0])
	}
	b = append(b, '[')
	for i, value := range values {
		if i > 0 {
			b = append(b, ',')
		}
		if b, fits = g.appendValue(b, expected.Elem, value); !fits {
			return b, false
		}
	}
	return append(b, ']'), true
}

// appendValue appends the value of one parameter. An empty one is an empty text, or null where the type is not text.
func (g *GraphQL) appendValue(b []byte, expected *ast.Type, value string) (_ []byte, fits bool) {
	def := g.schema.Types[expected.Name()]
	isText := def.Name == "String" || def.Name == "ID"
	switch {
	case !utf8.ValidString(value) || expected.Elem != nil:
		return b, false
	case isText:
		return appendEncoded(b, value), true
	case value == "":
		return append(b, "null"...), !expected.NonNull
	case def.Name == "Boolean":
		return append(b, value...), value == "true" || value == "false"
	case def.Name == "Int" || def.Name == "Float":
		return append(b, value...), strings.Trim(value, "+-.0123456789Ee") == "" && json.Valid([]byte(value))
	case def.Kind == ast.InputObject || def.Name == "JSON":
		return append(b, value...), json.Valid([]byte(value))
	}
	return appendEncoded(b, value), true
}

// givesGuarded reports whether the given variables hold a value in a guarded place.
func (g *GraphQL) givesGuarded(d *document, values, given map[string]any) bool {
	from := map[string]bool{}
	for name := range given {
		from[name] = values[name] != nil
		if holdsKey(values[name], g.documents.guarded) {
			return true
		}
	}
	return documentHolds(d.ast, g.documents.guarded, from)
}

// holdsKey reports whether a value holds an input object with a value in one of these fields that is not null.
func holdsKey(value any, keys map[string]bool) bool {
	switch value := value.(type) {
	case []any:
		return slices.ContainsFunc(value, func(item any) bool { return holdsKey(item, keys) })
	case map[string]any:
		for name, item := range value {
			if keys[name] && item != nil || holdsKey(item, keys) {
				return true
			}
		}
	}
	return false
}
