package graphqlhttp

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/limits"
)

// Checker checks documents that are to be stored, by the rules for those that are sent.
type Checker struct{ documents *documents }

// NewChecker makes the checker of a schema and its limits. It is safe for concurrent use.
func NewChecker(schema *ast.Schema, settings limits.Settings) *Checker {
	settings.Documents = 0 // keeps no parsed ones
	return &Checker{newDocuments(schema, settings)}
}

func (c *Checker) CheckDocument(text string, trusted bool) (*backoffice.CheckedDocument, []backoffice.DocumentFault) {
	switch {
	case len(text) > backoffice.MaxTrustedText:
		return nil, fault("a document has at most %d bytes", backoffice.MaxTrustedText)
	case !utf8.ValidString(text) || strings.Contains(text, "\x00"):
		return nil, fault("the document is not valid UTF-8")
	}
	held := c.documents.limits
	if trusted {
		held = trustedLimits(held)
	}
	d, errs := c.documents.prepare(text, held)
	if errs != nil {
		return nil, faultsOf(errs)
	}
	switch {
	case len(d.operations) > 1:
		return nil, fault("the document has several operations; split it into one document each")
	case d.guarded:
		return nil, fault("the document contains a value that needs a scope, such as a registration number: make it a variable")
	}
	op := d.operations[0]
	least, most := c.extremes(op.OperationDefinition, d.constants)
	if refused := op.price.Check(op.price.Cost(least, ordinary)); refused != nil {
		return nil, faultsOf(gqlerror.List{refused})
	}
	checked := &backoffice.CheckedDocument{Name: op.Name, Kind: string(op.Operation),
		Description: describe(op.OperationDefinition)}
	if cost := op.price.Cost(least, ordinary); cost == op.price.Cost(most, ordinary) {
		checked.Cost = &cost
	}
	for _, scope := range limits.Scopes(c.documents.schema, op.OperationDefinition, most) {
		checked.Scopes = append(checked.Scopes, backoffice.Scope(scope))
	}
	for _, variable := range op.VariableDefinitions {
		checked.Variables = append(checked.Variables, variable.Variable)
	}
	return checked, nil
}

// extremes returns the variables with which an operation costs the least and the most, when only the required ones are
// given: optional ones can only raise the cost.
func (c *Checker) extremes(operation *ast.OperationDefinition, constants map[string]any) (least, most map[string]any) {
	least, most = map[string]any{}, map[string]any{}
	for name, constant := range constants {
		least[name], most[name] = constant, constant
	}
	for _, variable := range operation.VariableDefinitions {
		name := variable.Variable
		switch def := c.documents.schema.Types[variable.Type.Name()]; {
		case variable.DefaultValue != nil:
			value, err := variable.DefaultValue.Value(constants)
			if err == nil {
				least[name], most[name] = value, value
			}
		case !variable.Type.NonNull:
		case variable.Type.Elem != nil:
			least[name], most[name] = []any{}, make([]any, 2)
		case def != nil && def.Kind == ast.InputObject:
			least[name], most[name] = map[string]any{}, map[string]any{"": true}
		case variable.Type.NamedType == "Int":
			least[name], most[name] = int64(0), int64(math.MaxInt32)
		default:
			least[name], most[name] = "given", "given"
		}
	}
	return least, most
}

func describe(operation *ast.OperationDefinition) string {
	if operation.Description != "" {
		return operation.Description
	}
	var lines []string
	if operation.Comment != nil {
		for _, comment := range operation.Comment.List {
			line, _ := strings.CutPrefix(strings.TrimSpace(comment.Value), "#")
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return strings.Join(lines, "\n")
}

func fault(format string, args ...any) []backoffice.DocumentFault {
	return []backoffice.DocumentFault{{Message: backoffice.Errorf(backoffice.BadInput, format, args...).Message}}
}

func faultsOf(errs gqlerror.List) []backoffice.DocumentFault {
	faults := make([]backoffice.DocumentFault, len(errs))
	for i, err := range errs {
		faults[i].Message = err.Message
		if len(err.Locations) > 0 {
			faults[i].Line, faults[i].Column = err.Locations[0].Line, err.Locations[0].Column
		}
	}
	return faults
}

// ordinary is the size of an office for which a document is priced when it is saved: a filtered count costs 100.
var ordinary = limits.Rows{Of: func(backoffice.Noun) int { return 2_980 }}
