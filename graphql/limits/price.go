package limits

import (
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"example.org/backoffice/backoffice"
)

// Price has formulas for the cost of an operation (docs/limits.md) and for the values in its lists. They are made once
// for a document, and evaluated with the variables of each request.
type Price struct {
	formula
	limit int
	pages []*ast.Field // of a mutation's payloads
	least formula      // the part of the cost that is spent even if nothing is found
	lists formula      // values in lists of arguments
}

type formula struct {
	sums []sum // of each selection set that depends on variables
	root sum
	most int // beyond it nothing more is added
}

// sum is fixed + Σ amount × sums[of], each part at most sums[most]; sums[0] is the ceiling.
type sum struct {
	fixed int
	parts []part
}

type part struct {
	amount   amount
	of, most int
}

// Price makes the formulas of one operation of a validated document.
func (s Settings) Price(schema *ast.Schema, operation *ast.OperationDefinition) *Price {
	p := pricing{schema: schema, listed: s.ListValues, sums: []sum{{fixed: ceiling}},
		fragments: make(map[*ast.FragmentDefinition]halves)}
	root := p.selections(operation.SelectionSet)
	p.add(&root.whole, one, root.reading)
	if operation.Operation != ast.Mutation {
		p.pages = nil
	}
	return &Price{
		formula: formula{p.sums, root.whole, ceiling}, limit: s.Cost, least: formula{p.sums, root.least, ceiling},
		lists: formula{p.sums, root.lists, s.ListValues}, pages: p.pages,
	}
}

// Cost evaluates the formula with coerced variables, in a store of this size. It stops growing at 2⁴⁰.
func (p *Price) Cost(variables map[string]any, rows Rows) int { return p.of(variables, rows) }

// Least is the part of the cost that is spent even if nothing is found, once per field. A mutation is charged whole.
func (p *Price) Least(variables map[string]any, rows Rows) int { return p.least.of(variables, rows) }

func (p *Price) Check(cost int) *gqlerror.Error {
	if cost > p.limit {
		return refuse(CodeCost, "the operation costs %d, more than %d", cost, p.limit)
	}
	return nil
}

func (f *formula) of(variables map[string]any, rows Rows) int {
	if len(f.root.parts) == 0 {
		return f.root.fixed
	}
	known := make([]int, len(f.sums)) // 1 + the value
	return f.value(f.root, variables, rows, known)
}

func (f *formula) value(s sum, variables map[string]any, rows Rows, known []int) int {
	total := s.fixed
	of := func(i int) int {
		if known[i] == 0 {
			known[i] = 1 + f.value(f.sums[i], variables, rows, known)
		}
		return known[i] - 1
	}
	for i := 0; i < len(s.parts) && total <= f.most; i++ {
		part := s.parts[i]
		total = plus(total, min(times(part.amount.of(variables, rows), of(part.of)), of(part.most)))
	}
	return total
}

// halves is the price of a selection set in two parts: what is selected per node of a connection, and the rest.
type halves struct {
	whole, perNode sum
	lists          sum  // values in lists of arguments
	least          sum  // spent even if nothing is found
	reading        sum  // rows that are read but not in the answer, for each parent
	every          sum  // reading for all parents that exist: each is asked once
	counts         int  // totalCount
	statuses       int  // statusCounts, which are groups
	again          int  // aliases of edges, node and nodes, and cursors: each may ask for every node again
	info           bool // pageInfo, for which a page of no rows is read, too
}

type pricing struct {
	schema    *ast.Schema
	listed    int // how many values the lists of arguments may have
	sums      []sum
	pages     []*ast.Field
	fragments map[*ast.FragmentDefinition]halves
}

func (p *pricing) selections(set ast.SelectionSet) (total halves) {
	for _, selection := range set {
		switch selection := selection.(type) {
		case *ast.Field:
			inner := p.selections(selection.SelectionSet)
			p.arguments(&total.lists, selection)
			p.add(&total.lists, one, inner.lists)
			p.add(&total.least, one, inner.least)
			p.add(&total.reading, p.parentsIn(selection), inner.reading, inner.every)
			p.add(&total.every, one, inner.every)
			p.field(&total, selection, inner)
		case *ast.InlineFragment:
			p.join(&total, p.selections(selection.SelectionSet))
		case *ast.FragmentSpread:
			p.join(&total, p.fragment(selection.Definition))
		}
	}
	return total
}

