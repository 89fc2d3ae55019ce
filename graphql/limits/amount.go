package limits

import (
	"slices"
	"strconv"

	"github.com/vektah/gqlparser/v2/ast"

	"example.org/backoffice/backoffice"
)

// Rows counts what an operation may have to read.
type Rows struct {
	Of        func(backoffice.Noun) int // how many records of a noun the store has, by a recent count; nil: none
	Uncounted bool                      // no counters answer for what the caller sees
}

func (r Rows) of(noun backoffice.Noun) int {
	if r.Of == nil {
		return 0
	}
	return r.Of(noun)
}

// Nominal is an office of ordinary size: for callers who must not learn the store's, and before it was counted.
var Nominal = Rows{Uncounted: true, Of: func(noun backoffice.Noun) int {
	switch noun {
	case backoffice.NounFinancialYear, backoffice.NounUser, backoffice.NounLabel:
		return 10
	case backoffice.NounChecklist:
		return 100
	}
	return 25_000
}}

// amount is a factor of a price. It may depend on a request's variables and on the size of the store.
type amount struct {
	fixed   int
	varying func(variables map[string]any, rows Rows) int // nil: fixed
}

var one = amount{fixed: 1}

// amountOf is what of returns: evaluated at once, unless it varies.
func amountOf(varies bool, of func(variables map[string]any) int) amount {
	if varies {
		return amount{varying: func(variables map[string]any, _ Rows) int { return of(variables) }}
	}
	return amount{fixed: of(nil)}
}

func (n amount) of(variables map[string]any, rows Rows) int {
	if n.varying != nil {
		return n.varying(variables, rows)
	}
	return n.fixed
}

// existing is how many of a noun there are; the ceiling for changes and accesses, which nobody counts.
func existing(noun backoffice.Noun) amount {
	return amount{varying: func(_ map[string]any, rows Rows) int {
		if noun.Index() < 0 {
			return ceiling
		}
		return rows.of(noun)
	}}
}

// sizeOfConnection is how many nodes a connection may return: the largest of first, last and pageSize.
func sizeOfConnection(field *ast.Field) amount {
	byDefault := backoffice.DefaultPageSize
	if first := field.Definition.Arguments.ForName("first"); first != nil && first.DefaultValue != nil {
		byDefault = integer(first.DefaultValue.Raw)
	}
	sizes := []*ast.Value{argument(field, "first"), argument(field, "last"), argument(field, "pageSize")}
	return amountOf(slices.ContainsFunc(sizes, hasVariable), func(variables map[string]any) int {
		stated := -1
		for _, size := range sizes {
			if n, ok := whole(size, variables); ok {
				stated = max(stated, n)
			}
		}
		if stated < 0 {
			return byDefault
		}
		return min(stated, backoffice.MaxPageSize)
	})
}

// skippedBy is a hundredth of the rows before a numbered page, which the store reads and skips.
func skippedBy(field *ast.Field) amount {
	page, size := argument(field, "page"), sizeOfConnection(field)
	if page == nil {
		return amount{}
	}
	return amountOf(hasVariable(page) || size.varying != nil, func(variables map[string]any) int {
		n, _ := whole(page, variables)
		return times(max(n-1, 0), size.of(variables, Rows{})) / rowsSkippedForOne
	})
}

// variablesOfDiff is for how many variables each list of a transcriptDiff is charged. A questionnaire has fewer.
const variablesOfDiff = 100

// companiesInARow is for how many each path and ring of an ownership is charged. Paths have no more, rings hardly.
const companiesInARow = 20

