package limits

import "github.com/vektah/gqlparser/v2/ast"

// validationSteps counts what validating a document would take, and stops soon after it has passed the limit.
//
// Two parts of validation grow faster than the document does. The walk enters each fragment again for every operation
// and every fragment that reaches it. And to learn whether fields of the same response name can be merged, each is
// compared with each other one, sub-selections included. Both are played through here on names alone.
func validationSteps(document *ast.QueryDocument, limit int) int {
	walk := walking{document: document, limit: limit}
	steps := walk.steps()
	if steps > limit {
		return steps
	}
	compare := comparing{
		limit:     limit,
		steps:     steps,
		fragments: walk.fragments,
		sets:      make(map[setKey]*fieldSet),
		pairs:     make(map[[2]string]bool),
		joins:     make(map[join]bool),
	}
	for _, operation := range document.Operations {
		compare.everywhere(operation.SelectionSet)
	}
	for _, fragment := range document.Fragments {
		compare.everywhere(fragment.SelectionSet)
	}
	return compare.steps
}

// walking counts the selections, arguments and values that the validator's walk visits.
type walking struct {
	document  *ast.QueryDocument
	limit     int
	fragments map[string]*ast.FragmentDefinition
	sizes     map[string]int
	calls     map[string][]string
}

func (w *walking) steps() int {
	w.fragments = make(map[string]*ast.FragmentDefinition, len(w.document.Fragments))
	w.sizes = make(map[string]int, len(w.document.Fragments))
	w.calls = make(map[string][]string, len(w.document.Fragments))
	for _, fragment := range w.document.Fragments {
		if w.fragments[fragment.Name] == nil {
			w.fragments[fragment.Name] = fragment
			w.sizes[fragment.Name], w.calls[fragment.Name] = sizeOf(fragment.SelectionSet, nil)
		}
	}
	total := 0
	for _, operation := range w.document.Operations {
		size, calls := sizeOf(operation.SelectionSet, nil)
		if total += size + len(operation.VariableDefinitions) + w.reach(calls); total > w.limit {
			return total
		}
	}
	for _, fragment := range w.document.Fragments {
		if total += w.sizes[fragment.Name] + w.reach(w.calls[fragment.Name]); total > w.limit {
			return total
		}
	}
	return total
}

// reach is the size of all fragments that can be reached, each once.
func (w *walking) reach(calls []string) int {
	if len(calls) == 0 {
		return 0
	}
	var (
		total   = 0
		seen    = make(map[string]bool)
		waiting = append([]string(nil), calls...)
	)
	for len(waiting) > 0 && total <= w.limit {
		name := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		if seen[name] {
			continue
		}
		seen[name] = true
		total += w.sizes[name]
		waiting = append(waiting, w.calls[name]...)
	}
	return total
}

// sizeOf counts the selections, arguments and values of a selection set and lists the fragments that it spreads.
func sizeOf(set ast.SelectionSet, calls []string) (int, []string) {
	size := len(set)
	for _, selection := range set {
		inner := 0
		switch selection := selection.(type) {
		case *ast.Field:
			size += weightOf(selection.Arguments) + len(selection.Directives)
			inner, calls = sizeOf(selection.SelectionSet, calls)
		case *ast.InlineFragment:
			size += len(selection.Directives)
			inner, calls = sizeOf(selection.SelectionSet, calls)
		case *ast.FragmentSpread:
			size += len(selection.Directives)
			calls = append(calls, selection.Name)
		}
		size += inner
	}
	return size, calls
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
