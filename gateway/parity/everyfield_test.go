package parity

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
)

// value is what a field is sent as in these tests.
type value struct {
	graphQL any
	rest    any // GraphQL when nil
	text    bool
}

// writable is a noun whose fields can be sent.
type writable struct {
	fields        reflect.Type // the domain's, of what is sent
	values        map[string]value
	graphQL, rest string                                                // the noun in names and in paths
	restNames     map[string]string                                     // where they are others than GraphQL's
	make          func(t *testing.T, o *gatewaytest.Office) (id string) // without any of the values
	create        map[string]any                                        // what a creation needs beside; nil when there is none
	row           func(t *testing.T, o *gatewaytest.Office, id string) any
	restUpdate    string
	show          func(t *testing.T, o *gatewaytest.Office, id string) map[string]any // nil: its path
}

// TestNoFieldThatIsSentIsForgotten finds the fields by reflection: one that is new in the domain fails here until it
// has a value, and then until GraphQL and REST take it in creations and updates, it is stored, cleared, compared,
// shown and checked.
func TestNoFieldThatIsSentIsForgotten(t *testing.T) {
	t.Parallel()
	customer := writable{
		fields: reflect.TypeFor[backoffice.CustomerFields](), graphQL: "Customer", rest: "/customers", restUpdate: http.MethodPut,
		restNames: map[string]string{"responsibleId": "responsible", "address": "addressFields"},
		create:    map[string]any{"type": value{graphQL: "COMPANY", rest: "Company"}},
		values: map[string]value{
			"type": {graphQL: "PRIVATE_PERSON", rest: "Private Person"}, "name": {graphQL: "After", text: true},
			"firstName": {graphQL: "Ann", text: true}, "lastName": {graphQL: "Peeters", text: true}, "scopes": {graphQL: []string{"checklist"}},
			"kboNumber": {graphQL: "0200065765"}, "companyType": {graphQL: "IN_OPRICHTING"}, "customerCode": {graphQL: "C-1", text: true},
			"address.street": {graphQL: "Kerkstraat", text: true}, "address.houseNumber": {graphQL: "1", text: true}, "address.box": {graphQL: "A", text: true},
			"address.postalCode": {graphQL: "9000", text: true}, "address.city": {graphQL: "Gent", text: true}, "address.country": {graphQL: "BE", text: true},
			"responsibleId": {graphQL: "user-of-the-test"}, "language": {graphQL: "dutch", text: true}, "email": {graphQL: "after@b.example", text: true},
			"phone": {graphQL: "+32 9 251 11 11", text: true}, "registrationNumber": {graphQL: "85073003328"}, "spouseRegistrationNumber": {graphQL: "85073003328"},
		},
		make: func(t *testing.T, o *gatewaytest.Office) string {
			return madeID(t, o, http.MethodPost, "/customers", map[string]any{"type": "Company"})
		},
		row: func(t *testing.T, o *gatewaytest.Office, id string) any {
			c := *stored(t, o.Store.Customers(), id)
			c.ID, c.CreatedAt, c.UpdatedAt, c.Version, c.HiddenChanges, c.OpenUpdatedAt = "", 0, 0, 0, 0, 0
			if c.DisplayName == id {
				c.DisplayName = ""
			}
			return &c
		},
	}
	user := writable{
		fields: reflect.TypeFor[backoffice.UserFields](), graphQL: "User", rest: "/users", restUpdate: http.MethodPatch,
		restNames: map[string]string{"labelIds": "labels"},
		values: map[string]value{
			"firstName": {graphQL: "After", text: true}, "lastName": {graphQL: "After", text: true}, "email": {graphQL: "after@b.example", text: true},
			"language": {graphQL: "dutch", text: true}, "labelIds": {graphQL: []string{"label-of-the-test"}},
		},
		make: func(t *testing.T, o *gatewaytest.Office) string { return o.User(t, backoffice.NewID()) },
		row: func(t *testing.T, o *gatewaytest.Office, id string) any {
			u := *stored(t, o.Store.Users(), id)
			u.ID, u.Version = "", 0
			return &u
		},
	}
	const held = "customer-of-the-test"
	relation := writable{
		fields: reflect.TypeFor[backoffice.RelationFields](), graphQL: "CustomerRelation", rest: "/customers/" + held + "/relations", restUpdate: http.MethodPatch,
		values: map[string]value{
			"sharePercent": {graphQL: 33.3333, rest: "33.3333"}, "votePercent": {graphQL: 50, rest: "50"}, "startDate": {graphQL: "2020-01-01"}, "endDate": {graphQL: "2026-12-31"},
			"note": {graphQL: "founder", text: true}, "nominee": {graphQL: true},
		},
		make: func(t *testing.T, o *gatewaytest.Office) string {
			other := madeID(t, o, http.MethodPost, "/customers", map[string]any{"type": "Company"})
			return madeID(t, o, http.MethodPost, "/customers/"+held+"/relations", map[string]any{"relatedCustomer": other, "kind": "shareholder"})
		},
		row: func(t *testing.T, o *gatewaytest.Office, id string) any {
			r := *stored(t, o.Store.Relations(), id)
			r.ID, r.RelatedCustomerID, r.CreatedAt, r.Version = "", "", 0, 0
			return &r
		},
		show: func(t *testing.T, o *gatewaytest.Office, id string) map[string]any {
			for _, shown := range showObject(t, o, "/relations?pageSize=500&relatedCustomer="+stored(t, o.Store.Relations(), id).RelatedCustomerID)["data"].([]any) {
				return shown.(map[string]any)
			}
			return nil
		},
	}
	for engine, database := range gatewaytest.Engines {
		t.Run("on "+engine, func(t *testing.T) {
			t.Parallel()
			o := gatewaytest.OpenOn(t, database(t))
			o.User(t, "user-of-the-test")
			err := o.Store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
				return tx.Customers().Insert(ctx, &backoffice.Customer{ID: held, Type: backoffice.Company, DisplayName: "Held", Version: 1})
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range []writable{customer, user, relation} {
				fields := fieldsOf(w.fields, "")
				if len(fields) != len(w.values) {
					t.Errorf("%s has %d fields, and the test values for %d", w.fields, len(fields), len(w.values))
				}
				for _, field := range fields {
					v, known := w.values[field]
					if !known {
						t.Errorf("the test has no value for %s of %s", field, w.fields)
						continue
					}
					t.Run(w.graphQL+" "+field, func(t *testing.T) { w.check(t, o, field, v) })
				}
			}
		})
	}
}

