package graphqlhttp

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/google/go-cmp/cmp"
	"github.com/vektah/gqlparser/v2/ast"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/limits"
)

func TestEveryScalarOfTheSchemaIsDecodedBeforeAnythingRuns(t *testing.T) {
	t.Parallel()
	for name, def := range contract().Types {
		if def.Kind == ast.Scalar && !def.BuiltIn && scalars[name] == nil {
			t.Errorf("%s is not", name)
		}
	}
}

// assign is a mutation with free-form variables, which runs in no test.
const assign = `mutation($v: JSON) { assignChecklist(input: {checklistId: "a", customerId: "b", customVariables: $v}) { transcript { id } } }`

func TestAScalarThatDoesNotFitIsRefusedBeforeAnythingRuns(t *testing.T) {
	t.Parallel()
	ran := false
	g := New(scripted{func(context.Context, *graphql.OperationContext) json.RawMessage {
		ran = true
		return json.RawMessage("{}")
	}}, limits.Defaults(), Hooks{})
	literal := func(value string) string {
		return body(strings.Replace(strings.Replace(assign, "$v", value, 2), "("+value+": JSON)", "", 1))
	}
	variable := func(value string) string {
		return `{"query":` + quoted(assign) + `,"variables":{"v":` + value + `}}`
	}
	for _, value := range []string{`[]`, `[1]`, `"a"`, `1`, `1.5`, `true`, `[{}]`} {
		for how, text := range map[string]string{"literal": literal(value), "variable": variable(value)} {
			if got := post(t, g, text); got.Data != nil || got.status != 400 {
				t.Errorf("%s %s: %s", how, value, got.text)
			}
		}
	}
	for sentence, text := range map[string]string{
		"a date that is a number":           body("{ customers(filter: {updatedSince: 99999999999999999999}) { totalCount } }"),
		"a date that is none":               body(`{ customers(filter: {updatedSince: "yesterday"}) { totalCount } }`),
		"a date in a variable that is none": body("query($d: DateTime) { viewer { clientId } customers(filter: {updatedSince: $d}) { totalCount } }", map[string]any{"d": "yesterday"}),
		"an object with variables":          body("query($d: DateTime) { customers(filter: {updatedSince: {a: $d}}) { totalCount } }"),
	} {
		if got := post(t, g, text); got.Data != nil || got.status != 400 || strings.Contains(got.text, "yesterday") {
			t.Errorf("%s: %s", sentence, got.text)
		}
	}
	if ran {
		t.Error("something ran")
	}
}

func quoted(text string) string {
	data, _ := json.Marshal(text)
	return string(data)
}

