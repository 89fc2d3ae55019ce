package graphqlhttp

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/google/go-cmp/cmp"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"

	"example.org/backoffice/graphql/limits"
)

func TestVariablesAreCoercedAsTheSpecificationSays(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		definitions, use, sent string
		want                   map[string]any // nil: refused
	}{
		{"$x: Int", "customers(first: $x)", `{"x":3}`, map[string]any{"x": int64(3)}},
		{"$x: Int", "customers(first: $x)", `{"x":3.0}`, map[string]any{"x": int64(3)}},
		{"$x: Int", "customers(first: $x)", `{"x":2147483647}`, map[string]any{"x": int64(2147483647)}},
		{"$x: Int", "customers(first: $x)", `{"x":2147483648}`, nil},
		{"$x: Int", "customers(first: $x)", `{"x":3.5}`, nil},
		{"$x: Int", "customers(first: $x)", `{"x":"3"}`, nil},
		{"$x: Int", "customers(first: $x)", `{"x":true}`, nil},
		{"$x: Int", "customers(first: $x)", `{"x":[3]}`, nil},
		{"$x: Int", "customers(first: $x)", `{"x":1e999}`, nil},
		{"$x: Int", "customers(first: $x)", `{"x":null}`, map[string]any{"x": nil}},
		{"$x: Int", "customers(first: $x)", `{}`, map[string]any{}},
		{"$x: Int = 7", "customers(first: $x)", `{}`, map[string]any{"x": int64(7)}},
		{"$x: Int = 7", "customers(first: $x)", `{"x":null}`, map[string]any{"x": nil}},
		{`$x: ID = "a"`, "customer(id: $x)", `{}`, map[string]any{"x": "a"}},
		{`$x: ID = "a"`, "customer(id: $x)", `{"x":null}`, nil},
		{`$x: ID = "a"`, "nodes(ids: [$x])", `{"x":null}`, nil},
		{"$x: OrderDirection", "customers(orderBy: {field: ID, direction: $x})", `{}`, map[string]any{}},
		{"$x: OrderDirection", "customers(orderBy: {field: ID, direction: $x})", `{"x":null}`, nil},
		{"$x: Boolean = true", "customers @include(if: $x)", `{"x":null}`, nil},
		{"$x: Int", "customers(first: $x)", `{"x":1,"unasked":2}`, map[string]any{"x": int64(1)}},
		{"$x: ID!", "customer(id: $x)", `{"x":"a"}`, map[string]any{"x": "a"}},
		{"$x: ID!", "customer(id: $x)", `{"x":12}`, map[string]any{"x": "12"}},
		{"$x: ID!", "customer(id: $x)", `{"x":1.5}`, nil},
		{"$x: ID!", "customer(id: $x)", `{"x":null}`, nil},
		{"$x: ID!", "customer(id: $x)", `{}`, nil},
		{"$x: [ID!]!", "nodes(ids: $x)", `{"x":["a","b"]}`, map[string]any{"x": []any{"a", "b"}}},
		{"$x: [ID!]!", "nodes(ids: $x)", `{"x":"a"}`, map[string]any{"x": []any{"a"}}},
		{"$x: [ID!]!", "nodes(ids: $x)", `{"x":["a",null]}`, nil},
		{"$x: CustomerType", "customers(filter: {type: $x})", `{"x":"COMPANY"}`, map[string]any{"x": "COMPANY"}},
		{"$x: CustomerType", "customers(filter: {type: $x})", `{"x":"company"}`, nil},
		{"$x: CustomerType", "customers(filter: {type: $x})", `{"x":0}`, nil},
		{"$x: CustomerFilter", "customers(filter: $x)", `{"x":{"ids":"a","type":null}}`, map[string]any{"x": map[string]any{"ids": []any{"a"}, "type": nil}}},
		{"$x: CustomerFilter", "customers(filter: $x)", `{"x":{"typo":1}}`, nil},
		{"$x: CustomerFilter", "customers(filter: $x)", `{"x":"a"}`, nil},
		{"$x: CustomerOrder", "customers(orderBy: $x)", `{"x":{"direction":"ASC"}}`, nil},
		{"$x: CustomerOrder", "customers(orderBy: $x)", `{"x":{"field":"ID"}}`, map[string]any{"x": map[string]any{"field": "ID"}}},
	} {
		text := "query(" + c.definitions + ") { " + c.use + " { __typename } }"
		parsed, err := parser.ParseQuery(&ast.Source{Input: text})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		_, notNull, errs := validate(contract(), parsed, 1)
		if errs != nil {
			t.Fatalf("%s: %v", text, errs)
		}
		sent, err := parseJSON(c.sent, 10)
		if err != nil {
			t.Fatal(err)
		}
		got, refused := (&document{notNull: notNull}).coerce(contract(), parsed.Operations[0], sent.(*object).members)
		if (c.want == nil) != (refused != nil) {
			t.Errorf("%s with %s: %v", text, c.sent, refused)
			continue
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s with %s: %s", text, c.sent, diff)
		}
	}
}

