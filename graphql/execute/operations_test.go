package execute_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// operations makes random operations of a schema: aliases, merged fields, fragments of all kinds, directives,
// variables with and without defaults, arguments that are refused.
type operations struct {
	schema    *ast.Schema
	d         *rand.Rand
	names     int
	fragments []string
	declared  []string
	chosen    *ast.Definition
	variables map[string]any
	words
}

// words are what arguments are made of. Mutations are as many in a hundred as there are to be.
type words struct {
	ids, texts []string
	mutations  int
}

// operation is a document with one operation and its variables.
type operation struct {
	Query     string
	Variables map[string]any
}

func randomOperation(schema *ast.Schema, d *rand.Rand, words words) operation {
	o := &operations{schema: schema, d: d, variables: map[string]any{}, words: words}
	kind, def := "query", schema.Query
	if o.chance(words.mutations) {
		kind, def = "mutation", schema.Mutation
	}
	body := o.selection(def, 2+d.IntN(5))
	declared := ""
	if len(o.declared) > 0 {
		declared = "(" + strings.Join(o.declared, ", ") + ")"
	}
	return operation{kind + " Op" + declared + " " + body + "\n" + strings.Join(o.fragments, "\n"), o.variables}
}

func (o *operations) chance(percent int) bool { return o.d.IntN(100) < percent }

func (o *operations) name(prefix string) string {
	o.names++
	return fmt.Sprintf("%s%d", prefix, o.names)
}

// selection asks fields of a type, those with fields of their own while depth lasts.
func (o *operations) selection(def *ast.Definition, depth int) string {
	var parts []string
	for range 1 + o.d.IntN(5) {
		parts = append(parts, o.part(def, depth))
	}
	return "{ " + strings.Join(parts, " ") + " }"
}

func (o *operations) part(def *ast.Definition, depth int) string {
	switch roll := o.d.IntN(100); {
	case roll < 6:
		return "__typename" + o.directives()
	case roll < 10 && depth > 0:
		return "..." + o.directives() + " " + o.selection(def, depth-1)
	case roll < 20 && depth > 0:
		return "... on " + o.condition(def).Name + o.directives() + " " + o.last(depth-1)
	case roll < 27 && depth > 0:
		name := o.name("F")
		condition := o.condition(def)
		at := len(o.fragments)
		o.fragments = append(o.fragments, "")
		o.fragments[at] = "fragment " + name + " on " + condition.Name + " " + o.last(depth-1)
		spread := "..." + name + o.directives()
		if o.chance(20) {
			spread += " ..." + name + o.directives()
		}
		return spread
	case roll < 30 && def == o.schema.Query:
		return pick(o.d, []string{"__schema { queryType { name } }", `__type(name: "Customer") { name kind fields { name } }`, `__type(name: "Nothing") { name }`})
	}
	return o.field(def, depth)
}

// condition is a type that objects of a type may be of; last then selects of it.
func (o *operations) condition(def *ast.Definition) *ast.Definition {
	types := []*ast.Definition{def}
	if def.Kind == ast.Interface {
		types = append(types, o.schema.PossibleTypes[def.Name]...)
	}
	for _, name := range def.Interfaces {
		types = append(types, o.schema.Types[name])
	}
	o.chosen = pick(o.d, types)
	return o.chosen
}

func (o *operations) last(depth int) string { return o.selection(o.chosen, depth) }

func (o *operations) field(def *ast.Definition, depth int) string {
	fields := slices.DeleteFunc(slices.Clone(def.Fields), func(f *ast.FieldDefinition) bool {
		return strings.HasPrefix(f.Name, "__") || depth <= 0 && o.composite(f.Type)
	})
	if len(fields) == 0 {
		return "__typename"
	}
	f := pick(o.d, fields)
	text := f.Name
	if len(f.Arguments) > 0 || o.chance(20) {
		text = o.name("a") + ": " + f.Name
	}
	var arguments []string
	for _, argument := range f.Arguments {
		if argument.Type.NonNull && argument.DefaultValue == nil || o.chance(likely(argument.Name)) {
			arguments = append(arguments, argument.Name+": "+o.argument(argument.Type))
		}
	}
	if len(arguments) > 0 {
		text += "(" + strings.Join(arguments, ", ") + ")"
	}
	text += o.directives()
	if o.composite(f.Type) {
		text += " " + o.selection(o.schema.Types[f.Type.Name()], depth-1)
	}
	return text
}

