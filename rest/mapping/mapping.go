// Package mapping turns one structure into another by the names of their fields: from GraphQL and REST to the domain,
// and from the domain to REST.
//
// A mapping is worked out once, when it is made. That fails, and the program does not start, when a field of one
// structure has none in the other. The package must not know any of the structures.
package mapping

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

type Mapping[From, To any] struct{ copy copier }

// copier copies one value to another; both must be addressable.
type copier func(from, to reflect.Value)

type Option func(*maker)

// Except leaves out the fields with these names, in From and in To.
func Except(names ...string) Option {
	return func(m *maker) { m.except = append(m.except, names...) }
}

// Convert turns all values F into T by a function.
func Convert[F, T any](convert func(F) T) Option {
	return func(m *maker) {
		m.converters[types{reflect.TypeFor[F](), reflect.TypeFor[T]()}] = func(from, to reflect.Value) {
			*to.Addr().Interface().(*T) = convert(*from.Addr().Interface().(*F))
		}
	}
}

// New works out a mapping, comparing names without regard to case. It panics when a field of either has none in the
// other, or one of a type that it cannot become. It copies values of the same type, and texts of two types; an empty
// text becomes a nil pointer. A field that may be absent, null or a value becomes one of the domain's (a nil pointer is
// absent), or a pointer that is nil without a value. Structures are mapped field by field.
func New[From, To any](options ...Option) *Mapping[From, To] {
	m := maker{converters: map[types]copier{}, used: map[string]bool{}}
	for _, option := range options {
		option(&m)
	}
	made := &Mapping[From, To]{m.structs(types{reflect.TypeFor[From](), reflect.TypeFor[To]()})}
	for _, name := range m.except {
		if !m.used[name] {
			panic(fmt.Sprintf("mapping: neither %s nor %s has a field %s",
				reflect.TypeFor[From](), reflect.TypeFor[To](), name))
		}
	}
	return made
}

func (m *Mapping[From, To]) Map(from *From) (to To) {
	m.Into(&to, from)
	return to
}

// Into is Map into an existing To.
func (m *Mapping[From, To]) Into(to *To, from *From) {
	m.copy(reflect.ValueOf(from).Elem(), reflect.ValueOf(to).Elem())
}

type types struct{ from, to reflect.Type }

type maker struct {
	except     []string
	used       map[string]bool // of except
	converters map[types]copier
}

type step struct {
	from, to []int // as of reflect.Value.FieldByIndex: a field may be in an embedded structure
	copy     copier
}

func (m *maker) structs(of types) copier {
	var steps []step
	sources, targets := m.fields(of.from), m.fields(of.to)
	taken := make([]bool, len(sources))
	for _, target := range targets {
		i := slices.IndexFunc(sources, func(source reflect.StructField) bool {
			return strings.EqualFold(source.Name, target.Name)
		})
		if i < 0 {
			panic(fmt.Sprintf("mapping: %s has no value for %s of %s", of.from, target.Name, of.to))
		}
		taken[i] = true
		copied := m.values(types{sources[i].Type, target.Type})
		if copied == nil {
			panic(fmt.Sprintf("mapping: cannot convert %s of %s, a %s, to %s",
				target.Name, of.from, sources[i].Type, target.Type))
		}
		steps = append(steps, step{sources[i].Index, target.Index, copied})
	}
	if i := slices.Index(taken, false); i >= 0 {
		panic(fmt.Sprintf("mapping: %s has no field for %s of %s", of.to, sources[i].Name, of.from))
	}
	return func(from, to reflect.Value) {
		for i := range steps {
			s := &steps[i]
			s.copy(from.FieldByIndex(s.from), to.FieldByIndex(s.to))
		}
	}
}

// fields returns the fields of a structure and of those embedded in it, without the excepted ones.
func (m *maker) fields(of reflect.Type) (fields []reflect.StructField) {
	for i := range of.NumField() {
		field := of.Field(i)
		switch {
		case slices.Contains(m.except, field.Name):
			m.used[field.Name] = true
		case field.Anonymous:
			for _, inner := range m.fields(field.Type) {
				inner.Index = append([]int{i}, inner.Index...)
				fields = append(fields, inner)
			}
		default:
			fields = append(fields, field)
		}
	}
	return fields
}

// values copies a value to one of another type; nil when that is impossible.
func (m *maker) values(of types) copier {
	if convert, ok := m.converters[of]; ok {
		return convert
	}
	switch _, optional := reflect.TypeAssert[optional](reflect.New(of.to)); {
	case of.from == of.to:
		return func(from, to reflect.Value) { to.Set(from) }
	case optional:
		return m.optional(of)
	case of.to.Kind() == reflect.Pointer && isOptional(of.from):
		return m.pointer(of)
	case of.from.Kind() == reflect.String && of.to.Kind() == reflect.String:
		return func(from, to reflect.Value) { to.SetString(from.String()) }
	case of.from.Kind() == reflect.String && of.to.Kind() == reflect.Pointer && of.to.Elem().Kind() == reflect.String:
		return func(from, to reflect.Value) {
			if from.Len() > 0 {
				to.Set(reflect.New(of.to.Elem()))
				to.Elem().SetString(from.String())
			}
		}
	case of.from.Kind() == reflect.Struct && of.to.Kind() == reflect.Struct:
		return m.structs(of)
	}
	return nil
}
