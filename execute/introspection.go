package execute

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// Introspection is executed as any other objects are. gqlgen's own answers empty lists where the specification (edition
// of September 2025) has null: for what a kind of type does not have.

// published is the schema as clients see it: gqlgen's, without the directive that nothing here obeys, and with
// @deprecated as the specification has it.
func published(schema *ast.Schema) *ast.Schema {
	copied := *schema
	copied.Directives = maps.Clone(schema.Directives)
	delete(copied.Directives, "defer")
	if known := copied.Directives["deprecated"]; known != nil {
		deprecated := *known
		deprecated.Arguments = slices.Clone(known.Arguments)
		for i, argument := range deprecated.Arguments {
			reason, required := *argument, *argument.Type
			required.NonNull = true
			reason.Type = &required
			deprecated.Arguments[i] = &reason
		}
		copied.Directives["deprecated"] = &deprecated
	}
	return &copied
}

// Part of a schema, with the schema that it is a part of.
type (
	introspected[D any] struct {
		*ast.Schema
		def D
	}
	schemaType  struct{ introspected[*ast.Type] } // named, list or non-null
	schemaField struct {
		introspected[*ast.FieldDefinition]
	}
	schemaInput     struct{ introspected[schemaInputOf] }
	schemaEnumValue struct {
		introspected[*ast.EnumValueDefinition]
	}
	schemaDirective struct {
		introspected[*ast.DirectiveDefinition]
	}
	schemaInputOf struct {
		name, description string
		of                *ast.Type
		value             *ast.Value
		directives        ast.DirectiveList
	}
)

func (s introspected[D]) typeOf(t *ast.Type) *schemaType {
	return &schemaType{introspected[*ast.Type]{s.Schema, t}}
}

func (s introspected[D]) named(def *ast.Definition) *schemaType {
	if def == nil {
		return nil
	}
	return s.typeOf(ast.NamedType(def.Name, nil))
}

// definition is nil for a list or a non-null type.
func (t *schemaType) definition() *ast.Definition {
	if t.def.NonNull || t.def.Elem != nil {
		return nil
	}
	return t.Types[t.def.NamedType]
}

func (t *schemaType) is(kinds ...ast.DefinitionKind) bool {
	def := t.definition()
	return def != nil && slices.Contains(kinds, def.Kind)
}

func (t *schemaType) kind() string {
	switch {
	case t.def.NonNull:
		return "NON_NULL"
	case t.def.Elem != nil:
		return "LIST"
	}
	return string(t.definition().Kind)
}

func (t *schemaType) inner() *schemaType {
	if t.def.NonNull {
		nullable := *t.def
		nullable.NonNull = false
		return t.typeOf(&nullable)
	}
	if t.def.Elem != nil {
		return t.typeOf(t.def.Elem)
	}
	return nil
}

func (t *schemaType) fields(deprecated bool) []*schemaField {
	if !t.is(ast.Object, ast.Interface) {
		return nil
	}
	fields := []*schemaField{}
	for _, def := range t.definition().Fields {
		if !strings.HasPrefix(def.Name, "__") && (deprecated || !isDeprecated(def.Directives)) {
			fields = append(fields, &schemaField{introspected[*ast.FieldDefinition]{t.Schema, def}})
		}
	}
	return fields
}

func (t *schemaType) inputFields(deprecated bool) []*schemaInput {
	if !t.is(ast.InputObject) {
		return nil
	}
	fields := []*schemaInput{}
	for _, def := range t.definition().Fields {
		if deprecated || !isDeprecated(def.Directives) {
			fields = append(fields, &schemaInput{introspected[schemaInputOf]{t.Schema,
				schemaInputOf{def.Name, def.Description, def.Type, def.DefaultValue, def.Directives}}})
		}
	}
	return fields
}

func (t *schemaType) interfaces(bool) []*schemaType {
	if !t.is(ast.Object, ast.Interface) {
		return nil
	}
	types := []*schemaType{}
	for _, name := range t.definition().Interfaces {
		types = append(types, t.named(t.Types[name]))
	}
	return types
}

func (t *schemaType) possibleTypes(bool) []*schemaType {
	if !t.is(ast.Interface, ast.Union) {
		return nil
	}
	types := []*schemaType{}
	for _, def := range t.GetPossibleTypes(t.definition()) {
		types = append(types, t.named(def))
	}
	return types
}

