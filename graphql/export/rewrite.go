package export

import (
	"slices"

	"github.com/vektah/gqlparser/v2/ast"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/limits"
)

// rewriting copies selections and adds what a walk has to know: whether each list has more rows than requested.
type rewriting struct {
	*selecting
	schema    *ast.Schema
	fragments map[string]*ast.FragmentDefinition // already rewritten
	rewritten ast.FragmentDefinitionList
}

// list selects the rows of the walked connection as the document does. With cursors they are edges.
func (r *rewriting) list(root *selected, cursors bool) (*ast.Field, error) {
	var chosen *selected
	for _, f := range r.fields(root.set) {
		if f.name != "edges" && f.name != "nodes" {
			continue // a total or the like, that each page would compute again
		}
		if chosen != nil {
			return nil, backoffice.Errorf(backoffice.BadInput,
				"the list is selected twice, as %s and %s: keep one",
				backoffice.ShownName(chosen.alias), backoffice.ShownName(f.alias))
		}
		chosen = f
	}
	if chosen == nil {
		return nil, backoffice.Errorf(backoffice.BadInput, "select at least one field of the list's nodes")
	}
	field := *chosen.source
	field.Directives, field.SelectionSet = nil, nil
	edge := r.schema.Types[r.schema.Types[root.definition.Type.Name()].Fields.ForName("edges").Type.Name()]
	if chosen.name == "nodes" {
		field.SelectionSet = r.set(chosen.set)
		if !cursors {
			return &field, nil
		}
		inner := r.field(edge, "node", "node")
		inner.SelectionSet = field.SelectionSet
		outer := r.field(r.schema.Types[root.definition.Type.Name()], "edges", field.Alias)
		outer.SelectionSet = ast.SelectionSet{r.field(edge, "cursor", cursorName), inner}
		return outer, nil
	}
	if cursors {
		field.SelectionSet = ast.SelectionSet{r.field(edge, "cursor", cursorName)}
	}
	nodes := 0
	for _, f := range r.selecting.fields(chosen.set) {
		if f.name == "cursor" && limits.IsEdge(f.parent) {
			continue
		}
		if f.name == "node" {
			nodes++
		}
		part := *f.source
		part.Directives, part.SelectionSet = nil, r.set(f.set)
		field.SelectionSet = append(field.SelectionSet, &part)
	}
	switch {
	case nodes > 1:
		return nil, backoffice.Errorf(backoffice.BadInput,
			"the list's nodes are selected twice: keep one")
	case len(field.SelectionSet) == 0 || cursors && len(field.SelectionSet) == 1:
		return nil, backoffice.Errorf(backoffice.BadInput, "select at least one field of the list's nodes")
	}
	return &field, nil
}

func (*rewriting) field(of *ast.Definition, name, alias string) *ast.Field {
	return &ast.Field{Name: name, Alias: alias, Definition: of.Fields.ForName(name), ObjectDefinition: of}
}

// page selects fields of a connection's pageInfo.
func (r *rewriting) page(connection *ast.FieldDefinition, names ...string) *ast.Field {
	info := r.field(r.schema.Types[connection.Type.Name()], "pageInfo", pageName)
	of := r.schema.Types[info.Definition.Type.Name()]
	for _, name := range names {
		info.SelectionSet = append(info.SelectionSet, r.field(of, name, name))
	}
	return info
}

func (r *rewriting) set(set ast.SelectionSet) ast.SelectionSet {
	made := make(ast.SelectionSet, 0, len(set))
	for _, part := range set {
		switch part := part.(type) {
		case *ast.Field:
			field := *part
			field.SelectionSet = r.set(part.SelectionSet)
			if limits.IsConnection(r.schema.Types[part.Definition.Type.Name()]) && r.hasRows(part.SelectionSet) {
				page := ast.Selection(r.page(part.Definition, r.more(part)))
				field.SelectionSet = slices.Insert(field.SelectionSet, 0, page)
			}
			made = append(made, &field)
		case *ast.InlineFragment:
			fragment := *part
			fragment.SelectionSet = r.set(part.SelectionSet)
			made = append(made, &fragment)
		case *ast.FragmentSpread:
			spread := *part
			spread.Definition = r.fragment(part.Name)
			made = append(made, &spread)
		}
	}
	return made
}

func (r *rewriting) fragment(name string) *ast.FragmentDefinition {
	if known := r.fragments[name]; known != nil {
		return known
	}
	fragment := *r.selecting.fragments.ForName(name)
	r.fragments[name] = &fragment
	r.rewritten = append(r.rewritten, &fragment)
	fragment.SelectionSet = r.set(fragment.SelectionSet)
	return &fragment
}

// hasRows reports whether a connection's rows are selected, and not its total alone.
func (r *rewriting) hasRows(set ast.SelectionSet) bool {
	return slices.ContainsFunc(r.fields(set), func(f *selected) bool { return f.name == "edges" || f.name == "nodes" })
}

// more returns the field of pageInfo that reports further rows, on the side on which the page was cut.
func (r *rewriting) more(field *ast.Field) string {
	if given := field.ArgumentMap(r.variables); given["last"] != nil {
		return "hasPreviousPage"
	}
	return "hasNextPage"
}