func (p *pricing) join(total *halves, inner halves) {
	p.add(&total.whole, one, inner.whole)
	p.add(&total.perNode, one, inner.perNode)
	p.add(&total.lists, one, inner.lists)
	p.add(&total.least, one, inner.least)
	p.add(&total.reading, one, inner.reading)
	p.add(&total.every, one, inner.every)
	total.counts, total.statuses = plus(total.counts, inner.counts), plus(total.statuses, inner.statuses)
	total.again, total.info = plus(total.again, inner.again), total.info || inner.info
}

// fragment prices a fragment once. What depends on variables is also evaluated only once.
func (p *pricing) fragment(fragment *ast.FragmentDefinition) halves {
	if fragment == nil {
		return halves{}
	}
	if known, ok := p.fragments[fragment]; ok {
		return known
	}
	p.fragments[fragment] = halves{} // the validator rejects a cycle
	price := p.selections(fragment.SelectionSet)
	for _, s := range []*sum{&price.whole, &price.perNode, &price.lists, &price.least, &price.reading, &price.every} {
		*s = p.shared(*s)
	}
	p.fragments[fragment] = price
	return price
}

// shared turns a sum that depends on variables into one with a single part, which does not.
func (p *pricing) shared(s sum) sum {
	if len(s.parts) == 0 || len(s.parts) == 1 && s.parts[0].amount.varying == nil {
		return s
	}
	return sum{parts: []part{{amount: one, of: p.number(s)}}}
}

func (p *pricing) number(s sum) int {
	p.sums = append(p.sums, s)
	return len(p.sums) - 1
}

// add adds n × s to a sum, at most another sum, and folds what does not depend on variables.
func (p *pricing) add(to *sum, n amount, s sum, most ...sum) {
	switch constant := n.varying == nil; {
	case constant && len(s.parts) == 0:
		to.fixed = plus(to.fixed, times(n.of(nil, Rows{}), s.fixed))
	case constant && n.of(nil, Rows{}) == 1:
		to.fixed = plus(to.fixed, s.fixed)
		to.parts = append(to.parts, s.parts...)
	case constant && n.of(nil, Rows{}) == 0, len(s.parts) == 0 && s.fixed == 0:
	default:
		added := part{amount: n, of: p.number(s)}
		for _, s := range most {
			added.most = p.number(s)
		}
		to.parts = append(to.parts, added)
	}
}

func (p *pricing) field(total *halves, field *ast.Field, inner halves) {
	if field.Definition == nil || strings.HasPrefix(field.Name, "__") {
		if field.Name == "__schema" || field.Name == "__type" {
			total.whole.fixed = plus(total.whole.fixed, 1) // bounded by Measure
		}
		return
	}
	parent := field.ObjectDefinition
	kind := p.schema.Types[field.Definition.Type.Name()]
	switch inConnection := IsConnection(parent); {
	case inConnection && field.Name == "totalCount":
		total.counts = plus(total.counts, 1)
	case inConnection && field.Name == "statusCounts":
		total.statuses = plus(total.statuses, 1)
	case inConnection && field.Name == "pageInfo":
		total.info = true
		total.whole.fixed = plus(total.whole.fixed, 1)
	case kind != nil && (kind.Name == "JSON" || kind.Name == "JSONValue"):
		total.whole.fixed = plus(total.whole.fixed, costOfJSON)
	case IsEdge(parent) && field.Name == "cursor":
		total.again = plus(total.again, 1)
	case kind == nil || !kind.IsCompositeType():
	case inConnection && (field.Name == "edges" || field.Name == "nodes"):
		p.add(&total.perNode, one, inner.whole)
		p.add(&total.perNode, one, inner.perNode)
		total.again = plus(total.again, plus(inner.again, aliased(field)))
	case field.Name == "node" && IsEdge(parent):
		p.add(&total.whole, one, inner.whole)
		total.again = plus(total.again, aliased(field))
	case IsConnection(kind):
		p.connection(total, field, inner, parent)
	case isAggregate(kind):
		p.work(total, "", groupsOf(field), 1)
		p.work(total, "", unindexedIn(field, "", one, 0), 1)
		p.add(&total.whole, one, inner.whole)
	case isStructure(kind):
		p.work(total, "", one, costOfStructure)
		p.add(&total.whole, one, inner.whole)
	case isDuplicates(kind):
		p.work(total, "", groupsOf(field), 1)
		p.work(total, "", unindexedIn(field, "", one, 0), 1)
		p.add(&total.whole, sizeOfConnection(field), inner.whole)
	case isDuplicates(parent):
		p.add(&total.whole, one, sum{fixed: 1})
		p.add(&total.whole, one, inner.whole)
	case isAggregate(parent) || isGroup(parent): // each alias is answered once per group
		p.work(total, "", one, times(aliased(field), costOfGroups))
		p.add(&total.whole, one, inner.whole)
	case parent == p.schema.Query && field.Definition.Type.Elem != nil &&
		field.Definition.Arguments.ForName("ids") == nil: // a list without a size
		p.work(total, "", one, costOfGroups)
		p.add(&total.whole, one, inner.whole)
	case parent == p.schema.Mutation:
		each := sum{fixed: costOfMutation}
		p.add(&each, one, inner.whole)
		p.add(&each, cascadeOf(field), sum{fixed: 1})
		p.add(&total.whole, inputsOf(field), each)
		p.add(&total.whole, assignedBy(field), sum{fixed: 1})
	default:
		object := sum{fixed: 1}
		p.add(&object, one, inner.whole)
		p.add(&total.whole, sizeOfList(field), object)
	}
}

