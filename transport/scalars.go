package transport

import (
	"encoding/json"

	"github.com/vektah/gqlparser/v2/ast"

	"example.org/backoffice/backoffice"
)

// scalars decode the schema's own scalars, so that a value that does not fit is refused before anything runs. The
// generated code takes what they return. Of a JSON only its kind is looked at: what an object may hold is a rule of the
// domain, and told as any other of its rules.
var scalars = map[string]func(value any) (decoded any, ok bool){
	"DateTime": func(value any) (any, bool) {
		var instant backoffice.Instant
		err := instant.UnmarshalGQL(value)
		return instant, err == nil
	},
	"JSON": func(value any) (any, bool) {
		_, ok := value.(map[string]any)
		return value, ok
	},
}

func coerceScalar(name string, value any) (any, bool) {
	decode, known := scalars[name]
	if !known {
		return nil, false
	}
	return decode(value)
}

// isScalarLiteral says whether a literal is one of its scalar's. What is inside an object is not looked at, as in a
// variable; it may hold variables, too.
func isScalarLiteral(value *ast.Value) bool {
	var plain any = map[string]any{}
	if value.Kind != ast.ObjectValue {
		var err error
		if plain, err = value.Value(nil); err != nil {
			return false
		}
	}
	_, ok := coerceScalar(value.Definition.Name, plain)
	return ok
}

// exact makes literals come out as they were written, where gqlparser would read numbers as 64 bits and lose digits or
// fail. An ID that is written as a number becomes a text. A number inside a JSON literal becomes a variable, named by
// "=" and its text, which no variable of a document can be; the values of these are added to constants.
func exact(values []*ast.Value, constants map[string]any) {
	for _, value := range values {
		switch {
		case value.Definition == nil:
		case value.Definition.Name == "ID" && value.Kind == ast.IntValue:
			value.Kind = ast.StringValue
		case value.Definition.Name == "JSON":
			exactNumbers(value, constants)
		}
	}
}

func exactNumbers(value *ast.Value, constants map[string]any) {
	if value.Kind == ast.IntValue || value.Kind == ast.FloatValue {
		name := "=" + value.Raw
		constants[name] = json.Number(value.Raw)
		value.Kind, value.Raw = ast.Variable, name
		return
	}
	for _, child := range value.Children {
		exactNumbers(child.Value, constants)
	}
}