func (t *schemaType) enumValues(deprecated bool) []*schemaEnumValue {
	if !t.is(ast.Enum) {
		return nil
	}
	values := []*schemaEnumValue{}
	for _, def := range t.definition().EnumValues {
		if deprecated || !isDeprecated(def.Directives) {
			values = append(values, &schemaEnumValue{introspected[*ast.EnumValueDefinition]{t.Schema, def}})
		}
	}
	return values
}

func argumentsOf(schema *ast.Schema, defs ast.ArgumentDefinitionList, deprecated bool) []*schemaInput {
	arguments := []*schemaInput{}
	for _, def := range defs {
		if deprecated || !isDeprecated(def.Directives) {
			arguments = append(arguments, &schemaInput{introspected[schemaInputOf]{schema,
				schemaInputOf{def.Name, def.Description, def.Type, def.DefaultValue, def.Directives}}})
		}
	}
	return arguments
}

func isDeprecated(directives ast.DirectiveList) bool { return directives.ForName("deprecated") != nil }

func deprecation(directives ast.DirectiveList) string {
	deprecated := directives.ForName("deprecated")
	if deprecated == nil {
		return ""
	}
	if reason := deprecated.Arguments.ForName("reason"); reason != nil {
		return reason.Value.Raw
	}
	return "No longer supported"
}

// introspection are the objects of a schema's introspection and the fields of Query that lead to them.
func introspection(schema *ast.Schema) (objects []*Object, roots []*Field) {
	root := introspected[struct{}]{Schema: schema}
	types := func(*ast.Schema, bool) []*schemaType {
		list := make([]*schemaType, 0, len(schema.Types))
		for _, name := range slices.Sorted(maps.Keys(schema.Types)) {
			list = append(list, root.named(schema.Types[name]))
		}
		return list
	}
	directives := func(*ast.Schema, bool) []*schemaDirective {
		list := make([]*schemaDirective, 0, len(schema.Directives))
		for _, name := range slices.Sorted(maps.Keys(schema.Directives)) {
			list = append(list, &schemaDirective{introspected[*ast.DirectiveDefinition]{schema, schema.Directives[name]}})
		}
		return list
	}
	objects = []*Object{
		objectOf("__Schema",
			textField("description", func(s *ast.Schema) string { return s.Description }),
			listField("types", "__Type", types).nonNull(),
			objectField("queryType", "__Type", func(s *ast.Schema) *schemaType { return root.named(s.Query) }).nonNull(),
			objectField("mutationType", "__Type", func(s *ast.Schema) *schemaType { return root.named(s.Mutation) }),
			objectField("subscriptionType", "__Type", func(s *ast.Schema) *schemaType { return root.named(s.Subscription) }),
			listField("directives", "__Directive", directives).nonNull()),
		objectOf("__Type",
			textField("kind", (*schemaType).kind).nonNull(),
			textField("name", func(t *schemaType) string { return nameOf(t.definition()) }),
			textField("description", func(t *schemaType) string { return descriptionOf(t.definition()) }),
			textField("specifiedByURL", func(t *schemaType) string { return specificationOf(t.definition()) }),
			listField("fields", "__Field", (*schemaType).fields),
			listField("interfaces", "__Type", (*schemaType).interfaces),
			listField("possibleTypes", "__Type", (*schemaType).possibleTypes),
			listField("enumValues", "__EnumValue", (*schemaType).enumValues),
			listField("inputFields", "__InputValue", (*schemaType).inputFields),
			objectField("ofType", "__Type", (*schemaType).inner),
			leafField("isOneOf", func(w *Writer, t *schemaType) bool {
				if !t.is(ast.InputObject) {
					return w.Null()
				}
				return w.Boolean(t.definition().Directives.ForName("oneOf") != nil)
			})),
		objectOf("__Field",
			textField("name", func(f *schemaField) string { return f.def.Name }).nonNull(),
			textField("description", func(f *schemaField) string { return f.def.Description }),
			listField("args", "__InputValue", func(f *schemaField, deprecated bool) []*schemaInput {
				return argumentsOf(f.Schema, f.def.Arguments, deprecated)
			}).nonNull(),
			objectField("type", "__Type", func(f *schemaField) *schemaType { return f.typeOf(f.def.Type) }).nonNull(),
			booleanField("isDeprecated", func(f *schemaField) bool { return isDeprecated(f.def.Directives) }),
			textField("deprecationReason", func(f *schemaField) string { return deprecation(f.def.Directives) })),
		objectOf("__InputValue",
			textField("name", func(i *schemaInput) string { return i.def.name }).nonNull(),
			textField("description", func(i *schemaInput) string { return i.def.description }),
			objectField("type", "__Type", func(i *schemaInput) *schemaType { return i.typeOf(i.def.of) }).nonNull(),
			textField("defaultValue", func(i *schemaInput) string {
				if i.def.value == nil {
					return ""
				}
				return i.def.value.String()
			}),
			booleanField("isDeprecated", func(i *schemaInput) bool { return isDeprecated(i.def.directives) }),
			textField("deprecationReason", func(i *schemaInput) string { return deprecation(i.def.directives) })),
		objectOf("__EnumValue",
			textField("name", func(v *schemaEnumValue) string { return v.def.Name }).nonNull(),
			textField("description", func(v *schemaEnumValue) string { return v.def.Description }),
			booleanField("isDeprecated", func(v *schemaEnumValue) bool { return isDeprecated(v.def.Directives) }),
			textField("deprecationReason", func(v *schemaEnumValue) string { return deprecation(v.def.Directives) })),
		objectOf("__Directive",
			textField("name", func(d *schemaDirective) string { return d.def.Name }).nonNull(),
			textField("description", func(d *schemaDirective) string { return d.def.Description }),
			booleanField("isRepeatable", func(d *schemaDirective) bool { return d.def.IsRepeatable }),
			leafField("locations", func(w *Writer, d *schemaDirective) bool {
				return AppendList(w, d.def.Locations, false, false, func(w *Writer, at ast.DirectiveLocation) bool { return w.String(string(at)) })
			}).nonNull(),
			listField("args", "__InputValue", func(d *schemaDirective, deprecated bool) []*schemaInput {
				return argumentsOf(d.Schema, d.def.Arguments, deprecated)
			}).nonNull()),
	}
	return objects, []*Field{
		{Name: "__schema", NonNull: true, Types: []string{"__Schema"}, Call: func(context.Context, List, map[string]any) (Column, error) {
			return Singles([]*ast.Schema{schema}), nil
		}},
		{Name: "__type", Types: []string{"__Type"}, Args: asGiven, Call: func(_ context.Context, _ List, args map[string]any) (Column, error) {
			name, _ := args["name"].(string)
			return Singles([]*schemaType{root.named(schema.Types[name])}), nil
		}},
	}
}

