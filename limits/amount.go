package limits

import (
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"example.org/backoffice/backoffice"
)

// amount is a factor of a price that a request's variables may change.
type amount interface {
	of(variables map[string]any) int
	constant() bool // whether it is the same for all variables
}

type literal int

const one literal = 1

func (n literal) of(map[string]any) int { return int(n) }
func (n literal) constant() bool        { return true }

// pageSize is how many nodes a connection may answer with.
type pageSize struct {
	stated    int      // the largest literal; -1 if there is none
	byDefault int      // what none of them stands for
	variables []string // each may state another one
}

// sizeOfConnection reads first, last or pageSize; two of them at once are refused by the resolver, the larger counts.
func sizeOfConnection(field *ast.Field) pageSize {
	n := pageSize{stated: -1, byDefault: backoffice.DefaultPageSize}
	if first := field.Definition.Arguments.ForName("first"); first != nil && first.DefaultValue != nil {
		n.byDefault = integer(first.DefaultValue.Raw)
	}
	for _, name := range [...]string{"first", "last", "pageSize"} {
		value := argument(field, name)
		switch {
		case value == nil:
		case value.Kind == ast.Variable:
			n.variables = append(n.variables, value.Raw)
		case value.Kind == ast.IntValue:
			n.stated = max(n.stated, integer(value.Raw))
		}
	}
	return n
}

func (n pageSize) constant() bool { return len(n.variables) == 0 }

func (n pageSize) of(variables map[string]any) int {
	stated := n.stated
	for _, name := range n.variables {
		if value, ok := whole(variables[name]); ok {
			stated = max(stated, value)
		}
	}
	if stated < 0 {
		return n.byDefault
	}
	return min(stated, backoffice.MaxPageSize)
}

// skipped is a hundredth of the rows that lie before a numbered page: the store walks over them.
type skipped struct {
	page     int    // a literal; 0 if there is none
	variable string // or the variable that states it
	size     pageSize
}

func skippedBy(field *ast.Field) amount {
	value := argument(field, "page")
	switch {
	case value == nil:
	case value.Kind == ast.Variable:
		return skipped{variable: value.Raw, size: sizeOfConnection(field)}
	case value.Kind == ast.IntValue:
		return skipped{page: integer(value.Raw), size: sizeOfConnection(field)}
	}
	return literal(0)
}

func (n skipped) constant() bool { return n.variable == "" && n.size.constant() }

func (n skipped) of(variables map[string]any) int {
	page := n.page
	if value, ok := whole(variables[n.variable]); ok {
		page = value
	}
	return times(max(page-1, 0), n.size.of(variables)) / rowsSkippedForOne
}

// listLength is how many values the list of a variable has.
type listLength string

// sizeOfList reads how many identifiers a field that answers with a list of objects is given.
func sizeOfList(field *ast.Field) amount {
	if field.Definition.Type.Elem == nil {
		return one
	}
	value := argument(field, "ids")
	switch {
	case value == nil:
	case value.Kind == ast.Variable:
		return listLength(value.Raw)
	case value.Kind == ast.ListValue:
		return literal(len(value.Children))
	}
	return one
}

func (n listLength) constant() bool { return false }

func (n listLength) of(variables map[string]any) int {
	if list, ok := variables[string(n)].([]any); ok {
		return len(list)
	}
	return 1
}

// filtered is 1 for a filter that asks for something, be it what cannot be read, and 0 for one that is null or holds nothing but
// nulls.
type filtered struct{ filter *ast.Value }

func (n filtered) constant() bool { return !hasVariable(n.filter) }

func (n filtered) of(variables map[string]any) int {
	if value, err := n.filter.Value(variables); err == nil && !given(value) {
		return 0
	}
	return 1
}

func hasVariable(value *ast.Value) bool {
	if value.Kind == ast.Variable {
		return true
	}
	for _, child := range value.Children {
		if hasVariable(child.Value) {
			return true
		}
	}
	return false
}

func given(value any) bool {
	fields, isObject := value.(map[string]any)
	if !isObject {
		return value != nil
	}
	for _, field := range fields {
		if field != nil {
			return true
		}
	}
	return false
}

func whole(value any) (int, bool) {
	switch n := value.(type) {
	case int64:
		return int(n), true
	case int:
		return n, true
	}
	return 0, false
}

// argument is the value that a field is given, or the default that the schema has for it.
func argument(field *ast.Field, name string) *ast.Value {
	if given := field.Arguments.ForName(name); given != nil {
		return given.Value
	}
	if defined := field.Definition.Arguments.ForName(name); defined != nil {
		return defined.DefaultValue
	}
	return nil
}

// integer reads a literal; one that does not fit is as large as any.
func integer(literal string) int {
	n := 0
	for _, digit := range strings.TrimPrefix(literal, "-") {
		n = min(n*10+int(digit-'0'), ceiling)
	}
	if strings.HasPrefix(literal, "-") {
		return 0 // refused by the resolver
	}
	return n
}
