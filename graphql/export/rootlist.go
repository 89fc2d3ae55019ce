package export

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/graphqlhttp"
	"example.org/backoffice/graphql/limits"
	"example.org/backoffice/privacy"
)

// rootList is the list that an export walks, and the query for a page of it.
type rootList struct {
	query  *graphqlhttp.Query // with its own variables, below
	name   string             // for a file
	row    *shape             // of an element of the list
	first  int64              // the requested number of rows; -1 for all
	after  string             // "" for the start
	scopes []backoffice.Scope // that the whole document needs
}

// Variables of a page's query, with names that no document can have.
const (
	firstVariable = "+first"
	afterVariable = "+after"
)

// rootListOf finds a document's list and rewrites the document to ask for a page and for what the walk has to know.
// Errors: BadInput for a document that cannot be exported, OverLimit, and those of a query's limits.
func rootListOf(asked *graphqlhttp.Query, o Options) (*rootList, error) {
	if asked.Operation.Operation != ast.Query {
		return nil, backoffice.Errorf(backoffice.BadInput, "only a query can be exported")
	}
	s := &selecting{fragments: asked.Document.Fragments, variables: asked.Variables}
	roots := s.fields(asked.Operation.SelectionSet)
	if len(roots) != 1 || !limits.IsConnection(asked.Schema.Types[roots[0].definition.Type.Name()]) {
		return nil, backoffice.Errorf(backoffice.BadInput,
			"an export must have exactly one root field, a list with edges; this document has %s", namesOf(roots))
	}
	root := roots[0]
	l := &rootList{name: cmp.Or(asked.Operation.Name, root.name)}
	arguments, err := l.window(root, asked.Variables, o)
	if err != nil {
		return nil, err
	}
	r := &rewriting{selecting: s, schema: asked.Schema, fragments: map[string]*ast.FragmentDefinition{}}
	list, err := r.list(root, o.Cursor)
	if err != nil {
		return nil, err
	}
	field := *root.source
	field.Arguments, field.SelectionSet, field.Directives = arguments,
		ast.SelectionSet{r.page(root.definition, "hasNextPage", "endCursor"), list}, nil
	operation := *asked.Operation
	operation.SelectionSet, operation.Directives = ast.SelectionSet{&field}, nil
	query := *asked
	query.Operation = &operation
	query.Document = &ast.QueryDocument{Operations: ast.OperationList{&operation}, Fragments: r.rewritten}
	l.query = &query
	for _, name := range limits.Scopes(asked.Schema, asked.Operation, asked.Variables) {
		l.scopes = append(l.scopes, backoffice.Scope(name))
	}
	shapes := &shaping{selecting: &selecting{fragments: r.rewritten, variables: asked.Variables}}
	if l.row, err = shapes.of(list.SelectionSet); err != nil {
		return nil, err
	}
	l.row.paths("")
	return l, l.row.named(map[string]bool{cursorColumn: true, truncatedColumn: true})
}

func namesOf(fields []*selected) string {
	shown := func(f *selected) string { return backoffice.ShownName(f.alias) }
	return cutTo(backoffice.Map(fields, shown), "nothing")
}

// cutTo lists names, at most ten of them.
func cutTo(names []string, none string) string {
	const most = 10
	switch {
	case len(names) == 0:
		return none
	case len(names) > most:
		return strings.Join(names[:most], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}

// window reads the requested part of the list from its arguments, and replaces them with the variables of a page.
func (l *rootList) window(root *selected, variables map[string]any, o Options) (ast.ArgumentList, error) {
	given := root.source.ArgumentMap(variables)
	for _, name := range []string{"last", "before", "page", "pageSize"} {
		if given[name] != nil {
			return nil, backoffice.Errorf(backoffice.BadInput,
				"an export is forward only: its list takes first and after, not %s", name)
		}
	}
	l.first = -1
	if root.source.Arguments.ForName("first") != nil && given["first"] != nil {
		first, ok := given["first"].(int64)
		if !ok || first < 0 {
			return nil, backoffice.Errorf(backoffice.BadInput, "first must be 0 or more")
		}
		l.first = first
	}
	after, _ := given["after"].(string)
	l.after = cmp.Or(o.After, after)
	arguments := slices.DeleteFunc(slices.Clone(root.source.Arguments), func(a *ast.Argument) bool {
		return slices.Contains([]string{"first", "after", "last", "before", "page", "pageSize"}, a.Name)
	})
	for name, variable := range map[string]string{"first": firstVariable, "after": afterVariable} {
		if root.definition.Arguments.ForName(name) == nil {
			return nil, backoffice.Errorf(backoffice.BadInput, "this list cannot be exported")
		}
		arguments = append(arguments, &ast.Argument{Name: name, Value: &ast.Value{Kind: ast.Variable, Raw: variable},
			Position: root.source.Position})
	}
	return arguments, nil
}

func (l *rootList) variables(first int64, after string) map[string]any {
	values := map[string]any{}
	maps.Copy(values, l.query.Variables)
	values[firstVariable] = first
	if after != "" {
		values[afterVariable] = after
	}
	return values
}

// admit checks that the context's principal may see all that the document asks for, and has the register record the
// export as such. Errors: Forbidden; BadInput when the register requires a purpose.
func (l *rootList) admit(ctx context.Context) (context.Context, error) {
	for _, scope := range l.scopes {
		if err := auth.Require(ctx, scope); err != nil {
			return ctx, err
		}
	}
	if slices.Contains(l.scopes, backoffice.PrivacyRead) {
		return privacy.AsExport(ctx)
	}
	return ctx, nil
}

var errTwice = errors.New("duplicate name")

// named rejects rows in which a name would occur twice, or would be one that is taken already.
func (s *shape) named(seen map[string]bool) error {
	for _, m := range s.members {
		if m.role == node {
			if err := m.below.named(seen); err != nil {
				return err
			}
			continue
		}
		if seen[m.name] && m.role == plain {
			return &backoffice.Error{Kind: backoffice.BadInput, Cause: errTwice, Message: "a row would have the name " +
				backoffice.ShownName(m.name) + " twice: give one of them an alias"}
		}
		seen[m.name] = true
	}
	return nil
}
