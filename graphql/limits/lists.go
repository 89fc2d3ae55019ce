package limits

import (
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"example.org/backoffice/backoffice"
)

// CheckLists limits all values in lists of arguments: each field processes its own lists, so they add up.
func (p *Price) CheckLists(variables map[string]any) *gqlerror.Error {
	if p.lists.of(variables, Rows{}) > p.lists.most {
		return refuse(CodeCost, "the lists of the operation's arguments have more than %d values", p.lists.most)
	}
	return nil
}

// CheckPages checks the pages of connections in a mutation's payloads, before it writes; like their price, also those
// that are skipped. Errors: BadInput.
func (p *Price) CheckPages(variables map[string]any) error {
	for _, field := range p.pages {
		var of backoffice.PageArgs
		for name, into := range map[string]any{"first": &of.First, "last": &of.Last, "page": &of.Page,
			"pageSize": &of.PageSize, "after": &of.After, "before": &of.Before} {
			if given := argument(field, name); given != nil {
				switch value, _ := given.Value(variables); value := value.(type) {
				case int64:
					*into.(**int) = new(int(value))
				case string:
					*into.(**string) = &value
				}
			}
		}
		if _, err := of.Window(backoffice.ByID, anyCursor); err != nil {
			return err
		}
	}
	return nil
}

// anyCursor opens what its list will check.
func anyCursor(string) (order backoffice.Order, at backoffice.Position, err error) {
	return order, at, nil
}

func (p *pricing) arguments(total *sum, field *ast.Field) {
	if field.Definition == nil {
		return
	}
	for _, given := range field.Arguments {
		if defined := field.Definition.Arguments.ForName(given.Name); defined != nil {
			p.add(total, p.valuesIn(given.Value, defined.Type), sum{fixed: 1})
		}
	}
}

// valuesIn is how many values the lists in an argument have, and how many objects are in others.
func (p *pricing) valuesIn(given *ast.Value, expected *ast.Type) amount {
	return amountOf(hasVariable(given), func(variables map[string]any) int {
		value, _ := given.Value(variables) // an unreadable one counts up to its fault, and is rejected later
		return p.valuesInValue(value, expected)
	})
}

// valuesInValue stops beyond what is allowed: a variable's value may stand at a thousand places.
func (p *pricing) valuesInValue(value any, expected *ast.Type) (total int) {
	switch value := value.(type) {
	case []any:
		if expected.Elem == nil {
			return 0 // inside a scalar, which has its own bounds
		}
		total = len(value)
		if expected.Elem.Elem == nil && inputObject(p.schema, expected.Elem) == nil {
			return total // its items have no lists
		}
		for i := 0; i < len(value) && total <= p.listed; i++ {
			total = plus(total, p.valuesInValue(value[i], expected.Elem))
		}
	case map[string]any:
		object := inputObject(p.schema, expected)
		if object == nil {
			return 0
		}
		for name, item := range value {
			if field := object.Fields.ForName(name); field != nil && total <= p.listed {
				if _, isObject := item.(map[string]any); isObject {
					total++
				}
				total = plus(total, p.valuesInValue(item, field.Type))
			}
		}
	}
	return total
}

// inputObject is the input object of a type, or of the items of a list; nil for a scalar.
func inputObject(schema *ast.Schema, expected *ast.Type) *ast.Definition {
	if definition := schema.Types[expected.Name()]; definition != nil && definition.Kind == ast.InputObject {
		return definition
	}
	return nil
}
