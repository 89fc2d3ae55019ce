package execute

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

type compiler struct {
	schema    *linked
	fragments ast.FragmentDefinitionList
	variables map[string]any
	prepare   func(Selection) any
	numbers   map[ast.Selection]uint64
	known     map[string]*selection
	bytes     int
}

// Rough sizes of what a plan holds, in bytes.
const (
	fieldBytes     = 320
	selectionBytes = 160
)

// compile fails when a variable of @skip or @include has no value.
func compile(schema *linked, operation *graphql.OperationContext, prepare func(Selection) any,
	needsOnlyID func(object, field string) bool) (p *plan, err error) {
	c := &compiler{
		schema: schema, fragments: operation.Doc.Fragments, variables: operation.Variables, prepare: prepare,
		numbers: map[ast.Selection]uint64{}, known: map[string]*selection{},
	}
	p = &plan{}
	object := schema.Query
	switch operation.Operation.Operation {
	case ast.Mutation:
		object, p.serial = schema.Mutation, true
	case ast.Subscription:
		object = schema.Subscription
	}
	if p.root, err = c.selection(schema.objects[object], operation.Operation.SelectionSet); err != nil {
		return nil, err
	}
	if needsOnlyID != nil && !p.serial {
		p.root.findPrefetched(needsOnlyID)
	}
	p.bytes = c.bytes
	return p, nil
}

// findPrefetched finds the resolvers that can run together with the root field that returns their object. Fields with
// directives wait: a directive may deny them.
func (s *selection) findPrefetched(needsOnlyID func(object, field string) bool) {
	for _, f := range s.columns {
		if f.def.Identified == nil || f.def.Guard != nil {
			continue
		}
		for at, below := range f.below[0].columns {
			if below.def.Resolver && needsOnlyID(below.object.Name, below.def.Name) {
				f.prefetched = append(f.prefetched, at)
			}
		}
		f.findLevelsBelow()
	}
}

func (f *field) findLevelsBelow() {
	f.levelsBelow = false
	for _, s := range f.below {
		for at, below := range s.columns {
			if below.def.Resolver {
				f.levelsBelow = f.levelsBelow || !slices.Contains(f.prefetched, at)
			} else {
				f.levelsBelow = f.levelsBelow || below.levelsBelow
			}
		}
	}
}

// selection merges the fields that set selects of objects of a type.
func (c *compiler) selection(object *Object, set ast.SelectionSet) (*selection, error) {
	key := c.key(object, set)
	if s := c.known[key]; s != nil {
		return s, nil
	}
	s := &selection{object: object, end: []byte("}")}
	c.known[key] = s
	if err := c.collect(s, set, map[string]bool{}); err != nil {
		return nil, err
	}
	if len(s.fields) == 0 {
		s.end = []byte("{}")
	}
	for i := range s.fields {
		if err := c.finish(s, i); err != nil {
			return nil, err
		}
	}
	c.bytes += selectionBytes + len(key) + len(s.fields)*fieldBytes
	return s, nil
}

func (c *compiler) key(object *Object, set ast.SelectionSet) string {
	key := append(make([]byte, 0, len(object.Name)+1+2*len(set)), object.Name...)
	key = append(key, 0)
	for _, part := range set {
		number, known := c.numbers[part]
		if !known {
			number = uint64(len(c.numbers))
			c.numbers[part] = number
		}
		key = binary.AppendUvarint(key, number)
	}
	return string(key)
}

func (c *compiler) collect(s *selection, set ast.SelectionSet, visited map[string]bool) error {
	for _, part := range set {
		switch part := part.(type) {
		case *ast.Field:
			included, err := c.includes(part.Directives)
			if err != nil {
				return err
			}
			if included {
				s.merge(part)
			}
		case *ast.InlineFragment:
			included, err := c.includes(part.Directives)
			if err != nil {
				return err
			}
			if included && meets(s.object, part.TypeCondition) {
				if err := c.collect(s, part.SelectionSet, visited); err != nil {
					return err
				}
			}
		case *ast.FragmentSpread:
			if visited[part.Name] {
				continue
			}
			included, err := c.includes(part.Directives)
			if err != nil {
				return err
			}
			if !included {
				continue
			}
			visited[part.Name] = true
			fragment := c.fragments.ForName(part.Name)
			if meets(s.object, fragment.TypeCondition) {
				if err := c.collect(s, fragment.SelectionSet, visited); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func meets(object *Object, condition string) bool {
	return condition == "" || slices.Contains(object.Is, condition)
}

// merge adds a field, or merges its selection into the field with the same key. The order is that of first appearance.
func (s *selection) merge(part *ast.Field) {
	at := slices.IndexFunc(s.fields, func(f field) bool { return f.source.Alias == part.Alias })
	if at < 0 {
		at = len(s.fields)
		s.fields = append(s.fields, field{object: s.object, source: graphql.CollectedField{Field: part}})
	}
	if in := part.Position; in != nil {
		s.fields[at].places = append(s.fields[at].places, gqlerror.Location{Line: in.Line, Column: in.Column})
	}
	selections := &s.fields[at].source.Selections
	for _, below := range part.SelectionSet {
		if !slices.Contains(*selections, below) {
			*selections = append(*selections, below)
		}
	}
}

func (c *compiler) finish(s *selection, at int) (err error) {
	f := &s.fields[at]
	before := ','
	if at == 0 {
		before = '{'
	}
	f.prefix = fmt.Appendf(nil, "%c%q:", before, f.source.Alias)
	c.bytes += len(f.prefix)
	if f.source.Name == "__typename" {
		f.typename = fmt.Appendf(nil, "%q", s.object.Name)
		return nil
	}
	if f.def = c.schema.field(s.object, f.source.Name); f.def == nil {
		return gqlerror.Errorf("%s has no field %s", s.object.Name, f.source.Name)
	}
	if f.def.Call == nil {
		return nil
	}
	f.column = len(s.columns)
	s.columns = append(s.columns, f)
	for _, name := range f.def.Types {
		below, err := c.selection(c.schema.objects[name], f.source.Selections)
		if err != nil {
			return err
		}
		f.below = append(f.below, below)
	}
	f.findLevelsBelow()
	if f.def.Resolver && c.prepare != nil {
		f.prepared = c.prepare(Selection{f})
	}
	return nil
}

func (c *compiler) includes(directives ast.DirectiveList) (bool, error) {
	for _, d := range directives {
		if d.Name != "skip" && d.Name != "include" {
			continue
		}
		value, err := d.Arguments.ForName("if").Value.Value(c.variables)
		if err != nil {
			return false, err
		}
		condition, ok := value.(bool)
		if !ok {
			return false, gqlerror.ErrorPosf(d.Position, "the condition of @%s must be a Boolean", d.Name)
		}
		if condition == (d.Name == "skip") {
			return false, nil
		}
	}
	return true, nil
}

// linked is a Schema with its names indexed.
type linked struct {
	Schema
	objects map[string]*Object
	fields  map[*Object]map[string]*Field
}

func link(schema Schema, published *ast.Schema) *linked {
	l := &linked{Schema: schema, objects: map[string]*Object{}, fields: map[*Object]map[string]*Field{}}
	objects, roots := introspected(published)
	for _, object := range slices.Concat(schema.Objects, objects) {
		l.objects[object.Name] = object
		l.fields[object] = make(map[string]*Field, len(object.Fields))
		for _, f := range object.Fields {
			l.fields[object][f.Name] = f
		}
	}
	for _, f := range roots {
		l.fields[l.objects[schema.Query]][f.Name] = f
	}
	return l
}

func (l *linked) field(object *Object, name string) *Field { return l.fields[object][name] }