// fieldsOf names the fields as GraphQL does, and the parts of those that have parts.
func fieldsOf(of reflect.Type, before string) (names []string) {
	for f := range of.Fields() {
		name := before + string(unicode.ToLower(rune(f.Name[0]))) + strings.ReplaceAll(f.Name[1:], "ID", "Id")
		if get, ok := f.Type.MethodByName("Get"); ok && get.Type.Out(0) == reflect.TypeFor[backoffice.AddressFields]() {
			names = append(names, fieldsOf(get.Type.Out(0), name+".")...)
			continue
		}
		names = append(names, name)
	}
	return names
}

// check sends one field in every way.
func (w *writable) check(t *testing.T, o *gatewaytest.Office, field string, v value) {
	v.rest = v.inREST()
	id := w.make(t, o)
	before := w.row(t, o, id)
	show := w.show
	if show == nil {
		show = func(t *testing.T, o *gatewaytest.Office, id string) map[string]any {
			return showObject(t, o, w.rest+"/"+id)
		}
	}
	shown := show(t, o, id)
	w.update(t, o, id, field, v.graphQL, "")
	after := w.row(t, o, id)
	if cmp.Equal(before, after, sealedNumbers) {
		t.Fatalf("GraphQL's update of %s was answered and changed nothing", field)
	}
	if cmp.Equal(shown[w.restName(field)], show(t, o, id)[w.restName(field)]) {
		t.Errorf("REST does not show %s", field)
	}
	if v.text {
		w.update(t, o, id, field, strings.Repeat("a", 10_000), "INVALID")
	}
	unique := field == "customerCode"
	if field != "type" && !strings.HasPrefix(w.fields.Name()+field, "UserFields") || unique {
		w.update(t, o, id, field, nil, "")
		if cleared := w.row(t, o, id); !cmp.Equal(before, cleared, sealedNumbers) {
			t.Errorf("%s is not cleared by null:\n%s", field, cmp.Diff(before, cleared, sealedNumbers))
		}
	}
	same := func(way, id string) {
		if row := w.row(t, o, id); !cmp.Equal(after, row, sealedNumbers) {
			t.Errorf("%s makes another %s:\n%s", way, field, cmp.Diff(after, row, sealedNumbers))
		}
		if unique {
			w.update(t, o, id, field, nil, "")
		}
	}
	id = w.make(t, o)
	if answer := o.Send(t, o.Credential(t, backoffice.AllScopes...), w.restUpdate, w.rest+"/"+id, text(t, nested(w.restName(field), v.rest))); answer.Code != http.StatusOK {
		t.Fatalf("REST's update of %s: %d %s", field, answer.Code, answer.Body)
	}
	same("REST's update", id)
	if w.create == nil {
		return
	}
	inGraphQL, inREST := map[string]any{}, map[string]any{}
	for name, needed := range w.create {
		inGraphQL[name], inREST[name] = needed.(value).graphQL, needed.(value).rest
	}
	maps.Copy(inGraphQL, nested(field, v.graphQL))
	maps.Copy(inREST, nested(w.restName(field), v.rest))
	noun := strings.ToLower(w.graphQL)
	made := o.Query(t, o.Credential(t, backoffice.AllScopes...), `mutation ($input: Create`+w.graphQL+`Input!) { create`+w.graphQL+`(input: $input) { `+noun+` { id } userErrors { code field } } }`,
		text(t, map[string]any{"input": inGraphQL}))
	var payload map[string]map[string]struct{ ID string }
	_ = json.Unmarshal(made.Data, &payload)
	same("GraphQL's creation", payload["create"+w.graphQL][noun].ID)
	same("REST's creation", madeID(t, o, http.MethodPost, w.rest, inREST))
}