// sizeOfList is how many objects a list may have: as many as its first argument or its identifiers.
func sizeOfList(field *ast.Field) amount {
	if field.ObjectDefinition != nil && field.Definition.Type.Elem != nil {
		switch field.ObjectDefinition.Name {
		case "DuplicateGroup":
			return amount{fixed: backoffice.MostMembers}
		case "TranscriptDiff":
			return amount{fixed: variablesOfDiff}
		case "OwnershipPath", "OwnershipRing":
			return amount{fixed: companiesInARow}
		}
	}
	if field.Definition.Type.Elem != nil && field.Definition.Arguments.ForName("first") != nil {
		return sizeOfConnection(field)
	}
	ids := argument(field, "ids")
	if field.Definition.Type.Elem == nil || ids == nil {
		return one
	}
	return amountOf(hasVariable(ids), func(variables map[string]any) int {
		value, _ := ids.Value(variables)
		if list, ok := value.([]any); ok {
			return len(list)
		}
		return 1
	})
}

// inputsOf is how many inputs a mutation has: 1 unless it is a batch.
func inputsOf(field *ast.Field) amount {
	inputs := argument(field, "inputs")
	if inputs == nil {
		return one
	}
	return amountOf(hasVariable(inputs), func(variables map[string]any) int {
		value, _ := inputs.Value(variables)
		if list, ok := value.([]any); ok {
			return max(len(list), 1)
		}
		return 1
	})
}

// assignedBy is how many customers assignChecklists may assign to: those it names, or those its filter may match.
func assignedBy(field *ast.Field) amount {
	input := argument(field, "input")
	if input == nil || input.Definition != nil && input.Definition.Name != "AssignChecklistsInput" {
		return amount{}
	}
	return amount{varying: func(variables map[string]any, rows Rows) int {
		value, _ := input.Value(variables)
		fields, _ := value.(map[string]any)
		if fields["filter"] != nil {
			return min(rows.of(backoffice.NounCustomer), backoffice.MaxAssignedByFilter)
		}
		switch ids := fields["customerIds"].(type) {
		case nil:
			return 0
		case []any:
			return len(ids)
		}
		return 1
	}}
}

func hasVariable(value *ast.Value) bool {
	return value != nil && (value.Kind == ast.Variable || slices.ContainsFunc(value.Children,
		func(child *ast.ChildValue) bool { return hasVariable(child.Value) }))
}

// whole is the integer that an argument is given; not ok for none.
func whole(value *ast.Value, variables map[string]any) (n int, ok bool) {
	switch {
	case value == nil:
	case value.Kind == ast.IntValue:
		return integer(value.Raw), true
	case value.Kind == ast.Variable:
		switch n := variables[value.Raw].(type) {
		case int64:
			return int(n), true
		case int:
			return n, true
		}
	}
	return 0, false
}

const workList = "WorkList"

// ofWorkList is in place of the filter that a list of a work list has by itself.
func ofWorkList(field string) *ast.Value {
	terms := ast.ChildValueList{{Name: "financialYearId", Value: &ast.Value{Kind: ast.StringValue}}}
	switch field {
	case "ownershipDiffers", "missingChecklist":
		terms = ast.ChildValueList{{Name: field, Value: &ast.Value{Kind: ast.BooleanValue, Raw: "true"}}}
	case "overdue":
		terms = append(terms, &ast.ChildValue{Name: field, Value: &ast.Value{Kind: ast.BooleanValue, Raw: "true"}})
	}
	return &ast.Value{Kind: ast.ObjectValue, Children: terms}
}

// argument is the value that a field is given, or the schema's default.
func argument(field *ast.Field, name string) *ast.Value {
	if name == "filter" && field.ObjectDefinition != nil && field.ObjectDefinition.Name == workList {
		return ofWorkList(field.Name)
	}
	if given := field.Arguments.ForName(name); given != nil {
		return given.Value
	}
	if defined := field.Definition.Arguments.ForName(name); defined != nil {
		return defined.DefaultValue
	}
	return nil
}

// integer reads a literal, within 0 and ceiling. The resolver rejects one below 0.
func integer(literal string) int {
	n, _ := strconv.Atoi(literal) // the nearest int if it is out of range
	return min(max(n, 0), ceiling)
}