func nameOf(def *ast.Definition) string {
	if def == nil {
		return ""
	}
	return def.Name
}

func descriptionOf(def *ast.Definition) string {
	if def == nil {
		return ""
	}
	return def.Description
}

func specificationOf(def *ast.Definition) string {
	if def == nil {
		return ""
	}
	if specified := def.Directives.ForName("specifiedBy"); specified != nil {
		return specified.Arguments.ForName("url").Value.Raw
	}
	return ""
}

// What follows makes objects and fields by hand, as the generated code makes those of the schema.

func objectOf(name string, fields ...*Field) *Object {
	return &Object{Name: name, Is: []string{name}, Fields: fields}
}

func (f *Field) nonNull() *Field {
	f.NonNull = true
	return f
}

func leafField[T any](name string, put func(*Writer, *T) bool) *Field {
	return &Field{Name: name, Leaf: func(w *Writer, object any) bool { return put(w, object.(*T)) }}
}

// textField is null when it is empty.
func textField[T any](name string, get func(*T) string) *Field {
	return leafField(name, func(w *Writer, object *T) bool {
		value := get(object)
		if value == "" {
			return w.Null()
		}
		return w.String(value)
	})
}

func booleanField[T any](name string, get func(*T) bool) *Field {
	return leafField(name, func(w *Writer, object *T) bool { return w.Boolean(get(object)) }).nonNull()
}

func objectField[T, R any](name, of string, get func(*T) *R) *Field {
	return &Field{Name: name, Types: []string{of}, Call: func(ctx context.Context, objects List, _ map[string]any) (Column, error) {
		values, err := Each(ctx, objects, func(object *T) (*R, error) { return get(object), nil })
		return Singles(values), err
	}}
}

func listField[T, R any](name, of string, get func(object *T, deprecated bool) []*R) *Field {
	return &Field{Name: name, List: true, NonNullElements: true, Types: []string{of}, Args: asGiven,
		Call: func(ctx context.Context, objects List, args map[string]any) (Column, error) {
			deprecated, _ := args["includeDeprecated"].(bool)
			values, err := Each(ctx, objects, func(object *T) ([]*R, error) { return get(object, deprecated), nil })
			return Lists(values), err
		}}
}

func asGiven(_ context.Context, raw map[string]any) (map[string]any, error) { return raw, nil }
