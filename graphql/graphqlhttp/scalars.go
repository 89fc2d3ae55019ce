package graphqlhttp

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"github.com/vektah/gqlparser/v2/ast"

	"example.org/backoffice/backoffice"
)

// scalars decode the schema's own scalars before anything runs. Of a JSON only the kind: its members are the domain's.
var scalars = map[string]func(value any) (decoded any, ok bool){
	"DateTime": func(value any) (any, bool) {
		var instant backoffice.Instant
		err := instant.UnmarshalGQL(value)
		return instant, err == nil
	},
	"Date": func(value any) (any, bool) {
		text, ok := value.(string)
		_, err := backoffice.ParseDay(&text)
		return text, ok && err == nil
	},
	"JSON": func(value any) (any, bool) {
		object, ok := value.(*object)
		if !ok {
			return nil, false
		}
		return json.RawMessage(object.text), true
	},
	"JSONValue": func(any) (any, bool) { return nil, false }, // no input has one
}

func coerceScalar(name string, value any) (any, bool) {
	decode, known := scalars[name]
	if !known {
		return nil, false
	}
	return decode(value)
}

// formOf describes a scalar's format where its kind says too little, to complete a message about a wrong value.
func formOf(def *ast.Definition) string {
	switch {
	case def == nil:
	case def.Name == "DateTime":
		return `; an instant must look like "2026-06-01T09:30:00.000Z"`
	case def.Name == "Date":
		return `; a date must be an existing day such as "2026-03-31"`
	}
	return ""
}

// isScalarLiteral reports whether a literal is its scalar's. In an object, which may hold variables, it checks nothing.
func isScalarLiteral(value *ast.Value) bool {
	var plain any = &object{}
	if value.Kind != ast.ObjectValue {
		var err error
		if plain, err = value.Value(nil); err != nil {
			return false
		}
	}
	_, ok := coerceScalar(value.Definition.Name, plain)
	return ok
}

// exact keeps literals as they were written: gqlparser would read numbers as 64 bits and lose digits or fail, and
// forget the order of an object's members. An ID that is written as a number becomes a text. A JSON literal becomes a
// variable, named by "=" and its number, which no document can declare; its value is added to constants. Variables
// forget their definition: in a fragment gqlparser would use the default of the operation that it walked last.
func exact(values []*ast.Value, constants map[string]any) {
	for _, value := range values {
		value.VariableDefinition = nil
		switch {
		case value.Definition == nil:
		case value.Definition.Name == "Float" && value.Kind == ast.IntValue:
			value.Kind = ast.FloatValue
		case value.Definition.Name == "ID" && value.Kind == ast.IntValue:
			value.Kind = ast.StringValue
		case value.Definition.Name == "JSON" && value.Kind == ast.ObjectValue:
			name := "=" + strconv.Itoa(len(constants))
			literal := *value
			if holdsVariable(&literal) {
				constants[name] = template{&literal}
			} else {
				constants[name] = template{&literal}.fill(nil, math.MaxInt)
			}
			value.Kind, value.Raw, value.Children = ast.Variable, name, nil
		}
	}
}

// template is a JSON literal whose variables have no values yet.
type template struct{ literal *ast.Value }

// maxFilled is the most bytes of a document's templates: a variable may stand in them a thousand times.
const maxFilled = 32 * backoffice.MaxJSON

// fill writes the literal's members in their order, until it has more than so many bytes. A member whose variable has
// no value is left out, and such an element of a list is null, as in gqlparser's values of literals.
func (t template) fill(variables map[string]any, most int) json.RawMessage {
	return appendLiteral(nil, t.literal, variables, most)
}

func holdsVariable(value *ast.Value) bool {
	if value.Kind == ast.Variable {
		return true
	}
	return slices.ContainsFunc(value.Children, func(child *ast.ChildValue) bool { return holdsVariable(child.Value) })
}

func appendLiteral(b []byte, value *ast.Value, variables map[string]any, most int) []byte {
	if len(b) > most {
		return b
	}
	switch value.Kind {
	case ast.ObjectValue:
		b = append(b, '{')
		for i, child := range value.Children {
			if _, given := variables[child.Value.Raw]; child.Value.Kind == ast.Variable && !given {
				continue
			}
			if i > 0 && b[len(b)-1] != '{' {
				b = append(b, ',')
			}
			b = append(appendEncoded(b, child.Name), ':')
			b = appendLiteral(b, child.Value, variables, most)
		}
		return append(b, '}')
	case ast.ListValue:
		b = append(b, '[')
		for i, child := range value.Children {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendLiteral(b, child.Value, variables, most)
		}
		return append(b, ']')
	case ast.Variable:
		return appendEncoded(b, variables[value.Raw])
	case ast.StringValue, ast.BlockValue, ast.EnumValue:
		return appendEncoded(b, value.Raw)
	case ast.NullValue:
		return append(b, "null"...)
	}
	return append(b, value.Raw...) // a number or a boolean
}

// appendEncoded appends a coerced variable, which can always be encoded.
func appendEncoded(b []byte, value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		return append(b, "null"...)
	}
	return append(b, text...)
}
