package parity

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
)

// creatable is a noun that callers make and never change.
type creatable struct {
	fields       reflect.Type // the domain's, of what is sent
	noun         string       // in GraphQL's names
	values       map[string]value
	wrong        map[string][]refusal
	path, shown  string // of REST: to make one, and to see them all
	inPath       string // the field that stands in the path
	restNames    map[string]string
	row          func(t *testing.T, o *gatewaytest.Office, id string) any
	another      map[string]value // values of a second one, so that none is taken
	customerRows []string         // that have to be there
}

// refusal is what a field is refused for, with the code and what is told. The store refuses an unknown reference too,
// with the same code: by what is told one sees that it was not left to that.
type refusal struct {
	value         any
	code, message string
}

func refused(field, code, message string) string {
	return `[{"code":"` + code + `","field":["` + field + `"],"message":"` + message + `"}]`
}

const wrongPercent = "a percentage must be 0 to 100, with at most four decimal places"

// wrongEnd is what is refused as a relation's end.
var wrongEnd = []refusal{
	{"", "REQUIRED", "this field is required"}, {"no id", "NOT_FOUND", "no object has this identifier"}, {"nobody", "NOT_FOUND", "no customer has this identifier"},
}

// TestNoFieldOfWhatIsMadeIsForgotten is the same for the nouns that are made and stay as they are: each field is
// stored and shown as it was sent, is part of the content that an idempotency key stands for, and is checked.
func TestNoFieldOfWhatIsMadeIsForgotten(t *testing.T) {
	t.Parallel()
	label := creatable{
		fields: reflect.TypeFor[backoffice.LabelDraft](), noun: "Label", path: "/settings/labels", shown: "/settings/labels?pageSize=500",
		values:  map[string]value{"name": {graphQL: "Made"}, "color": {graphQL: "#aabbcc"}},
		another: map[string]value{"name": {graphQL: "Made again"}, "color": {graphQL: "#aabbdd"}},
		wrong: map[string][]refusal{
			"name":  {{"", "REQUIRED", "this field is required"}, {strings.Repeat("a", 10_000), "INVALID", "a text has at most 200 characters"}},
			"color": {{"red", "INVALID", "a colour must look like #1e90ff"}},
		},
		row: func(t *testing.T, o *gatewaytest.Office, id string) any { return stored(t, o.Store.Labels(), id) },
	}
	relation := creatable{
		fields: reflect.TypeFor[backoffice.RelationDraft](), noun: "CustomerRelation", path: "/customers/{customerId}/relations", shown: "/relations?pageSize=500",
		inPath: "customerId", restNames: map[string]string{"customerId": "customer", "relatedCustomerId": "relatedCustomer"},
		values: map[string]value{"customerId": {graphQL: "one-end"}, "relatedCustomerId": {graphQL: "other-end"}, "kind": {graphQL: "SHAREHOLDER", rest: "shareholder"},
			"sharePercent": {graphQL: 33.3333, rest: "33.3333"}, "votePercent": {graphQL: 50, rest: "50"}, "startDate": {graphQL: "2020-01-01"}, "endDate": {graphQL: "2026-12-31"},
			"note": {graphQL: "founder"}, "nominee": {graphQL: true}},
		another: map[string]value{"customerId": {graphQL: "third-end"}, "relatedCustomerId": {graphQL: "fourth-end"}, "kind": {graphQL: "UBO", rest: "UBO"},
			"sharePercent": {graphQL: 25.5, rest: "25.5"}, "votePercent": {graphQL: 0, rest: "0"}, "startDate": {graphQL: "2021-01-01"}, "endDate": {graphQL: "2025-12-31"},
			"note": {graphQL: "heir"}, "nominee": {graphQL: false}},
		wrong: map[string][]refusal{"customerId": wrongEnd, "relatedCustomerId": wrongEnd, "endDate": {{"2020-12-31", "INVALID", "the last day is before the first"}},
			"sharePercent": {{100.5, "INVALID", wrongPercent}, {33.33333, "INVALID", wrongPercent}}, "votePercent": {{-1, "INVALID", wrongPercent}},
			"note": {{strings.Repeat("a", 10_000), "INVALID", "a text has at most 200 characters"}}},
		row:          func(t *testing.T, o *gatewaytest.Office, id string) any { return stored(t, o.Store.Relations(), id) },
		customerRows: []string{"one-end", "other-end", "third-end", "fourth-end"},
	}
	for engine, database := range gatewaytest.Engines {
		t.Run("on "+engine, func(t *testing.T) {
			t.Parallel()
			o := gatewaytest.OpenOn(t, database(t))
			for _, c := range []creatable{label, relation} {
				t.Run(c.noun, func(t *testing.T) { c.check(t, o) })
			}
		})
	}
}

