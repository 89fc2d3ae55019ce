package limits

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// attacker makes valid operations out of a schema and changes them a little at a time.
type attacker struct {
	schema     *ast.Schema
	random     *rand.Rand
	ids, texts []string
}

// asked is a field of an operation.
type asked struct {
	def       *ast.FieldDefinition
	arguments map[string]string // literals
	below     []*asked
}

// attack is an operation: fields of Query or of Mutation.
type attack struct {
	mutation bool
	fields   []*asked
}

// text writes the operation. Every second field of the same name gets an alias.
func (a *attack) text() string {
	var b strings.Builder
	if a.mutation {
		b.WriteString("mutation")
	}
	aliases := 0
	writeAsked(&b, a.fields, &aliases)
	return b.String()
}

func writeAsked(b *strings.Builder, fields []*asked, aliases *int) {
	b.WriteByte('{')
	seen := map[string]bool{}
	for i, f := range fields {
		if i > 0 {
			b.WriteByte(' ')
		}
		if seen[f.def.Name] {
			*aliases++
			fmt.Fprintf(b, "a%d:", *aliases)
		}
		seen[f.def.Name] = true
		b.WriteString(f.def.Name)
		if len(f.arguments) > 0 {
			separator := byte('(')
			for _, definition := range f.def.Arguments {
				if value, given := f.arguments[definition.Name]; given {
					b.WriteByte(separator)
					b.WriteString(definition.Name + ":" + value)
					separator = ','
				}
			}
			b.WriteByte(')')
		}
		if len(f.below) > 0 {
			writeAsked(b, f.below, aliases)
		}
	}
	b.WriteByte('}')
}

func (a *attack) clone() *attack { return &attack{a.mutation, cloneAsked(a.fields)} }

func cloneAsked(fields []*asked) []*asked {
	list := make([]*asked, len(fields))
	for i, f := range fields {
		arguments := make(map[string]string, len(f.arguments))
		maps.Copy(arguments, f.arguments)
		list[i] = &asked{f.def, arguments, cloneAsked(f.below)}
	}
	return list
}

// all lists the fields of an operation, and the lists that they stand in.
func (a *attack) all() (places []*[]*asked) {
	var walk func(list *[]*asked)
	walk = func(list *[]*asked) {
		if len(*list) > 0 {
			places = append(places, list)
		}
		for _, f := range *list {
			walk(&f.below)
		}
	}
	walk(&a.fields)
	return places
}

func (k *attacker) chance(percent int) bool { return k.random.IntN(100) < percent }

func oneOf[T any](k *attacker, list []T) T { return list[k.random.IntN(len(list))] }

// operation makes one from nothing.
func (k *attacker) operation() *attack {
	made := &attack{mutation: k.chance(10)}
	root := k.schema.Query
	if made.mutation {
		root = k.schema.Mutation
	}
	for range 1 + k.random.IntN(3) {
		made.fields = append(made.fields, k.field(root, 1+k.random.IntN(7)))
	}
	return made
}

// field asks a field of a type, with fields of its own while depth lasts.
func (k *attacker) field(of *ast.Definition, depth int) *asked {
	candidates := slices.DeleteFunc(slices.Clone(of.Fields), func(f *ast.FieldDefinition) bool {
		return strings.HasPrefix(f.Name, "__") || depth <= 0 && k.composite(f)
	})
	if len(candidates) == 0 { // nothing but objects: the shortest way out
		candidates = slices.DeleteFunc(slices.Clone(of.Fields), func(f *ast.FieldDefinition) bool { return strings.HasPrefix(f.Name, "__") })
	}
	f := &asked{def: oneOf(k, candidates), arguments: map[string]string{}}
	k.argue(f)
	if k.composite(f.def) {
		below := k.schema.Types[f.def.Type.Name()]
		for range 1 + k.random.IntN(3) {
			f.below = append(f.below, k.field(below, depth-1))
		}
	}
	return f
}