// likely says in percent how often an argument is given. Paging arguments mostly exclude each other.
func likely(name string) int {
	switch name {
	case "first":
		return 40
	case "after", "last", "before", "page", "pageSize":
		return 4
	}
	return 15
}

func (o *operations) composite(t *ast.Type) bool { return o.schema.Types[t.Name()].IsCompositeType() }

func (o *operations) directives() string {
	if !o.chance(10) {
		return ""
	}
	condition := pick(o.d, []string{"true", "false"})
	if o.chance(50) {
		condition = o.variable("Boolean!", o.chance(50))
	}
	return fmt.Sprintf(" @%s(if: %s)", pick(o.d, []string{"skip", "include"}), condition)
}

func (o *operations) variable(goesTo string, value any) string {
	name := o.name("v")
	declaration := "$" + name + ": " + goesTo
	switch {
	case o.chance(20) && value != nil:
		declaration += " = " + literal(value)
	default:
		o.variables[name] = plain(value)
	}
	o.declared = append(o.declared, declaration)
	return "$" + name
}

func (o *operations) argument(t *ast.Type) string {
	value := o.value(t, 2)
	if o.chance(30) {
		return o.variable(t.String(), value)
	}
	return literal(value)
}

// enum is a value that stands in documents without quotes.
type enum string

func (o *operations) value(t *ast.Type, depth int) any {
	if !t.NonNull && o.chance(10) {
		return nil
	}
	if t.Elem != nil {
		list := []any{}
		for range o.d.IntN(3) {
			list = append(list, o.value(t.Elem, depth))
		}
		return list
	}
	def := o.schema.Types[t.NamedType]
	switch def.Kind {
	case ast.Enum:
		return enum(pick(o.d, def.EnumValues).Name)
	case ast.InputObject:
		object := map[string]any{}
		for _, f := range def.Fields {
			if f.Type.NonNull && f.DefaultValue == nil || depth > 0 && o.chance(25) {
				object[f.Name] = o.value(f.Type, depth-1)
			}
		}
		return object
	}
	switch t.NamedType {
	case "Int":
		if o.chance(5) {
			return pick(o.d, []int{-1, 0, 501, 1 << 40})
		}
		return 1 + o.d.IntN(4)
	case "Boolean":
		return o.chance(50)
	case "Float":
		return o.d.Float64()
	case "DateTime":
		return pick(o.d, []string{"2026-06-01T09:30:00.000Z", "not a time"})
	case "Date":
		return pick(o.d, []string{"2026-06-01", "not a day"})
	case "JSON":
		return map[string]any{"a": o.d.IntN(3)}
	case "String":
		return pick(o.d, o.texts)
	}
	return pick(o.d, o.ids)
}

func literal(value any) string {
	switch value := value.(type) {
	case nil:
		return "null"
	case enum:
		return string(value)
	case []any:
		parts := make([]string, len(value))
		for i, part := range value {
			parts[i] = literal(part)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case map[string]any:
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(value)) {
			parts = append(parts, name+": "+literal(value[name]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	data, _ := json.Marshal(value)
	return string(data)
}

// plain is a value as it comes in a request's variables.
func plain(value any) any {
	data, _ := json.Marshal(value)
	decoder := json.NewDecoder(strings.NewReader(string(data)))
	decoder.UseNumber()
	var decoded any
	_ = decoder.Decode(&decoded)
	return decoded
}
