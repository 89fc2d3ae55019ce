package answers_test

import (
	"slices"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"example.org/backoffice/graph"
	"example.org/backoffice/graphql/answers"
	"example.org/backoffice/graphql/execute"
)

func schemaOfServer() *ast.Schema {
	return graph.NewBreadthFirst(graph.Config{}, execute.Options{}).Schema()
}

// reached are the types that a query or a subscription can select from.
func reached(schema *ast.Schema) map[string]*ast.Definition {
	all := map[string]*ast.Definition{}
	var walk func(def *ast.Definition)
	walk = func(def *ast.Definition) {
		if def == nil || !def.IsCompositeType() || all[def.Name] != nil {
			return
		}
		all[def.Name] = def
		for _, field := range def.Fields {
			walk(schema.Types[field.Type.Name()])
		}
		for _, possible := range schema.GetPossibleTypes(def) {
			walk(possible)
		}
	}
	walk(schema.Query)
	walk(schema.Subscription)
	return all
}

func TestEveryFieldOfTheSchemaHasAClass(t *testing.T) {
	t.Parallel()
	schema, counted := schemaOfServer(), map[answers.Class]int{}
	for name, def := range reached(schema) {
		if def.BuiltIn {
			continue
		}
		for _, field := range def.Fields {
			if len(field.Name) > 1 && field.Name[:2] == "__" {
				continue
			}
			class := answers.ClassOf(schema, name, field)
			if counted[class]++; class == answers.Unknown {
				t.Errorf("%s.%s has no class: list it in fields.go as of its reads or as of the request", name, field.Name)
			}
			if field.Directives.ForName("hasScope") != nil && class != answers.OfRequest {
				t.Errorf("%s.%s needs a scope, and its answers are kept", name, field.Name)
			}
		}
	}
	if counted[answers.OfReads] < 150 || counted[answers.OfRequest] < 30 {
		t.Errorf("%d fields are of their reads, %d of the request", counted[answers.OfReads], counted[answers.OfRequest])
	}
}

func TestEveryListedFieldIsInTheSchema(t *testing.T) {
	t.Parallel()
	types := reached(schemaOfServer())
	for of, fields := range answers.Listed() {
		def := types[of]
		if def == nil {
			t.Errorf("no query can select from %s", of)
			continue
		}
		for _, name := range fields {
			if name != "*" && def.Fields.ForName(name) == nil {
				t.Errorf("%s has no field %s", of, name)
			}
		}
	}
}

func TestADocumentIsKeepableOnlyIfAllThatItSelectsIsOfItsReads(t *testing.T) {
	t.Parallel()
	schema := schemaOfServer()
	keepable := []string{
		`{ customers { nodes { id displayName companyTypeLabel(language: DUTCH) relations { edges { otherCustomer { name } } } } totalCount } }`,
		`query A { users { nodes { id } } } query B { labels { nodes { id } } }`,
		`subscription { changes { cursor action parents { id } object { id ... on Customer { name responsible { firstName } } } } }`,
		`{ node(id: "x") { __typename id ... on Customer { ...c } } } fragment c on Customer { name responsible { labels { color } } }`,
	}
	not := []string{
		`{ viewer { clientId } }`, `{ customers { nodes { registrationNumber } } }`, `{ __schema { types { name } } }`,
		`{ customers { nodes { documents { nodes { file { size downloadPath } } } } } }`,
		`{ node(id: "x") { id ... on Customer { ...c } } } fragment c on Customer { privacyAccesses { totalCount } }`,
		`{ changes { latestCursor } }`, `{ savedQueries { name } }`, `{ minfinDocuments { totalCount } }`,
		`query A { users { nodes { id } } } query B { viewer { name } }`, `{ ... { customers { nodes { ... { spouseRegistrationNumber } } } } }`,
		`mutation { deleteUser(input: {id: "x"}) { __typename } }`,
		`subscription { changes { cursor object { ... on Customer { registrationNumber } } } }`,
		`subscription { changes { object { ... on CustomerDocument { file { downloadPath } } } } }`,
		`{ changes { nodes { ...c } } } fragment c on Change { cursor }`, `{ changes { edges { node { cursor } } } }`,
	}
	for i, text := range slices.Concat(keepable, not) {
		document, errs := gqlparser.LoadQueryWithRules(schema, text, nil)
		if errs != nil {
			t.Fatal(text, errs)
		}
		if got, want := answers.Keepable(schema, document), i < len(keepable); got != want {
			t.Errorf("%s: %t instead of %t", text, got, want)
		}
	}
}