func (c *creatable) check(t *testing.T, o *gatewaytest.Office) {
	for _, id := range c.customerRows {
		err := o.Store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
			return tx.Customers().Insert(ctx, &backoffice.Customer{ID: id, Type: backoffice.Company, Version: 1})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	sent := fieldsOf(c.fields, "")
	if len(sent) != len(c.values) {
		t.Errorf("%s has %d fields, and the test values for %d", c.fields, len(sent), len(c.values))
	}
	id := c.make(t, o, c.values, "the key", "[]")
	row := reflect.ValueOf(c.row(t, o, id)).Elem()
	for i, name := range sent {
		want, known := c.values[name]
		if !known {
			t.Errorf("the test has no value for %s of %s", name, c.fields)
			continue
		}
		if got := row.FieldByName(c.fields.Field(i).Name); fmt.Sprint(got.Interface()) != fmt.Sprint(want.graphQL) {
			t.Errorf("GraphQL's creation stores %q for %s", got, name)
		}
		if got, shown := shownInList(t, o, c.shown, id)[c.restName(name)], want.inREST(); got != shown {
			t.Errorf("REST shows %v for %s", got, name)
		}
		for _, wrong := range c.wrong[name] {
			values := maps.Clone(c.another)
			values[name] = value{graphQL: wrong.value}
			c.make(t, o, values, "", refused(name, wrong.code, wrong.message))
		}
	}
	path, body := c.path, map[string]any{}
	for name, v := range c.another {
		if name == c.inPath {
			path = strings.Replace(path, "{"+name+"}", v.graphQL.(string), 1)
		} else {
			body[c.restName(name)] = v.inREST()
		}
	}
	row = reflect.ValueOf(c.row(t, o, madeID(t, o, http.MethodPost, path, body))).Elem()
	for i, name := range sent {
		if got := row.FieldByName(c.fields.Field(i).Name); fmt.Sprint(got.Interface()) != fmt.Sprint(c.another[name].graphQL) {
			t.Errorf("REST's creation stores %q for %s", got, name)
		}
	}
	for _, name := range sent {
		values := maps.Clone(c.values)
		values[name] = c.another[name]
		c.make(t, o, values, "the key", refused("idempotencyKey", "IDEMPOTENCY_KEY_REUSED", "the idempotency key was used with other content"))
	}
}

// make makes one by GraphQL, and wants these user errors.
func (c *creatable) make(t *testing.T, o *gatewaytest.Office, values map[string]value, key, want string) (id string) {
	t.Helper()
	input := map[string]any{}
	for name, v := range values {
		input[name] = v.graphQL
	}
	if key != "" {
		input["idempotencyKey"] = key
	}
	mutation, payload := "create"+c.noun, strings.ToLower(strings.TrimPrefix(c.noun, "Customer"))
	made := o.Query(t, o.Credential(t, backoffice.AllScopes...), `mutation ($input: Create`+c.noun+`Input!) { `+mutation+`(input: $input) { `+payload+` { id } userErrors { code field message } } }`,
		text(t, map[string]any{"input": input}))
	var answer map[string]map[string]json.RawMessage
	if err := json.Unmarshal(made.Data, &answer); err != nil || string(answer[mutation]["userErrors"]) != want {
		t.Fatalf("%s of %v: %s %v, want %s", mutation, input, made.Data, made.Errors, want)
	}
	var object struct{ ID string }
	_ = json.Unmarshal(answer[mutation][payload], &object)
	return object.ID
}

func (c *creatable) restName(field string) string {
	if other, ok := c.restNames[field]; ok {
		return other
	}
	return field
}

func (v value) inREST() any {
	if v.rest != nil {
		return v.rest
	}
	return v.graphQL
}

// stored is a row as it is in the store.
func stored[T any, C comparable](t *testing.T, rows backoffice.Reader[*T, C], id string) *T {
	t.Helper()
	found, err := backoffice.ReadByID(t.Context(), rows, []string{id}, 0)
	if err != nil || found[id] == nil {
		t.Fatalf("%s is not there: %v", id, err)
	}
	return found[id]
}

// shownInList is the object of a REST list that has an identifier.
func shownInList(t *testing.T, o *gatewaytest.Office, path, id string) map[string]any {
	t.Helper()
	var list struct{ Data []map[string]any }
	if err := json.Unmarshal(o.Send(t, o.Credential(t, backoffice.AllScopes...), http.MethodGet, path, "").Body.Bytes(), &list); err != nil {
		t.Fatal(err)
	}
	for _, shown := range list.Data {
		if shown["_id"] == id {
			return shown
		}
	}
	t.Fatalf("%s is not in %s", id, path)
	return nil
}
