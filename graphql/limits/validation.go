package limits

import (
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
)

// validationSteps bounds the steps of validating a document, and stops soon after the limit. The validator walks a
// fragment again for each path to it, and compares each two fields of one response name. So this builds the paths of
// the answer, and each field counts the fields that its path has already.
func validationSteps(document *ast.QueryDocument, limit int) int {
	m := merging{limit: limit, fragments: map[string]*ast.FragmentDefinition{}, within: map[string]bool{}}
	for _, fragment := range slices.Backward(document.Fragments) { // the first of a name counts
		m.fragments[fragment.Name] = fragment
	}
	for _, operation := range document.Operations {
		m.steps += len(operation.VariableDefinitions)
		m.selections(&spot{}, operation.SelectionSet, 1)
	}
	for _, fragment := range document.Fragments {
		m.spread(&spot{}, fragment.Name, 1)
	}
	if m.circular && !m.full() {
		m.steps *= m.steps // in a small document the validator reports the cycle
	}
	return m.steps
}

type merging struct {
	limit, steps int
	fragments    map[string]*ast.FragmentDefinition
	within       map[string]bool // fragments that are being followed
	circular     bool
}

// spot is a path of the answer.
type spot struct {
	fields  int // at this path, with their arguments
	below   map[string]*spot
	spreads map[string]bool // fragments that were followed here
}

func (m *merging) full() bool { return m.steps > m.limit }

// selections adds fields to their paths. Each enclosing inline fragment compares them once more: times.
func (m *merging) selections(at *spot, set ast.SelectionSet, times int) {
	for _, selection := range set {
		if m.steps++; m.full() {
			return
		}
		switch selection := selection.(type) {
		case *ast.Field:
			m.steps += len(selection.Directives)
			m.field(at, selection, times)
		case *ast.InlineFragment:
			m.steps += len(selection.Directives)
			m.selections(at, selection.SelectionSet, times+1)
		case *ast.FragmentSpread:
			m.steps += len(selection.Directives)
			m.spread(at, selection.Name, times)
		}
	}
}

func (m *merging) field(at *spot, field *ast.Field, times int) {
	in := at.below[field.Alias]
	if in == nil {
		if at.below == nil {
			at.below = map[string]*spot{}
		}
		in = &spot{}
		at.below[field.Alias] = in
	}
	weight := 1 + weightOf(field.Arguments)
	m.steps += weight - 1 + times*weight*in.fields
	in.fields += weight
	m.selections(in, field.SelectionSet, times)
}

func (m *merging) spread(at *spot, name string, times int) {
	switch fragment := m.fragments[name]; {
	case fragment == nil || at.spreads[name]:
	case m.within[name]:
		m.circular = true
	default:
		if at.spreads == nil {
			at.spreads = map[string]bool{}
		}
		at.spreads[name], m.within[name] = true, true
		m.selections(at, fragment.SelectionSet, times)
		m.within[name] = false
	}
}

func weightOf(arguments ast.ArgumentList) int {
	weight := 0
	for _, argument := range arguments {
		weight += 1 + weightOfValue(argument.Value)
	}
	return weight
}

func weightOfValue(value *ast.Value) int {
	if value == nil {
		return 0
	}
	weight := 0
	for _, child := range value.Children {
		weight += 1 + weightOfValue(child.Value)
	}
	return weight
}
