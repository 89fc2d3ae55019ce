package gatewaytest

import (
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
)

// MutationsOfTheSchema are the fields of Mutation in schema.graphqls.
func MutationsOfTheSchema(t *testing.T) ast.FieldList {
	t.Helper()
	text, err := os.ReadFile(Path("schema.graphqls"))
	if err != nil {
		t.Fatal(err)
	}
	schema, err := gqlparser.LoadSchema(&ast.Source{Name: "schema.graphqls", Input: string(text)})
	if err != nil {
		t.Fatal(err)
	}
	return schema.Mutation.Fields
}

// PathsOf are the fields, arguments and input fields of a schema: "Query.customers(first)".
func PathsOf(schema *ast.Schema) (paths []string) {
	for _, of := range schema.Types {
		if strings.HasPrefix(of.Name, "__") || of.Kind != ast.Object && of.Kind != ast.InputObject {
			continue
		}
		for _, f := range of.Fields {
			if strings.HasPrefix(f.Name, "__") || ofLog[of.Name] {
				continue
			}
			paths = append(paths, of.Name+"."+f.Name)
			for _, arg := range f.Arguments {
				paths = append(paths, of.Name+"."+f.Name+"("+arg.Name+")")
			}
		}
	}
	slices.Sort(paths)
	return paths
}

// ofLog are the types below changes: comparisons compare the log entry by entry.
var ofLog = map[string]bool{"ChangeConnection": true, "ChangeEdge": true, "Change": true, "ChangeParent": true}

// SchemaOf is the schema that an office serves.
func SchemaOf(t testing.TB, o *Office) *ast.Schema {
	t.Helper()
	text := o.Send(t, [2]string{}, http.MethodGet, "/schema.graphqls", "").Body.String()
	schema, err := gqlparser.LoadSchema(&ast.Source{Input: text})
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// PagedFields are the fields of Query that return pages and need no argument.
func PagedFields(schema *ast.Schema) (names []string) {
	for _, field := range schema.Query.Fields {
		needs := slices.ContainsFunc(field.Arguments, func(a *ast.ArgumentDefinition) bool { return a.Type.NonNull && a.DefaultValue == nil })
		if field.Arguments.ForName("after") != nil && field.Arguments.ForName("first") != nil && field.Name != "changes" && !needs {
			names = append(names, field.Name)
		}
	}
	return names
}
