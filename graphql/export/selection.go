package export

import (
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
)

// selecting collects selected fields: it follows fragments, merges equal names, and obeys @skip and @include.
type selecting struct {
	fragments ast.FragmentDefinitionList
	variables map[string]any
}

type selected struct {
	alias, name string
	definition  *ast.FieldDefinition
	parent      *ast.Definition
	source      *ast.Field // its first occurrence
	set         ast.SelectionSet
}

// fields returns the fields that a set selects, in order of first occurrence.
func (s *selecting) fields(set ast.SelectionSet) (found []*selected) {
	visited := map[string]bool{}
	var walk func(ast.SelectionSet)
	walk = func(set ast.SelectionSet) {
		for _, part := range set {
			switch part := part.(type) {
			case *ast.Field:
				if !s.includes(part.Directives) {
					continue
				}
				at := slices.IndexFunc(found, func(f *selected) bool { return f.alias == part.Alias })
				if at < 0 {
					at = len(found)
					found = append(found, &selected{alias: part.Alias, name: part.Name, definition: part.Definition,
						parent: part.ObjectDefinition, source: part})
				}
				found[at].set = append(found[at].set, part.SelectionSet...)
			case *ast.InlineFragment:
				if s.includes(part.Directives) {
					walk(part.SelectionSet)
				}
			case *ast.FragmentSpread:
				if s.includes(part.Directives) && !visited[part.Name] {
					visited[part.Name] = true
					walk(s.fragments.ForName(part.Name).SelectionSet)
				}
			}
		}
	}
	walk(set)
	return found
}

// includes decides @skip and @include, as the executor does.
func (s *selecting) includes(directives ast.DirectiveList) bool {
	for _, d := range directives {
		if d.Name != "skip" && d.Name != "include" {
			continue
		}
		value, err := d.Arguments.ForName("if").Value.Value(s.variables)
		if condition, ok := value.(bool); err != nil || !ok || condition == (d.Name == "skip") {
			return false
		}
	}
	return true
}
