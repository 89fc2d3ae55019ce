package execute

import (
	"context"
	"maps"
	"slices"

	"github.com/99designs/gqlgen/graphql/introspection"
	"github.com/vektah/gqlparser/v2/ast"
)

// Introspection is executed as any other objects are. Where a kind of type lacks something, the specification (edition
// of September 2025) has null; gqlgen's own introspection answers empty lists.

// published is the schema as clients see it: without the directive that is ignored here, with the standard @deprecated.
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
		// Clients of the September 2025 edition reject this location of the next one.
		deprecated.Locations = slices.DeleteFunc(slices.Clone(known.Locations), func(l ast.DirectiveLocation) bool {
			return l == ast.LocationDirectiveDefinition
		})
		copied.Directives["deprecated"] = &deprecated
	}
	if known := schema.Types["__DirectiveLocation"]; known != nil {
		locations := *known
		locations.EnumValues = slices.DeleteFunc(slices.Clone(known.EnumValues), func(v *ast.EnumValueDefinition) bool {
			return v.Name == string(ast.LocationDirectiveDefinition)
		})
		copied.Types = maps.Clone(schema.Types)
		copied.Types[known.Name] = &locations
	}
	return &copied
}

// introspected returns the objects of a schema's introspection and the fields of Query that return them.
func introspected(schema *ast.Schema) (objects []*Object, roots []*Field) {
	type (
		schemaOf  = introspection.Schema
		typeOf    = introspection.Type
		fieldOf   = introspection.Field
		input     = introspection.InputValue
		enumValue = introspection.EnumValue
		directive = introspection.Directive
	)
	objects = []*Object{
		objectOf("__Schema",
			textField("description", (*schemaOf).Description),
			listField("types", "__Type", func(s *schemaOf, _ bool) []typeOf { return s.Types() }).nonNull(),
			objectField("queryType", "__Type", (*schemaOf).QueryType).nonNull(),
			objectField("mutationType", "__Type", (*schemaOf).MutationType),
			objectField("subscriptionType", "__Type", (*schemaOf).SubscriptionType),
			listField("directives", "__Directive",
				func(s *schemaOf, _ bool) []directive { return s.Directives() }).nonNull()),
		objectOf("__Type",
			textField("kind", func(t *typeOf) *string { kind := t.Kind(); return &kind }).nonNull(),
			textField("name", (*typeOf).Name),
			textField("description", (*typeOf).Description),
			textField("specifiedByURL", (*typeOf).SpecifiedByURL),
			listField("fields", "__Field", listOf((*typeOf).Fields, ast.Object, ast.Interface)),
			listField("interfaces", "__Type",
				listOf(func(t *typeOf, _ bool) []typeOf { return t.Interfaces() }, ast.Object, ast.Interface)),
			listField("possibleTypes", "__Type",
				listOf(func(t *typeOf, _ bool) []typeOf { return t.PossibleTypes() }, ast.Interface, ast.Union)),
			listField("enumValues", "__EnumValue", listOf((*typeOf).EnumValues, ast.Enum)),
			listField("inputFields", "__InputValue", listOf(func(t *typeOf, deprecated bool) []input {
				return inputs(t.InputFields(), deprecated)
			}, ast.InputObject)),
			objectField("ofType", "__Type", (*typeOf).OfType),
			leafField("isOneOf", func(w *Writer, t *typeOf) bool {
				if t.Kind() != string(ast.InputObject) {
					return w.Null()
				}
				return w.Boolean(t.IsOneOf())
			})),
		objectOf("__Field",
			textField("name", func(f *fieldOf) *string { return &f.Name }).nonNull(),
			textField("description", (*fieldOf).Description),
			listField("args", "__InputValue",
				func(f *fieldOf, deprecated bool) []input { return inputs(f.Args, deprecated) }).nonNull(),
			objectField("type", "__Type", func(f *fieldOf) *typeOf { return f.Type }).nonNull(),
			booleanField("isDeprecated", (*fieldOf).IsDeprecated),
			textField("deprecationReason", reason[*fieldOf])),
		objectOf("__InputValue",
			textField("name", func(i *input) *string { return &i.Name }).nonNull(),
			textField("description", (*input).Description),
			objectField("type", "__Type", func(i *input) *typeOf { return i.Type }).nonNull(),
			textField("defaultValue", func(i *input) *string { return i.DefaultValue }),
			booleanField("isDeprecated", (*input).IsDeprecated),
			textField("deprecationReason", reason[*input])),
		objectOf("__EnumValue",
			textField("name", func(v *enumValue) *string { return &v.Name }).nonNull(),
			textField("description", (*enumValue).Description),
			booleanField("isDeprecated", (*enumValue).IsDeprecated),
			textField("deprecationReason", reason[*enumValue])),
		objectOf("__Directive",
			textField("name", func(d *directive) *string { return &d.Name }).nonNull(),
			textField("description", (*directive).Description),
			booleanField("isRepeatable", func(d *directive) bool { return d.IsRepeatable }),
			leafField("locations", func(w *Writer, d *directive) bool {
				return AppendList(w, d.Locations, false, false, (*Writer).String)
			}).nonNull(),
			listField("args", "__InputValue",
				func(d *directive, deprecated bool) []input { return inputs(d.Args, deprecated) }).nonNull()),
	}
	return objects, []*Field{
		{Name: "__schema", NonNull: true, Types: []string{"__Schema"},
			Call: func(context.Context, List, map[string]any) (Column, error) {
				return Singles([]*schemaOf{introspection.WrapSchema(schema)}), nil
			}},
		{Name: "__type", Types: []string{"__Type"}, Args: asGiven,
			Call: func(_ context.Context, _ List, args map[string]any) (Column, error) {
				name, _ := args["name"].(string)
				return Singles([]*typeOf{introspection.WrapTypeFromDef(schema, schema.Types[name])}), nil
			}},
	}
}