func TestWhetherAVariableMayBeNullIsDecidedForEachOperation(t *testing.T) {
	t.Parallel()
	const label = "fragment label on Customer { companyTypeLabel(language: $x) }"
	parsed, err := parser.ParseQuery(&ast.Source{Input: label + `
		query A($x: LabelLanguage = DUTCH) { customers { nodes { ...label } } }
		query B($x: String) { customers(filter: {search: $x}) { totalCount } }`})
	if err != nil {
		t.Fatal(err)
	}
	_, notNull, errs := validate(contract(), parsed, 1)
	if errs != nil {
		t.Fatal(errs)
	}
	for i, want := range []bool{false, true} {
		_, refused := (&document{notNull: notNull}).coerce(contract(), parsed.Operations[i], map[string]any{"x": nil})
		if (refused == nil) != want {
			t.Errorf("%s: %v", parsed.Operations[i].Name, refused)
		}
	}
}

func TestADefaultInAFragmentIsThatOfItsOperation(t *testing.T) {
	t.Parallel()
	const operations = `query B($n: String) { ...some } query A($n: String = "a") { ...some }
		query C($n: String = "c") { ...some } fragment some on Query { customers(filter: {city: $n}) { totalCount } }`
	for name, want := range map[string]map[string]any{"A": {"city": "a"}, "B": {}, "C": {"city": "c"}} {
		var got any
		g := New(scripted{func(_ context.Context, operation *graphql.OperationContext) json.RawMessage {
			some := operation.Operation.SelectionSet[0].(*ast.FragmentSpread).Definition
			got = some.SelectionSet[0].(*ast.Field).ArgumentMap(operation.Variables)["filter"]
			return json.RawMessage("{}")
		}}, limits.Defaults(), Hooks{})
		if reply := post(t, g, `{"operationName":"`+name+`","query":`+quoted(operations)+`}`); reply.status != 200 {
			t.Errorf("%s: %s", name, reply.text)
		}
		if !cmp.Equal(got, any(want)) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestARefusedVariableIsNamedWithThePlaceInIt(t *testing.T) {
	t.Parallel()
	got := post(t, endpoint(), body("query($f: CustomerFilter) { customers(filter: $f) { totalCount } }",
		map[string]any{"f": map[string]any{"ids": []any{"a", false}}}))
	if want := `the variable "$f" at "ids.1" is not of type "ID!"`; got.Errors[0].Message != want {
		t.Errorf("%s", got.Errors[0].Message)
	}
}

func TestARefusedInstantIsToldHowOneIsWritten(t *testing.T) {
	t.Parallel()
	const written = `an instant must look like "2026-06-01T09:30:00.000Z"`
	for _, sent := range []string{
		body(`{ customers(filter: {updatedSince: "2020-01-01"}) { totalCount } }`, nil),
		body(`query($at: DateTime) { customers(filter: {updatedSince: $at}) { totalCount } }`, map[string]any{"at": "2020-01-01"}),
	} {
		if got := post(t, endpoint(), sent).Errors[0].Message; !strings.Contains(got, written) || strings.Contains(got, "2020") {
			t.Error(got)
		}
	}
}
