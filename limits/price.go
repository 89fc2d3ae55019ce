package limits

import (
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"example.org/backoffice/backoffice"
)

// Price is the cost of an operation as a formula: known once for a document, and evaluated for a request with its
// variables, which may state the sizes of connections. It may be used by many requests at a time.
//
// An object costs 1, a connection 1 and its size times the cost of what is selected per node; edges, node, nodes,
// scalars and enums cost nothing; totalCount and statusCounts cost 1 each and a mutation 10; a list of objects that a
// list of identifiers asks for costs as many objects. Fields that a directive may leave out are counted.
type Price struct {
	sums  []sum // of each selection set that depends on variables
	root  sum
	limit int
}

// sum is fixed + Σ size × sums[of].
type sum struct {
	fixed int
	parts []part
}

type part struct {
	size size
	of   int
}

// size is how many nodes a field may answer with.
type size struct {
	fixed     int      // the largest literal; -1 if there is none
	variables []string // each may state another one
	list      string   // or the variable whose list's length it is
}

// Price makes the formula of one operation of a validated document.
func (s Settings) Price(schema *ast.Schema, operation *ast.OperationDefinition) *Price {
	p := pricing{schema: schema, fragments: make(map[*ast.FragmentDefinition]halves)}
	root := p.selections(operation.SelectionSet).whole
	return &Price{sums: p.sums, root: root, limit: s.Cost}
}

// Cost evaluates the formula with coerced variables. It stops growing at 2⁴⁰.
func (p *Price) Cost(variables map[string]any) int {
	if len(p.root.parts) == 0 {
		return p.root.fixed
	}
	known := make([]int, len(p.sums)) // 1 + the value
	return p.value(p.root, variables, known)
}

// Check refuses a cost over the limit.
func (p *Price) Check(cost int) *gqlerror.Error {
	if cost > p.limit {
		return refuse(CodeCost, "the operation costs more than %d", p.limit)
	}
	return nil
}

func (p *Price) value(s sum, variables map[string]any, known []int) int {
	total := s.fixed
	for _, part := range s.parts {
		if known[part.of] == 0 {
			known[part.of] = 1 + p.value(p.sums[part.of], variables, known)
		}
		total = plus(total, times(part.size.value(variables), known[part.of]-1))
	}
	return total
}

func (s size) value(variables map[string]any) int {
	if s.list != "" {
		if list, ok := variables[s.list].([]any); ok {
			return len(list)
		}
		return 1
	}
	stated := s.fixed
	for _, name := range s.variables {
		switch n := variables[name].(type) {
		case int64:
			stated = max(stated, int(n))
		case int:
			stated = max(stated, n)
		}
	}
	if stated < 0 {
		return backoffice.DefaultPageSize
	}
	return min(stated, backoffice.MaxPageSize)
}

// halves is the price of a selection set in two parts, since a connection multiplies one of them: what is selected
// per node, and the whole of the rest. Anywhere but in a connection or its edges, perNode is empty.
type halves struct{ whole, perNode sum }

type pricing struct {
	schema    *ast.Schema
	sums      []sum
	fragments map[*ast.FragmentDefinition]halves
}

func (p *pricing) selections(set ast.SelectionSet) (total halves) {
	for _, selection := range set {
		switch selection := selection.(type) {
		case *ast.Field:
			p.field(&total, selection)
		case *ast.InlineFragment:
			inner := p.selections(selection.SelectionSet)
			p.add(&total.whole, one, inner.whole)
			p.add(&total.perNode, one, inner.perNode)
		case *ast.FragmentSpread:
			inner := p.fragment(selection.Definition)
			p.add(&total.whole, one, inner.whole)
			p.add(&total.perNode, one, inner.perNode)
		}
	}
	return total
}

// fragment prices a fragment once; where it depends on variables its sums get numbers of their own, so that it is
// also evaluated once.
func (p *pricing) fragment(fragment *ast.FragmentDefinition) halves {
	if fragment == nil {
		return halves{}
	}
	if known, ok := p.fragments[fragment]; ok {
		return known
	}
	p.fragments[fragment] = halves{} // a circle is the validator's to refuse
	price := p.selections(fragment.SelectionSet)
	price.whole, price.perNode = p.shared(price.whole), p.shared(price.perNode)
	p.fragments[fragment] = price
	return price
}

// shared turns a sum with several parts into one with a single part.
func (p *pricing) shared(s sum) sum {
	if len(s.parts) < 2 {
		return s
	}
	return sum{parts: []part{{size: one, of: p.number(s)}}}
}