func TestTheMembersOfAnObjectKeepTheirOrder(t *testing.T) {
	t.Parallel()
	for sentence, c := range map[string]struct{ text, want string }{
		"as a literal":          {body(strings.Replace(strings.Replace(assign, "($v: JSON)", "", 1), "$v", `{b: 1, a: [{d: true, c: FOO}, "\"x<", null, []], aa: {}}`, 1)), `{"b":1,"a":[{"d":true,"c":"FOO"},"\"x<",null,[]],"aa":{}}`},
		"with variables inside": {body(strings.Replace(strings.Replace(assign, "$v: JSON", "$n: Float, $o: JSON, $unset: Int, $ids: [ID!]", 1), "$v", `{u: $unset, z: $n, y: {x: $o, w: [$unset, $ids]}, a: $unset, b: 1}`, 1), map[string]any{"n": 1.5, "o": json.RawMessage(`{"q":1,"p":{"s":2,"r":3}}`), "ids": []any{"i", 7}}), `{"z":1.5,"y":{"x":{"q":1,"p":{"s":2,"r":3}},"w":[null,["i","7"]]},"b":1}`},
		"as a default":          {body(strings.Replace(assign, "JSON", `JSON = {b: 1, a: {d: 2, c: 3}}`, 1)), `{"b":1,"a":{"d":2,"c":3}}`},
		"in a variable":         {`{"query":` + quoted(assign) + `,"variables":{"v":{"b": 1, "a": {"d": 2, "c": [{"f":1,"e":2}]}}}}`, `{"b":1,"a":{"d":2,"c":[{"f":1,"e":2}]}}`},
		"in an input object": {`{"query":"mutation($i: AssignChecklistInput!) { assignChecklist(input: $i) { transcript { id } } }","variables":{"i":{"checklistId":"a","customerId":"b","customVariables":{"b": 1, "a": {}}}}}`,
			`{"b":1,"a":{}}`},
	} {
		for range 2 { // prepared, and remembered
			var got backoffice.JSON
			g := New(scripted{func(_ context.Context, operation *graphql.OperationContext) json.RawMessage {
				input := operation.Operation.SelectionSet[0].(*ast.Field).ArgumentMap(operation.Variables)["input"].(map[string]any)
				if err := got.UnmarshalGQL(input["customVariables"]); err != nil {
					t.Errorf("%s: %v", sentence, err)
				}
				return json.RawMessage("{}")
			}}, limits.Defaults(), Hooks{})
			if reply := post(t, g, c.text); reply.status != 200 {
				t.Errorf("%s: %s", sentence, reply.text)
			}
			if got.String() != c.want {
				t.Errorf("%s: %s, not %s", sentence, got, c.want)
			}
		}
	}
}

func TestNumbersOfLiteralsKeepAllTheirDigits(t *testing.T) {
	t.Parallel()
	const exactly = `{"a":12345678901234567890123,"b":[1.10,-0.0],"c":{"d":1E2}}`
	for sentence, text := range map[string]string{
		"as a literal":           body(strings.Replace(strings.Replace(assign, "($v: JSON)", "", 1), "$v", `{a: 12345678901234567890123, b: [1.10, -0.0], c: {d: 1E2}}`, 1)),
		"with a variable inside": body(strings.Replace(strings.Replace(assign, "$v: JSON", "$n: Float", 1), "$v", `{a: 12345678901234567890123, b: [1.10, -0.0], c: {d: 1E2, e: $n}}`, 1)),
		"as a default":           body(strings.Replace(assign, "JSON", `JSON = {a: 12345678901234567890123, b: [1.10, -0.0], c: {d: 1E2}}`, 1)),
		"in a variable":          `{"query":` + quoted(assign) + `,"variables":{"v":` + exactly + `}}`,
	} {
		for range 2 { // prepared, and remembered
			var got backoffice.JSON
			g := New(scripted{func(_ context.Context, operation *graphql.OperationContext) json.RawMessage {
				input := operation.Operation.SelectionSet[0].(*ast.Field).ArgumentMap(operation.Variables)["input"].(map[string]any)
				if err := got.UnmarshalGQL(input["customVariables"]); err != nil {
					t.Errorf("%s: %v", sentence, err)
				}
				return json.RawMessage("{}")
			}}, limits.Defaults(), Hooks{})
			if reply := post(t, g, text); reply.status != 200 {
				t.Errorf("%s: %s", sentence, reply.text)
			}
			if got.String() != exactly {
				t.Errorf("%s: %s", sentence, got)
			}
		}
	}
}

func TestAWholeNumberOfAnySizeMayBeAFloat(t *testing.T) {
	t.Parallel()
	var got any
	g := New(scripted{func(_ context.Context, operation *graphql.OperationContext) json.RawMessage {
		got = operation.Operation.SelectionSet[0].(*ast.Field).ArgumentMap(operation.Variables)["filter"]
		return json.RawMessage("{}")
	}}, limits.Defaults(), Hooks{})
	const filter = `{customVariable: {key: "x", gte: 100000000000000000000}}`
	want := any(map[string]any{"customVariable": map[string]any{"key": "x", "gte": 1e20}})
	for sentence, text := range map[string]string{
		"as a literal": "{ transcripts(filter: " + filter + ") { totalCount } }",
		"as a default": "query($f: TranscriptFilter = " + filter + ") { transcripts(filter: $f) { totalCount } }",
	} {
		if reply := post(t, g, body(text)); reply.status != 200 || !cmp.Equal(got, want) {
			t.Errorf("%s: %v %s", sentence, got, reply.text)
		}
	}
}

