package graphqlhttp

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"example.org/backoffice/backoffice"
)

// coerce makes an operation's variables from those that were sent ("Coercing Variable Values" in the specification).
// Errors name the variable and the path in it, never a value. Int is int64, Float float64, ID string, a custom scalar
// its Go value. Undefined variables are left out; the document's constants are added.
func (d *document) coerce(schema *ast.Schema, operation *ast.OperationDefinition, sent map[string]any) (
	map[string]any, *gqlerror.Error) {
	values := make(map[string]any, len(operation.VariableDefinitions)+len(d.constants))
	maps.Copy(values, d.constants)
	for _, variable := range operation.VariableDefinitions {
		value, given := sent[variable.Variable]
		var err error
		switch {
		case given && value == nil && d.notNull[variable]:
			err = &invalidValue{what: "must not be null"}
		case given:
			value, err = coerceValue(schema, variable.Type, value)
		case variable.DefaultValue != nil:
			value, err = variable.DefaultValue.Value(d.constants)
		case variable.Type.NonNull:
			err = &invalidValue{what: "is missing"}
		default:
			continue
		}
		if err != nil {
			refused := failure(codeBadInput, "the variable \"$%s\"%s",
				backoffice.ShownName(variable.Variable), tellMisfit(err))
			if at := variable.Position; at != nil {
				refused.Locations = []gqlerror.Location{{Line: at.Line, Column: at.Column}}
			}
			return nil, refused
		}
		values[variable.Variable] = value
	}
	room := maxFilled
	for name, constant := range d.constants {
		if literal, ok := constant.(template); ok {
			filled := literal.fill(values, room)
			if room -= len(filled); room < 0 {
				return nil, failure(codeBadInput, "its variables make the document's JSON too large")
			}
			values[name] = filled
		}
	}
	return values, nil
}

// variables are the coerced ones, and their lists are short enough for what looks at each value.
func (g *GraphQL) variables(d *document, operation operation, sent map[string]any) (map[string]any, *gqlerror.Error) {
	values, refused := d.coerce(g.schema, operation.OperationDefinition, sent)
	if refused == nil {
		refused = operation.price.CheckLists(values)
	}
	return values, refused
}

// invalidValue is a fault inside a variable, and its path.
type invalidValue struct {
	path []string // reversed
	what string
}

func (m *invalidValue) Error() string { return m.what }

func tellMisfit(err error) string {
	m, ok := err.(*invalidValue)
	if !ok {
		return " has a default that cannot be used"
	}
	var b strings.Builder
	for i := len(m.path) - 1; i >= 0 && b.Len() < 200; i-- {
		b.WriteByte('.')
		b.WriteString(backoffice.ShownName(m.path[i]))
	}
	if b.Len() == 0 {
		return " " + m.what
	}
	return ` at "` + b.String()[1:] + `" ` + m.what
}

func inside(err error, name string) error {
	if m, ok := err.(*invalidValue); ok {
		m.path = append(m.path, name)
	}
	return err
}

func coerceValue(schema *ast.Schema, expected *ast.Type, value any) (any, error) {
	switch {
	case value == nil && expected.NonNull:
		return nil, &invalidValue{what: "must not be null"}
	case value == nil:
		return nil, nil
	case expected.Elem != nil:
		return coerceList(schema, expected, value)
	}
	def := schema.Types[expected.NamedType]
	if def == nil {
		return nil, &invalidValue{what: "has an unknown type"}
	}
	coerced := value
	var ok bool
	switch {
	case def.Kind == ast.InputObject:
		if object, isObject := value.(*object); isObject {
			return coerceObject(schema, def, object.members)
		}
	case def.Kind == ast.Enum:
		name, isString := value.(string)
		ok = isString && def.EnumValues.ForName(name) != nil
	case def.Name == "Int":
		coerced, ok = coerceInt(value)
	case def.Name == "Float":
		coerced, ok = coerceFloat(value)
	case def.Name == "ID":
		coerced, ok = coerceID(value)
	case def.Name == "String":
		_, ok = value.(string)
	case def.Name == "Boolean":
		_, ok = value.(bool)
	default:
		coerced, ok = coerceScalar(def.Name, value)
	}
	if !ok {
		typed, _ := value.(string)
		meant := suggestion(typed, func() []string { return valuesOf(def) })
		return nil, &invalidValue{what: fmt.Sprintf(`is not of type "%s"`, expected) + formOf(def) + meant}
	}
	return coerced, nil
}

func coerceList(schema *ast.Schema, expected *ast.Type, value any) (any, error) {
	list, isList := value.([]any)
	if !isList {
		item, err := coerceValue(schema, expected.Elem, value)
		return []any{item}, err
	}
	items := make([]any, len(list))
	for i, item := range list {
		var err error
		if items[i], err = coerceValue(schema, expected.Elem, item); err != nil {
			return nil, inside(err, strconv.Itoa(i))
		}
	}
	return items, nil
}

// coerceObject leaves absent fields absent; the generated code knows the defaults of input fields.
func coerceObject(schema *ast.Schema, def *ast.Definition, object map[string]any) (any, error) {
	fields := make(map[string]any, len(object))
	for _, field := range def.Fields {
		value, given := object[field.Name]
		if !given {
			if field.Type.NonNull && field.DefaultValue == nil {
				return nil, inside(&invalidValue{what: "is missing"}, field.Name)
			}
			continue
		}
		coerced, err := coerceValue(schema, field.Type, value)
		if err != nil {
			return nil, inside(err, field.Name)
		}
		fields[field.Name] = coerced
	}
	if len(fields) < len(object) {
		unknown := slices.DeleteFunc(slices.Collect(maps.Keys(object)),
			func(name string) bool { return def.Fields.ForName(name) != nil })
		return nil, &invalidValue{what: fmt.Sprintf(`has a field that the type "%s" does not have`, def.Name) +
			suggestion(slices.Min(unknown), func() []string { return namesOf(def.Fields) })}
	}
	if def.Directives.ForName("oneOf") != nil &&
		(len(fields) != 1 || slices.Contains(slices.Collect(maps.Values(fields)), nil)) {
		return nil, &invalidValue{what: fmt.Sprintf(`must have exactly one field of "%s", and not null`, def.Name)}
	}
	return fields, nil
}

// coerceInt takes integers of 32 bits, also when written 1.0 or 1e2.
func coerceInt(value any) (any, bool) {
	number, _ := value.(json.Number)
	if n, err := strconv.ParseInt(string(number), 10, 32); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(string(number), 64)
	if err != nil || f != math.Trunc(f) || f < math.MinInt32 || f > math.MaxInt32 {
		return nil, false
	}
	return int64(f), true
}

func coerceFloat(value any) (any, bool) {
	number, _ := value.(json.Number)
	f, err := strconv.ParseFloat(string(number), 64)
	return f, err == nil
}

func coerceID(value any) (any, bool) {
	switch value := value.(type) {
	case string:
		return value, true
	case json.Number:
		return string(value), !strings.ContainsAny(string(value), ".eE")
	}
	return nil, false
}
