package limits

import (
	"maps"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// Scopes lists the scopes that the whole answer of an operation needs, sorted: those of @hasScope on fields that it
// selects, on arguments and input fields with a value other than null, and on enum values that those have.
func Scopes(schema *ast.Schema, operation *ast.OperationDefinition, variables map[string]any) []string {
	s := scoping{schema: schema, variables: variables, found: make(map[string]bool), seen: make(map[string]bool)}
	s.selections(operation.SelectionSet)
	return slices.Sorted(maps.Keys(s.found))
}

type scoping struct {
	schema    *ast.Schema
	variables map[string]any
	found     map[string]bool
	seen      map[string]bool // fragments
}

func (s *scoping) directives(directives ast.DirectiveList) {
	if directive := directives.ForName("hasScope"); directive != nil {
		if scope := directive.Arguments.ForName("scope"); scope != nil {
			s.found[strings.Replace(strings.ToLower(scope.Value.Raw), "_", ".", 1)] = true
		}
	}
}

func (s *scoping) selections(set ast.SelectionSet) {
	for _, selection := range set {
		switch selection := selection.(type) {
		case *ast.Field:
			if selection.Definition != nil {
				s.directives(selection.Definition.Directives)
				s.arguments(selection)
			}
			s.selections(selection.SelectionSet)
		case *ast.InlineFragment:
			s.selections(selection.SelectionSet)
		case *ast.FragmentSpread:
			if selection.Definition != nil && !s.seen[selection.Name] {
				s.seen[selection.Name] = true
				s.selections(selection.Definition.SelectionSet)
			}
		}
	}
}

func (s *scoping) arguments(field *ast.Field) {
	for _, given := range field.Arguments {
		defined := field.Definition.Arguments.ForName(given.Name)
		if defined == nil {
			continue
		}
		value, err := given.Value.Value(s.variables)
		if err != nil || value == nil {
			continue
		}
		s.directives(defined.Directives)
		s.value(s.schema.Types[defined.Type.Name()], value)
	}
}

func (s *scoping) value(def *ast.Definition, value any) {
	switch value := value.(type) {
	case string:
		if named := def.EnumValues.ForName(value); named != nil {
			s.directives(named.Directives)
		}
	case []any:
		for _, item := range value {
			s.value(def, item)
		}
	case map[string]any:
		for name, item := range value {
			if field := def.Fields.ForName(name); field != nil && item != nil {
				s.directives(field.Directives)
				s.value(s.schema.Types[field.Type.Name()], item)
			}
		}
	}
}