const (
	costOfMutation    = 10
	costOfJSON        = 3   // up to 64 KiB, and each alias repeats it
	costOfGroups      = 100 // per alias, or of a list without a size
	costOfStructure   = 200 // of owners or holdings: 20 levels, 2,000 relations in memory
	rowsSkippedForOne = 100
)

// work adds what is spent even if nothing is found: n × cost for each of a noun; "" for what is spent each time.
func (p *pricing) work(total *halves, of backoffice.Noun, n amount, cost int) {
	each := sum{}
	p.add(&each, n, sum{fixed: cost})
	p.add(&total.reading, one, each)
	p.add(&total.least, one, each)
	p.add(&total.every, existing(of), each)
}

// parentsIn is how many objects a field returns, at most as many as exist.
func (p *pricing) parentsIn(field *ast.Field) amount {
	switch {
	case field.Definition == nil || IsConnection(field.ObjectDefinition):
		return one
	case IsConnection(p.schema.Types[field.Definition.Type.Name()]):
		size, most := sizeOfConnection(field), existing(nounIn(field))
		return amount{varying: func(variables map[string]any, rows Rows) int {
			return min(size.of(variables, rows), most.of(variables, rows))
		}}
	case field.ObjectDefinition == p.schema.Mutation:
		return inputsOf(field)
	case isDuplicates(p.schema.Types[field.Definition.Type.Name()]):
		return sizeOfConnection(field)
	}
	return sizeOfList(field)
}

func (p *pricing) connection(total *halves, field *ast.Field, inner halves, parent *ast.Definition) {
	p.pages = append(p.pages, field)
	total.whole.fixed = plus(total.whole.fixed, 1)
	p.add(&total.whole, one, inner.whole)
	size := sizeOfConnection(field)
	read := size
	if inner.info {
		read = one
	}
	node := sum{fixed: max(1, inner.again)}
	p.add(&node, one, inner.perNode)
	p.add(&total.whole, size, node)
	of := backoffice.Noun("")
	if parent != p.schema.Query && parent.Name != workList {
		of = nounOf(parent.Name)
	}
	p.work(total, of, skippedBy(field), 1)
	p.work(total, of, unindexedIn(field, of, read, min(inner.counts, 1)+min(inner.statuses, 1)), 1)
	p.work(total, of, passedOver(field, of, read), 1)
	p.work(total, of, counted(field, of, rowsLookedAt), inner.counts)
	p.work(total, of, counted(field, of, rowsGrouped), inner.statuses)
}

func aliased(field *ast.Field) int {
	if field.Alias != field.Name {
		return 1
	}
	return 0
}

// IsConnection reports whether a type is a page of a list.
func IsConnection(def *ast.Definition) bool { return isObject(def, "Connection", "edges") }

// IsEdge reports whether a type is a row of such a page.
func IsEdge(def *ast.Definition) bool      { return isObject(def, "Edge", "cursor") }
func isAggregate(def *ast.Definition) bool { return isObject(def, "Aggregate", "groups") }

func isStructure(def *ast.Definition) bool { return isObject(def, "", "unknownShares") }

func isDuplicates(def *ast.Definition) bool { return isObject(def, "Duplicates", "groups") }
func isGroup(def *ast.Definition) bool      { return isObject(def, "Group", "keys") }

func isObject(def *ast.Definition, suffix, field string) bool {
	return def != nil && def.Kind == ast.Object && strings.HasSuffix(def.Name, suffix) &&
		def.Fields.ForName(field) != nil
}
