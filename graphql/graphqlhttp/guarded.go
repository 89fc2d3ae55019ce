package graphqlhttp

import (
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
)

// The time to answer a document must not reveal what others search for. Documents that hold a guarded value, such as a
// registration number in a filter, are prepared each time; those with a variable there are cached.

const scopeDirective = "hasScope"

func guardedNames(schema *ast.Schema) map[string]bool {
	names := map[string]bool{}
	for _, definition := range schema.Types {
		for _, field := range definition.Fields {
			if definition.Kind == ast.InputObject && field.Directives.ForName(scopeDirective) != nil {
				names[field.Name] = true
			}
			for _, argument := range field.Arguments {
				if argument.Directives.ForName(scopeDirective) != nil {
					names[argument.Name] = true
				}
			}
		}
	}
	return names
}

// holdsGuarded reports whether a document has a value in a guarded place, even as the default of a variable.
func holdsGuarded(document *ast.QueryDocument, guarded map[string]bool) bool {
	for _, operation := range document.Operations {
		defaults := map[string]bool{}
		for _, variable := range operation.VariableDefinitions {
			if value := variable.DefaultValue; value != nil && value.Kind != ast.NullValue {
				defaults[variable.Variable] = true
				if valueHolds(value, guarded, nil) {
					return true
				}
			}
		}
		holds := func(f *ast.FragmentDefinition) bool { return selectionHolds(f.SelectionSet, guarded, defaults) }
		if selectionHolds(operation.SelectionSet, guarded, defaults) || slices.ContainsFunc(document.Fragments, holds) {
			return true
		}
	}
	return false
}

// takesGuarded reports whether a document gives a guarded place a value or a variable, whatever that is.
func takesGuarded(document *ast.QueryDocument, guarded map[string]bool) bool {
	given := map[string]bool{}
	for _, operation := range document.Operations {
		for _, variable := range operation.VariableDefinitions {
			given[variable.Variable] = true
		}
	}
	return holdsGuarded(document, guarded) || documentHolds(document, guarded, given)
}

func documentHolds(document *ast.QueryDocument, guarded, given map[string]bool) bool {
	return slices.ContainsFunc(document.Operations,
		func(o *ast.OperationDefinition) bool { return selectionHolds(o.SelectionSet, guarded, given) }) ||
		slices.ContainsFunc(document.Fragments,
			func(f *ast.FragmentDefinition) bool { return selectionHolds(f.SelectionSet, guarded, given) })
}

func selectionHolds(selections ast.SelectionSet, guarded, defaults map[string]bool) bool {
	for _, selection := range selections {
		var below ast.SelectionSet
		switch selection := selection.(type) {
		case *ast.Field:
			for _, a := range selection.Arguments {
				if guarded[a.Name] && isGiven(a.Value, defaults) || valueHolds(a.Value, guarded, defaults) {
					return true
				}
			}
			below = selection.SelectionSet
		case *ast.InlineFragment:
			below = selection.SelectionSet
		}
		if selectionHolds(below, guarded, defaults) {
			return true
		}
	}
	return false
}

func valueHolds(value *ast.Value, guarded, defaults map[string]bool) bool {
	return slices.ContainsFunc(value.Children, func(child *ast.ChildValue) bool {
		return guarded[child.Name] && isGiven(child.Value, defaults) || valueHolds(child.Value, guarded, defaults)
	})
}

func isGiven(value *ast.Value, defaults map[string]bool) bool {
	if value.Kind == ast.Variable {
		return defaults[value.Raw]
	}
	return value.Kind != ast.NullValue
}
