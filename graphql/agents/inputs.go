package agents

import (
	"github.com/vektah/gqlparser/v2/ast"

	"example.org/backoffice/graphql/graphqlhttp"
)

// schema is a JSON Schema (2020-12). Its keys are sorted when it is written.
type schema = map[string]any

// inputs describes the variables of an operation. Without numbers it leaves out whatever takes a registration number.
type inputs struct {
	schema  *ast.Schema
	numbers bool
	types   map[string]any // input types, by name
}

// of returns the schema of a tool's arguments; false when a required one takes what the caller may not send.
func (in *inputs) of(query *graphqlhttp.Query) (schema, bool) {
	properties, required := schema{}, []string{}
	for _, v := range query.Operation.VariableDefinitions {
		needed := isRequired(v)
		if !in.numbers && query.Guards(v.Variable) {
			if needed {
				return nil, false
			}
			continue
		}
		property := in.value(v.Type)
		describe(property, v.Description)
		if v.DefaultValue != nil && v.DefaultValue.Kind != ast.Variable { // a JSON literal has become one
			if value, err := v.DefaultValue.Value(nil); err == nil {
				property["default"] = value
			}
		}
		properties[v.Variable] = property
		if needed {
			required = append(required, v.Variable)
		}
	}
	whole := schema{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		whole["required"] = required
	}
	if len(in.types) > 0 {
		whole["$defs"] = in.types
	}
	return whole, true
}

func isRequired(v *ast.VariableDefinition) bool { return v.Type.NonNull && v.DefaultValue == nil }

func (in *inputs) value(of *ast.Type) schema {
	if of.Elem != nil {
		return schema{"type": "array", "items": in.value(of.Elem)}
	}
	def := in.schema.Types[of.NamedType]
	switch def.Kind {
	case ast.InputObject:
		in.object(def)
		return schema{"$ref": "#/$defs/" + def.Name}
	case ast.Enum:
		values := []string{}
		for _, v := range def.EnumValues {
			if in.numbers || v.Directives.ForName("hasScope") == nil {
				values = append(values, v.Name)
			}
		}
		return schema{"type": "string", "enum": values, "description": def.Description}
	}
	return scalar(def)
}

// scalar describes a scalar as it is written in JSON.
func scalar(def *ast.Definition) schema {
	made := schema{"type": jsonType(def.Name)}
	if !def.BuiltIn {
		made["description"] = def.Description
	}
	return made
}

// object adds an input type, which may refer to itself.
func (in *inputs) object(def *ast.Definition) {
	if in.types[def.Name] != nil {
		return
	}
	properties, required := schema{}, []string{}
	made := schema{"type": "object", "properties": properties, "additionalProperties": false}
	in.types[def.Name] = made
	for _, field := range def.Fields {
		if !in.numbers && field.Directives.ForName("hasScope") != nil {
			continue
		}
		property := in.value(field.Type)
		describe(property, field.Description)
		properties[field.Name] = property
		if field.Type.NonNull && field.DefaultValue == nil {
			required = append(required, field.Name)
		}
	}
	if len(required) > 0 {
		made["required"] = required
	}
	describe(made, def.Description)
	if def.Directives.ForName("oneOf") != nil {
		made["minProperties"], made["maxProperties"] = 1, 1
	}
}

func describe(of schema, text string) {
	if text != "" {
		of["description"] = text
	}
}
