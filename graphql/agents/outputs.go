package agents

import (
	"cmp"
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
)

// field is what an answer has under a name: the fields of all fragments together.
type field struct {
	alias  string
	source *ast.Field // its first occurrence
	sure   bool       // it is there whatever the type and the variables
	below  []*field
	done   map[*ast.FragmentDefinition]bool // what is in below, and whether as sure
}

// selected returns the fields of a selection, in order of first occurrence.
func selected(set ast.SelectionSet) []*field {
	return merge(nil, set, true, map[*ast.FragmentDefinition]bool{})
}

// merge follows a fragment only once for each object, or again if it now certainly applies: fragments may spread each
// other in so many ways that following all of them never ends.
func merge(into []*field, set ast.SelectionSet, sure bool, done map[*ast.FragmentDefinition]bool) []*field {
	for _, part := range set {
		switch part := part.(type) {
		case *ast.Field:
			at := slices.IndexFunc(into, func(f *field) bool { return f.alias == part.Alias })
			if at < 0 {
				at = len(into)
				into = append(into, &field{alias: part.Alias, source: part, done: map[*ast.FragmentDefinition]bool{}})
			}
			f, always := into[at], sure && len(part.Directives) == 0
			f.sure = f.sure || always
			f.below = merge(f.below, part.SelectionSet, always, f.done)
		case *ast.InlineFragment:
			same := part.TypeCondition == "" ||
				part.ObjectDefinition != nil && part.TypeCondition == part.ObjectDefinition.Name
			into = merge(into, part.SelectionSet, sure && same && len(part.Directives) == 0, done)
		case *ast.FragmentSpread:
			same := part.ObjectDefinition != nil && part.Definition.TypeCondition == part.ObjectDefinition.Name
			always := sure && same && len(part.Directives) == 0
			if was, known := done[part.Definition]; !known || always && !was {
				done[part.Definition] = always
				into = merge(into, part.Definition.SelectionSet, always, done)
			}
		}
	}
	return into
}

// isRows reports whether a field is a list of objects, which an answer may cut.
func (f *field) isRows() bool { return f.below != nil && f.source.Definition.Type.Elem != nil }

// outputs describes the answer of an operation.
func outputs(of *ast.OperationDefinition) schema { return members(selected(of.SelectionSet)) }

func members(fields []*field) schema {
	properties, required := schema{}, []string{}
	for _, f := range fields {
		properties[f.alias] = f.output(f.source.Definition.Type)
		if f.sure {
			required = append(required, f.alias)
		}
	}
	object := schema{"type": "object", "properties": properties}
	if len(required) > 0 {
		object["required"] = required
	}
	return object
}

func (f *field) output(of *ast.Type) schema {
	var made schema
	switch {
	case of.Elem != nil:
		made = schema{"type": "array", "items": f.output(of.Elem)}
	case f.below != nil:
		made = members(f.below)
	case of.NamedType == "JSONValue":
		return schema{} // of any type
	default:
		made = schema{"type": jsonType(of.NamedType)}
	}
	if !of.NonNull {
		made["type"] = []any{made["type"], "null"}
	}
	return made
}

// jsonType is the type of a scalar or an enum in JSON.
func jsonType(name string) string { return cmp.Or(jsonTypes[name], "string") }

var jsonTypes = map[string]string{"Int": "integer", "Float": "number", "Boolean": "boolean", "JSON": "object"}