// update sends one field by GraphQL and wants it taken, or refused with a code at the field.
func (w *writable) update(t *testing.T, o *gatewaytest.Office, id, field string, v any, refused string) {
	t.Helper()
	input := nested(field, v)
	input["id"] = id
	answer := o.Query(t, o.Credential(t, backoffice.AllScopes...), `mutation ($input: Update`+w.graphQL+`Input!) { update`+w.graphQL+`(input: $input) { userErrors { code field } } }`, text(t, map[string]any{"input": input}))
	want := `[]`
	if refused != "" {
		want = `[{"code":"` + refused + `","field":["` + strings.ReplaceAll(field, ".", `","`) + `"]}]`
	}
	if got := string(answer.Data); got != `{"update`+w.graphQL+`":{"userErrors":`+want+`}}` {
		t.Fatalf("%s as %.40v: %s %v", field, v, got, answer.Errors)
	}
}

func (w *writable) restName(field string) string {
	first, rest, parts := strings.Cut(field, ".")
	if other, ok := w.restNames[first]; ok {
		first = other
	}
	if parts {
		return first + "." + rest
	}
	return first
}

// sealedNumbers compares what is sealed by the number in it.
var sealedNumbers = cmp.Comparer(func(a, b backoffice.Sealed) bool { return a.SameNumber(b) })

// nested is an object with one field, in an object of its own when its name has two parts.
func nested(field string, v any) map[string]any {
	if first, rest, parts := strings.Cut(field, "."); parts {
		return map[string]any{first: map[string]any{rest: v}}
	}
	return map[string]any{field: v}
}

func text(t *testing.T, v any) string {
	t.Helper()
	encoded, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded)
}

// madeID sends a REST request that makes something, and returns its identifier.
func madeID(t *testing.T, o *gatewaytest.Office, method, path string, body map[string]any) string {
	t.Helper()
	answer := o.Send(t, o.Credential(t, backoffice.AllScopes...), method, path, text(t, body))
	var made struct {
		ID string `json:"_id"`
	}
	if err := json.Unmarshal(answer.Body.Bytes(), &made); err != nil || made.ID == "" {
		t.Fatalf("%s: %d %s", path, answer.Code, answer.Body)
	}
	return made.ID
}

// showObject reads an object by REST; parts of objects have names with a point.
func showObject(t *testing.T, o *gatewaytest.Office, path string) map[string]any {
	t.Helper()
	var shown map[string]any
	if err := json.Unmarshal(o.Send(t, o.Credential(t, backoffice.AllScopes...), http.MethodGet, path, "").Body.Bytes(), &shown); err != nil {
		t.Fatal(err)
	}
	for name, of := range shown {
		if object, ok := of.(map[string]any); ok {
			for part, v := range object {
				shown[name+"."+part] = v
			}
		}
	}
	return shown
}