func (p *pricing) number(s sum) int {
	p.sums = append(p.sums, s)
	return len(p.sums) - 1
}

var one = size{fixed: 1}

// add adds size × s to a sum, folding what does not depend on variables.
func (p *pricing) add(to *sum, n size, s sum) {
	switch constant := n.list == "" && len(n.variables) == 0; {
	case constant && len(s.parts) == 0:
		to.fixed = plus(to.fixed, times(n.value(nil), s.fixed))
	case constant && n.value(nil) == 1:
		to.fixed = plus(to.fixed, s.fixed)
		to.parts = append(to.parts, s.parts...)
	case constant && n.value(nil) == 0, len(s.parts) == 0 && s.fixed == 0:
	default:
		to.parts = append(to.parts, part{size: n, of: p.number(s)})
	}
}

func (p *pricing) field(total *halves, field *ast.Field) {
	if field.Definition == nil || strings.HasPrefix(field.Name, "__") {
		if field.Name == "__schema" || field.Name == "__type" {
			total.whole.fixed = plus(total.whole.fixed, 1) // bounded by Measure
		}
		return
	}
	parent := field.ObjectDefinition
	kind := p.schema.Types[field.Definition.Type.Name()]
	switch inConnection := isConnection(parent); {
	case inConnection && field.Name == "totalCount":
		total.whole.fixed = plus(total.whole.fixed, 1)
	case kind == nil || !kind.IsCompositeType():
	case inConnection && field.Name == "edges", inConnection && field.Name == "nodes":
		inner := p.selections(field.SelectionSet)
		p.add(&total.perNode, one, inner.whole)
		p.add(&total.perNode, one, inner.perNode)
	case field.Name == "node" && isEdge(parent):
		p.add(&total.whole, one, p.selections(field.SelectionSet).whole)
	case isConnection(kind):
		inner := p.selections(field.SelectionSet)
		total.whole.fixed = plus(total.whole.fixed, 1)
		p.add(&total.whole, one, inner.whole)
		p.add(&total.whole, sizeOfConnection(field), inner.perNode)
	case parent == p.schema.Mutation:
		total.whole.fixed = plus(total.whole.fixed, 10)
		p.add(&total.whole, one, p.selections(field.SelectionSet).whole)
	default:
		object := sum{fixed: 1}
		p.add(&object, one, p.selections(field.SelectionSet).whole)
		p.add(&total.whole, sizeOfList(field), object)
	}
}

// sizeOfConnection reads first, last or pageSize; two of them at once are refused by the resolver, the larger counts.
func sizeOfConnection(field *ast.Field) size {
	n := size{fixed: -1}
	for _, name := range [...]string{"first", "last", "pageSize"} {
		value := argument(field, name)
		switch {
		case value == nil:
		case value.Kind == ast.Variable:
			n.variables = append(n.variables, value.Raw)
		case value.Kind == ast.IntValue:
			n.fixed = max(n.fixed, integer(value.Raw))
		}
	}
	return n
}

// sizeOfList reads how many identifiers a field that answers with a list of objects is given.
func sizeOfList(field *ast.Field) size {
	if field.Definition.Type.Elem == nil {
		return one
	}
	value := argument(field, "ids")
	switch {
	case value == nil:
		return one
	case value.Kind == ast.Variable:
		return size{fixed: 1, list: value.Raw}
	case value.Kind == ast.ListValue:
		return size{fixed: len(value.Children)}
	}
	return one
}

// argument is the value that a field is given, or the default that the schema has for it.
func argument(field *ast.Field, name string) *ast.Value {
	if given := field.Arguments.ForName(name); given != nil {
		return given.Value
	}
	if defined := field.Definition.Arguments.ForName(name); defined != nil {
		return defined.DefaultValue
	}
	return nil
}

// integer reads a literal; one that does not fit is as large as any.
func integer(literal string) int {
	n := 0
	for _, digit := range strings.TrimPrefix(literal, "-") {
		n = min(n*10+int(digit-'0'), ceiling)
	}
	if strings.HasPrefix(literal, "-") {
		return 0 // refused by the resolver
	}
	return n
}

func isConnection(def *ast.Definition) bool {
	return def != nil && def.Kind == ast.Object && strings.HasSuffix(def.Name, "Connection") && def.Fields.ForName("edges") != nil
}

func isEdge(def *ast.Definition) bool {
	return def != nil && def.Kind == ast.Object && strings.HasSuffix(def.Name, "Edge") && def.Fields.ForName("cursor") != nil
}