func (k *attacker) composite(f *ast.FieldDefinition) bool {
	return k.schema.Types[f.Type.Name()].IsCompositeType()
}

// argue chooses a field's arguments, of those that exclude each other one.
func (k *attacker) argue(f *asked) {
	clear(f.arguments)
	for _, definition := range f.def.Arguments {
		switch name := definition.Name; {
		case name == "first":
			f.arguments[name] = fmt.Sprint(oneOf(k, []int{0, 1, 3, 10, 50, 100, 248, 500}))
		case name == "last" && k.chance(5):
			delete(f.arguments, "first")
			f.arguments[name] = fmt.Sprint(oneOf(k, []int{1, 50, 500}))
		case name == "page" && k.chance(5):
			delete(f.arguments, "first")
			delete(f.arguments, "last")
			f.arguments[name] = fmt.Sprint(oneOf(k, []int{1, 2, 100, 10_000}))
		case name == "last", name == "page", name == "after", name == "before", name == "pageSize":
		case definition.Type.NonNull && definition.DefaultValue == nil, k.chance(40):
			f.arguments[name] = k.value(definition.Type, name, 2)
		}
	}
}

// value writes a literal of a type.
func (k *attacker) value(t *ast.Type, name string, depth int) string {
	if t.Elem != nil {
		var items []string
		for range oneOf(k, []int{1, 3, 20, 100}) {
			items = append(items, k.value(t.Elem, name, depth))
		}
		return "[" + strings.Join(items, ",") + "]"
	}
	def := k.schema.Types[t.NamedType]
	switch {
	case def.Kind == ast.Enum:
		return oneOf(k, def.EnumValues).Name
	case def.Kind == ast.InputObject && def.Directives.ForName("oneOf") != nil:
		f := oneOf(k, def.Fields)
		return "{" + f.Name + ":" + k.value(f.Type, f.Name, depth-1) + "}"
	case def.Kind == ast.InputObject:
		var fields []string
		for _, f := range def.Fields {
			if f.Type.NonNull && f.DefaultValue == nil || depth > 0 && k.chance(20) {
				fields = append(fields, f.Name+":"+k.value(f.Type, f.Name, depth-1))
			}
		}
		return "{" + strings.Join(fields, ",") + "}"
	}
	switch t.NamedType {
	case "Int":
		return fmt.Sprint(1 + k.random.IntN(3))
	case "Float":
		return "0.5"
	case "Boolean":
		return oneOf(k, []string{"true", "false"})
	case "DateTime":
		return `"2020-01-01T00:00:00.000Z"`
	case "Date":
		return `"2020-01-01"`
	case "JSON":
		return `{a:"` + strings.Repeat("b", oneOf(k, []int{1, 1_000, 60_000})) + `"}`
	case "ID":
		return `"` + oneOf(k, k.ids) + `"`
	}
	return `"` + oneOf(k, k.texts) + `"`
}

// change makes a neighbour of an operation.
func (k *attacker) change(a *attack) *attack {
	changed := a.clone()
	for range 1 + k.random.IntN(3) {
		list := oneOf(k, changed.all())
		at := k.random.IntN(len(*list))
		f := (*list)[at]
		switch k.random.IntN(5) {
		case 0: // the same once more
			*list = append(*list, cloneAsked([]*asked{f})...)
		case 1:
			k.argue(f)
		case 2:
			if len(*list) > 1 {
				*list = slices.Delete(*list, at, at+1)
			}
		case 3: // one more field below, deeper than before
			if k.composite(f.def) {
				f.below = append(f.below, k.field(k.schema.Types[f.def.Type.Name()], 1+k.random.IntN(4)))
			}
		case 4: // a larger page
			if _, sized := f.arguments["first"]; sized {
				f.arguments["first"] = fmt.Sprint(oneOf(k, []int{20, 100, 248, 500}))
			}
		}
	}
	return changed
}
