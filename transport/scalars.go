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

// isScalarLiteral says whether a literal is one of its scalar's. Where there are variables inside it, its parts are
// not known yet: then only its kind counts.
func isScalarLiteral(value *ast.Value) bool {
	if hasVariables(value) {
		return value.Kind == ast.ObjectValue && value.Definition.Name == "JSON"
	}
	plain, err := literal(value)
	if err != nil {
		return false
	}
	_, ok := coerceScalar(value.Definition.Name, plain)
	return ok
}

func hasVariables(value *ast.Value) bool {
	if value.Kind == ast.Variable {
		return true
	}
	for _, child := range value.Children {
		if hasVariables(child.Value) {
			return true
		}
	}
	return false
}

// literal is what a literal without variables stands for, its numbers as they were written.
func literal(value *ast.Value) (any, error) {
	switch value.Kind {
	case ast.IntValue, ast.FloatValue:
		return json.Number(value.Raw), nil
	case ast.ListValue:
		list := make([]any, len(value.Children))
		for i, child := range value.Children {
			var err error
			if list[i], err = literal(child.Value); err != nil {
				return nil, err
			}
		}
		return list, nil
	case ast.ObjectValue:
		object := make(map[string]any, len(value.Children))
		for _, child := range value.Children {
			var err error
			if object[child.Name], err = literal(child.Value); err != nil {
				return nil, err
			}
		}
		return object, nil
	}
	return value.Value(nil)
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
