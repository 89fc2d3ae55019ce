package agents

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
)

// An answer has a field only where a fragment's type or a directive admits it.
func TestEachAnswerFitsTheSchemaThatItsToolDescribes(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	texts := map[string]string{
		"either": `query Either($id: ID!) { node(id: $id) { id
			... on Transcript { customer { displayName } } ... on CustomerDocument { customer { id } } } }`,
		"perhaps": `query Perhaps($x: Boolean = false) {
			viewer { name } ... @include(if: $x) { viewer { clientId } } }`,
		"later": `query Later($x: Boolean = false) {
			viewer @include(if: $x) { ...Named } viewer { ...Named } } fragment Named on Viewer { name }`,
		"both": `query Both($id: ID!) { customer(id: $id) { ...Card ...Card relations { nodes { relatedCustomer { ...Card } } } } }
			fragment Card on Customer { id displayName }`,
	}
	for name, text := range texts {
		o.Tool(t, backoffice.Tool{Name: name, About: "A part of it."}, text)
	}
	header := gatewaytest.CredentialHeader(o.Credential(t))
	described := map[string]json.RawMessage{}
	for _, tool := range o.Agent(t, header, "tools/list", map[string]any{}).Tools {
		described[tool.Name] = tool.OutputSchema
	}
	for _, c := range []struct{ tool, arguments, required string }{
		{"either", `{"id": "tr-1"}`, ``},
		{"either", `{"id": "doc-1"}`, `"required":["id"]`},
		{"perhaps", `{"x": true}`, ``},
		{"perhaps", `{}`, `"required":["name"]`},
		{"later", `{}`, `"required":["name"]`},
		{"both", `{"id": "acme"}`, `"required":["id","displayName","relations"]`},
		{"both", `{"id": "acme"}`, `"required":["relatedCustomer"]`},
		{"both", `{"id": "acme"}`, `"required":["id","displayName"]`},
	} {
		var schema jsonschema.Schema
		if err := json.Unmarshal(described[c.tool], &schema); err != nil {
			t.Fatal(err)
		}
		resolved, err := schema.Resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		a := o.Calls(t, header, c.tool, c.arguments)
		var data any
		if a.IsError || json.Unmarshal(a.StructuredContent, &data) != nil {
			t.Fatalf("%s: %.500s", c.tool, a.Whole)
		}
		if err := resolved.Validate(data); err != nil {
			t.Errorf("%s %s: %v, in %s", c.tool, c.arguments, err, a.StructuredContent)
		}
		if !strings.Contains(string(described[c.tool]), c.required) {
			t.Errorf("%s has no %s: %s", c.tool, c.required, described[c.tool])
		}
	}
}

// The ways through these documents are more than anything could follow.
func TestAListIsCutThoughFragmentsSpreadEachOtherTwice(t *testing.T) {
	t.Parallel()
	const levels = 40
	o := narrow(t, "SQLite")
	people(t, o, 400, func(i int) string { return fmt.Sprintf("a customer with a long name, number %d", i) })
	double := "query { customers(first: 400) { nodes { ...F1 } } }"
	for i := range levels {
		double += fmt.Sprintf(" fragment F%d on Customer { ...F%d ...F%d }", i+1, i+2, i+2)
	}
	double += fmt.Sprintf(" fragment F%d on Customer { id displayName }", levels+1)

	// Each occurrence of one field spreads the next level.
	const depth = 5
	repeated := "query { customers(first: 400) { nodes { id displayName ...G1 } } }"
	for i := range depth {
		repeated += fmt.Sprintf(" fragment G%d on Customer {", i+1)
		again := fmt.Sprintf(" transcripts(first: 0) { nodes { customer { ...G%d } } }", i+2)
		repeated += strings.Repeat(again, 60) + " }"
	}
	repeated += fmt.Sprintf(" fragment G%d on Customer { id }", depth+1)
	header := gatewaytest.CredentialHeader(o.Credential(t))
	for _, text := range []string{double, repeated} {
		a := o.Calls(t, header, "query", gatewaytest.JSON(t, map[string]string{"query": text}))
		if a.IsError || len(a.StructuredContent) < 2<<10 || len(a.Meta.Cut) != 1 || a.Meta.Cut[0].Rows < 10 {
			t.Errorf("%.50s: %.500s", text, a.Whole)
		}
	}
}

func TestAVariableThatACommentMentionsStillSizesItsList(t *testing.T) {
	t.Parallel()
	o := narrow(t, "SQLite")
	people(t, o, 300, func(i int) string { return fmt.Sprintf("a customer with a long name, number %d", i) })
	o.Tool(t, backoffice.Tool{Name: "noted", About: "Customers."}, `# $first: how many
		query Noted($first: Int = 200, $after: String) {
			customers(first: $first, after: $after, filter: {not: {city: "$first"}}) {
				nodes { id displayName } pageInfo { hasNextPage endCursor } } }`)
	header := gatewaytest.CredentialHeader(o.Credential(t))
	a := o.Calls(t, header, "noted", `{}`)
	if cursor, more := pageIn(t, a.StructuredContent); len(a.Meta.Cut) != 1 || !more || a.Meta.Cut[0].Cursor != cursor ||
		cursor == "" {
		t.Errorf("%+v: %.500s", a.Meta.Cut, a.Whole)
	}
}
