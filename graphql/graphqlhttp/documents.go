package graphqlhttp

import (
	"context"
	"crypto/sha256"
	"strings"

	"github.com/maypok86/otter/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/lexer"
	"github.com/vektah/gqlparser/v2/parser"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/answers"
	"example.org/backoffice/graphql/limits"
)

// documents prepares documents and caches, by their text, those that passed: parsed, validated and priced. Its
// documents are shared and must not be changed.
type documents struct {
	schema *ast.Schema
	limits limits.Settings
	known  *otter.Cache[known, *document]

	guarded map[string]bool // the names of inputs that need a scope
}

// known is the key of a document: its text, or the identifier of a trusted one. A text never matches an identifier.
type known struct {
	text    string
	trusted bool
}

// document is a query document that may be executed, if its cost allows it.
type document struct {
	text       string
	ast        *ast.QueryDocument
	constants  map[string]any                   // see exact
	notNull    map[*ast.VariableDefinition]bool // see validate
	shape      string
	depth      int
	digest     [sha256.Size]byte // of the text
	keepable   bool              // answers depend on nothing but what they read or tell: see package answers
	operations []operation
	weight     uint32 // estimated bytes
	guarded    bool   // never cached, nor anything made of it: see holdsGuarded
}

type operation struct {
	*ast.OperationDefinition
	price *limits.Price
}

// bytesPerToken was measured: the memory of a parsed token, validation's notes included.
const bytesPerToken = 256

func newDocuments(schema *ast.Schema, settings limits.Settings) *documents {
	d := &documents{schema: schema, limits: settings, guarded: guardedNames(schema)}
	if settings.Documents > 0 {
		d.known = otter.Must(&otter.Options[known, *document]{
			MaximumWeight: uint64(settings.Documents),
			Weigher:       func(_ known, entry *document) uint32 { return entry.weight },
		})
	}
	return d
}

// documentOf finds the requested document. A text alone skips trusted ones, unless the caller may send no other.
func (g *GraphQL) documentOf(ctx context.Context, asked request) (*document, gqlerror.List) {
	switch {
	case asked.known != nil:
		return asked.known, nil
	case asked.documentID == "" && asked.query != "" && !backoffice.TrustedOnly(ctx):
		return g.documents.get(asked.query)
	}
	return g.trusted(ctx, asked)
}

func (d *documents) get(text string) (*document, gqlerror.List) {
	return d.find(known{text: text}, text)
}

func (d *documents) find(by known, text string) (*document, gqlerror.List) {
	held := d.limits
	if by.trusted {
		held = trustedLimits(held)
	}
	if d.known == nil {
		return d.prepare(text, held)
	}
	if entry, ok := d.known.GetIfPresent(by); ok {
		return entry, nil
	}
	text = strings.Clone(text) // a part of a whole body, which would stay in memory with it
	if !by.trusted {
		by.text = text
	}
	entry, errs := d.prepare(text, held)
	if errs == nil && !entry.guarded {
		d.known.Set(by, entry)
	}
	return entry, errs
}

// prepare parses, validates and prices a document within limits.
func (d *documents) prepare(text string, held limits.Settings) (*document, gqlerror.List) {
	scan, refused := held.Scan(text)
	if refused != nil {
		return nil, gqlerror.List{refused}
	}
	parsed, err := parser.ParseQuery(&ast.Source{Input: text})
	if err != nil || scan.Broken != nil {
		return nil, gqlerror.List{syntaxError(text, err)}
	}
	if len(parsed.Operations) == 0 {
		return nil, gqlerror.List{failure(codeValidation, "the document has no operation")}
	}
	depth, refused := held.Measure(parsed)
	if refused != nil {
		return nil, gqlerror.List{refused}
	}
	for _, fragment := range parsed.Fragments {
		if len(fragment.VariableDefinition) > 0 { // gqlparser accepts this proposal, which never became GraphQL
			refused := failure(codeParse, "Syntax Error: a fragment has no variables of its own")
			refused.Locations = []gqlerror.Location{{Line: fragment.Position.Line, Column: fragment.Position.Column}}
			return nil, gqlerror.List{refused}
		}
	}
	constants, notNull, errs := validate(d.schema, parsed, held.ValidationErrors)
	if errs != nil {
		return nil, errs
	}
	entry := &document{
		text:      text,
		ast:       parsed,
		constants: constants,
		notNull:   notNull,
		shape:     scan.Shape,
		guarded:   holdsGuarded(parsed, d.guarded),
		depth:     depth,
		digest:    sha256.Sum256([]byte(text)),
		weight:    uint32(len(text) + bytesPerToken*(scan.Tokens+8)),
	}
	entry.keepable = answers.Keepable(d.schema, parsed) && !takesGuarded(parsed, d.guarded)
	for _, definition := range parsed.Operations {
		entry.operations = append(entry.operations, operation{definition, d.limits.Price(d.schema, definition)})
	}
	return entry, nil
}

// operation finds the operation to execute: the one of that name, or the only one.
func (d *document) operation(name string) (operation, *gqlerror.Error) {
	for _, candidate := range d.operations {
		if name != "" && candidate.Name == name || name == "" && len(d.operations) == 1 {
			return candidate, nil
		}
	}
	if name == "" {
		return operation{}, failure(codeBadInput, "the document has several operations; set operationName")
	}
	return operation{}, failure(codeBadInput, "the document has no operation named in operationName")
}

// quotes precede the position that gqlparser notes of a text, by the kind of a token or a value.
var quotes = map[any]int{lexer.String: 1, lexer.BlockString: 3, ast.StringValue: 1, ast.BlockValue: 3}

// syntaxError reports where a document stops being GraphQL, by the kind of token: the text of one may be a value.
func syntaxError(text string, err error) *gqlerror.Error {
	found, known := err.(*gqlerror.Error)
	if !known || len(found.Locations) == 0 {
		return failure(codeParse, "Syntax Error")
	}
	at := found.Locations[0]
	result := failure(codeParse, "Syntax Error: an invalid token")
	result.Locations = found.Locations
	words := lexer.New(&ast.Source{Input: text})
	for {
		word, err := words.ReadToken()
		if err != nil {
			return result
		}
		if word.Pos.Line == at.Line && word.Pos.Column == at.Column || word.Kind == lexer.EOF {
			result.Message = "Syntax Error: unexpected " + word.Kind.String()
			result.Locations = []gqlerror.Location{{Line: at.Line, Column: at.Column - quotes[word.Kind]}}
			return result
		}
	}
}
