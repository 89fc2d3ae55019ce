package limits

import (
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// Every field works off the lists that it is given, such as identifiers, again: one variable with many of them costs the
// more the more fields take it. What counts is the sum over an operation, each spread of a fragment followed.

// CheckLists refuses an operation whose fields are given too many values in lists.
func (p *Price) CheckLists(variables map[string]any) *gqlerror.Error {
	if p.lists.of(variables) > p.listed {
		return refuse(CodeCost, "the lists of the operation's arguments have more than %d values", p.listed)
	}
	return nil
}

// arguments adds the values in the lists that a field is given.
func (p *pricing) arguments(total *sum, field *ast.Field) {
	if field.Definition == nil {
		return
	}
	for _, given := range field.Arguments {
		if defined := field.Definition.Arguments.ForName(given.Name); defined != nil {
			p.add(total, valuesIn{p.schema, given.Value, defined.Type}, sum{fixed: 1})
		}
	}
}

// valuesIn is how many values the lists in an argument have.
type valuesIn struct {
	schema   *ast.Schema
	value    *ast.Value
	expected *ast.Type
}

func (n valuesIn) constant() bool { return !hasVariable(n.value) }

func (n valuesIn) of(variables map[string]any) int {
	return n.inLiteral(n.value, n.expected, variables)
}

func (n valuesIn) inLiteral(value *ast.Value, expected *ast.Type, variables map[string]any) (total int) {
	switch value.Kind {
	case ast.Variable:
		return n.inValue(variables[value.Raw], expected)
	case ast.ListValue:
		if expected.Elem == nil {
			return 0 // inside a scalar, which has bounds of its own
		}
		total = len(value.Children)
		for _, child := range value.Children {
			total = plus(total, n.inLiteral(child.Value, expected.Elem, variables))
		}
	case ast.ObjectValue:
		for _, child := range value.Children {
			if field := n.field(expected, child.Name); field != nil {
				total = plus(total, n.inLiteral(child.Value, field.Type, variables))
			}
		}
	}
	return total
}

func (n valuesIn) inValue(value any, expected *ast.Type) (total int) {
	switch value := value.(type) {
	case []any:
		if expected.Elem == nil {
			return 0
		}
		total = len(value)
		if n.isScalar(expected.Elem) {
			return total
		}
		for _, item := range value {
			total = plus(total, n.inValue(item, expected.Elem))
		}
	case map[string]any:
		for name, item := range value {
			if field := n.field(expected, name); field != nil {
				total = plus(total, n.inValue(item, field.Type))
			}
		}
	}
	return total
}

func (n valuesIn) isScalar(expected *ast.Type) bool {
	return expected.Elem == nil && n.object(expected) == nil
}

func (n valuesIn) object(expected *ast.Type) *ast.Definition {
	if definition := n.schema.Types[expected.NamedType]; definition != nil && definition.Kind == ast.InputObject {
		return definition
	}
	return nil
}

// field of an input object; one alone may stand for a list of it.
func (n valuesIn) field(expected *ast.Type, name string) *ast.FieldDefinition {
	for expected.Elem != nil {
		expected = expected.Elem
	}
	if definition := n.object(expected); definition != nil {
		return definition.Fields.ForName(name)
	}
	return nil
}
