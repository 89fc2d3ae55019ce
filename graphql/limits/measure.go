package limits

import (
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// ceiling is where sums stop growing: far above every limit, far below an overflow.
const ceiling = 1 << 40

// Measure bounds a parsed document before it is validated, and returns the depth of its deepest operation. It needs no
// schema and tolerates unknown and cyclic fragments.
func (s Settings) Measure(document *ast.QueryDocument) (depth int, refused *gqlerror.Error) {
	m := measuring{fragments: make(map[string]*measured, len(document.Fragments))}
	for _, fragment := range document.Fragments {
		if _, known := m.fragments[fragment.Name]; !known {
			m.fragments[fragment.Name] = &measured{set: fragment.SelectionSet}
		}
	}
	for _, operation := range document.Operations {
		extent := m.selections(operation.SelectionSet)
		depth = max(depth, extent.depth)
		switch {
		case extent.depth > s.Depth:
			return depth, refuse(CodeDepth, "the document is deeper than %d fields", s.Depth)
		case extent.width > s.RootFields:
			return depth, refuse(CodeCost, "an operation has more than %d root fields", s.RootFields)
		case extent.introspectionDepth > s.IntrospectionDepth:
			return depth, refuse(CodeDepth, "introspection is deeper than %d fields", s.IntrospectionDepth)
		case extent.introspection > s.IntrospectionCost:
			return depth, refuse(CodeCost, "introspection asks for more than %d fields", s.IntrospectionCost)
		}
	}
	if validationSteps(document, s.Validation) > s.Validation {
		return depth, refuse(CodeCost, "the document repeats its fields or fragments too often to be validated")
	}
	return depth, nil
}

type extent struct {
	depth              int // nested fields
	width              int // fields at the first level
	introspectionDepth int // the same below __schema or __type
	introspection      int // estimated fields of the answer below __schema or __type
	inner              int // estimated fields of the answer if this set is itself below one
	full               int // depth including introspection
}

type measured struct {
	set    ast.SelectionSet
	extent extent
	state  uint8
}

const (
	unseen uint8 = iota
	entered
	done
)

type measuring struct{ fragments map[string]*measured }

func (m *measuring) fragment(name string) extent {
	fragment := m.fragments[name]
	if fragment == nil || fragment.state == entered {
		return extent{}
	}
	if fragment.state == unseen {
		fragment.state = entered
		fragment.extent = m.selections(fragment.set)
		fragment.state = done
	}
	return fragment.extent
}

func (m *measuring) selections(set ast.SelectionSet) (sum extent) {
	for _, selection := range set {
		var one extent
		switch selection := selection.(type) {
		case *ast.Field:
			one = m.field(selection)
		case *ast.InlineFragment:
			one = m.selections(selection.SelectionSet)
		case *ast.FragmentSpread:
			one = m.fragment(selection.Name)
		}
		sum.depth = max(sum.depth, one.depth)
		sum.full = max(sum.full, one.full)
		sum.introspectionDepth = max(sum.introspectionDepth, one.introspectionDepth)
		sum.width = plus(sum.width, one.width)
		sum.introspection = plus(sum.introspection, one.introspection)
		sum.inner = plus(sum.inner, one.inner)
	}
	return sum
}

func (m *measuring) field(field *ast.Field) extent {
	below := m.selections(field.SelectionSet)
	one := extent{
		depth:              below.depth + 1,
		full:               below.full + 1,
		width:              1,
		introspectionDepth: below.introspectionDepth,
		introspection:      below.introspection,
		inner:              times(introspectionSize(field.Name), plus(1, below.inner)),
	}
	if field.Name == "__schema" || field.Name == "__type" {
		one.depth = 1
		one.introspectionDepth = max(one.introspectionDepth, below.full)
		one.introspection = plus(one.introspection, one.inner)
	}
	return one
}

// introspectionSize estimates the length of an introspection list, for a schema of our size.
func introspectionSize(field string) int {
	switch field {
	case "types":
		return 100
	case "fields", "inputFields", "possibleTypes":
		return 10
	case "enumValues", "directives":
		return 8
	case "args":
		return 5
	case "interfaces":
		return 2
	}
	return 1
}

func plus(a, b int) int { return min(a+b, ceiling) }

func times(a, b int) int {
	if a != 0 && b > ceiling/a {
		return ceiling
	}
	return a * b
}