func TestAnIdentifierMayBeAnyWholeNumber(t *testing.T) {
	t.Parallel()
	const long = "99999999999999999999"
	var ids []any
	g := New(scripted{func(_ context.Context, operation *graphql.OperationContext) json.RawMessage {
		for _, selected := range operation.Operation.SelectionSet {
			field := selected.(*ast.Field)
			switch arguments := field.ArgumentMap(operation.Variables); field.Name {
			case "node":
				ids = append(ids, arguments["id"])
			case "nodes":
				ids = append(ids, arguments["ids"].([]any)...)
			case "customers":
				ids = append(ids, arguments["filter"].(map[string]any)["ids"].([]any)...)
			}
		}
		return json.RawMessage("{}")
	}}, limits.Defaults(), Hooks{})
	text := `{"query":"query($i: ID!) { node(id: ` + long + `) { id } nodes(ids: [` + long + `, 1]) { id } b: node(id: $i) { id } customers(filter: {ids: [` + long + `]}) { totalCount } }","variables":{"i":` + long + `}}`
	if got := post(t, g, text); got.status != 200 || len(ids) != 5 {
		t.Fatalf("%v %s", ids, got.text)
	}
	for _, id := range ids {
		if id != long && id != "1" {
			t.Errorf("%#v", id)
		}
	}
}

func TestWhatGraphQLDoesNotKnowIsASyntaxError(t *testing.T) {
	t.Parallel()
	g := endpoint()
	for _, text := range []string{
		`{ customers(filter: {search: "\uD83D"}) { totalCount } }`,
		`{ customers(filter: {search: "é \uD83D\u0041"}) { totalCount } }`,
		`{ customers(filter: {search: "\uDE00"}) { totalCount } }`,
		`fragment F($a: Int) on Query { viewer { clientId } } { ...F }`,
	} {
		if got := post(t, g, body(text)); got.status != 400 || got.code() != "GRAPHQL_PARSE_FAILED" {
			t.Errorf("%s: %d %s", text, got.status, got.text)
		}
	}
	for _, text := range []string{
		`{ customers(filter: {search: "\uD83D\uDE00 \uFFFD"}) { totalCount } }`,
		`{ customers(filter: {search: """\uD83D"""}) { totalCount } }`,
		`{ customers(filter: {search: "\\uD83D �"}) { totalCount } }`,
	} {
		if got := post(t, g, body(text)); got.status != 200 {
			t.Errorf("%s: %d %s", text, got.status, got.text)
		}
	}
}

func TestPersistedQueriesAreAnsweredSoThatClientsSendTheDocument(t *testing.T) {
	t.Parallel()
	const text = `{"variables":{},"extensions":{"persistedQuery":{"version":1,"sha256Hash":"ecf4edb46db40b5132295c0291d62fb65d6759a9eedfa4d5d612dd5ec54a6b38"}}}`
	for accept, status := range map[string]int{mediaGraphQL: 400, mediaJSON: 200} {
		got := post(t, endpoint(), text, header("Accept", accept))
		if got.status != status || got.code() != "PERSISTED_DOCUMENT_NOT_FOUND" || got.Errors[0].Message != "PersistedQueryNotSupported" {
			t.Errorf("%s: %d %s", accept, got.status, got.text)
		}
	}
	with := strings.Replace(text, "{", `{"query":"{__typename}",`, 1)
	if got := post(t, endpoint(), with); got.status != 200 || got.Errors != nil {
		t.Errorf("with the document: %s", got.text)
	}
}