// listOf is null for types of other kinds.
func listOf[R any](get func(t *introspection.Type, deprecated bool) []R,
	kinds ...ast.DefinitionKind) func(*introspection.Type, bool) []R {
	return func(t *introspection.Type, deprecated bool) []R {
		if !slices.Contains(kinds, ast.DefinitionKind(t.Kind())) {
			return nil
		}
		return get(t, deprecated)
	}
}

func inputs(all []introspection.InputValue, deprecated bool) []introspection.InputValue {
	some := []introspection.InputValue{}
	for _, one := range all {
		if deprecated || !one.IsDeprecated() {
			some = append(some, one)
		}
	}
	return some
}

// reason returns the default of @deprecated where none is given.
func reason[D interface {
	IsDeprecated() bool
	DeprecationReason() *string
}](of D) *string {
	stated := of.DeprecationReason()
	if stated == nil && of.IsDeprecated() {
		unstated := "No longer supported"
		return &unstated
	}
	return stated
}

// The functions below make objects and fields by hand, as the generated code makes those of the schema.

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

func textField[T any](name string, get func(*T) *string) *Field {
	return leafField(name, func(w *Writer, object *T) bool {
		if value := get(object); value != nil {
			return w.String(*value)
		}
		return w.Null()
	})
}

func booleanField[T any](name string, get func(*T) bool) *Field {
	return leafField(name, func(w *Writer, object *T) bool { return w.Boolean(get(object)) }).nonNull()
}

func objectField[T, R any](name, of string, get func(*T) *R) *Field {
	return &Field{Name: name, Types: []string{of},
		Call: func(ctx context.Context, objects List, _ map[string]any) (Column, error) {
			values, err := Each(ctx, objects, func(object *T) (*R, error) { return get(object), nil })
			return Singles(values), err
		}}
}

func listField[T, R any](name, of string, get func(object *T, deprecated bool) []R) *Field {
	return &Field{Name: name, List: true, NonNullElements: true, Types: []string{of}, Args: asGiven,
		Call: func(ctx context.Context, objects List, args map[string]any) (Column, error) {
			deprecated, _ := args["includeDeprecated"].(bool)
			values, err := Each(ctx, objects, func(object *T) ([]R, error) { return get(object, deprecated), nil })
			return Lists(PointerLists(values)), err
		}}
}

func asGiven(_ context.Context, raw map[string]any) (map[string]any, error) { return raw, nil }
