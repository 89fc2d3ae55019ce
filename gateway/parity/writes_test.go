package parity

import (
	"maps"
	"net/http"
	"strings"

	"pgregory.net/rapid"
)

// input is one customer as each API takes it.
type input struct{ rest, graphql map[string]any }

// draw adds a field, or not, as null or with a value.
func (in *input) draw(r *rapid.T, rest, graphql string, values ...string) {
	switch rapid.IntRange(0, 4).Draw(r, rest+"?") {
	case 0, 1:
	case 2:
		in.rest[rest], in.graphql[graphql] = nil, nil
	default:
		value := rapid.SampledFrom(values).Draw(r, rest)
		in.rest[rest], in.graphql[graphql] = value, value
	}
}

func (f *twoAPIs) customerInput(r *rapid.T) *input {
	in := &input{map[string]any{}, map[string]any{}}
	in.draw(r, "name", "name", texts.Draw(r, "a name"), "", strings.Repeat("é", 201), "a\nb")
	in.draw(r, "firstName", "firstName", texts.Draw(r, "a first name"), "An")
	in.draw(r, "lastName", "lastName", "Peeters", "")
	in.draw(r, "kboNumber", "kboNumber", "0403.019.261", "BE0200065765", "0403019262", "x")
	in.draw(r, "companyType", "companyType", "BV", "FEITELIJKE_VERENIGING")
	in.draw(r, "customerCode", "customerCode", append([]string{"new " + texts.Draw(r, "a code")}, f.pools["customerCode"][:3]...)...)
	in.draw(r, "responsible", "responsibleId", append([]string{"nobody", "a b", ""}, f.pools["id"]...)...)
	in.draw(r, "language", "language", "dutch", "Dutch", "klingon")
	in.draw(r, "email", "email", "An@Example.org", "no address", strings.Repeat("a", 300)+"@b.be")
	in.draw(r, "phone", "phone", "+32 9 251 11 11", "12", "+32412345678")
	in.draw(r, "registrationNumber", "registrationNumber", f.pools["registrationNumber"]...)
	in.draw(r, "spouseRegistrationNumber", "spouseRegistrationNumber", f.pools["registrationNumber"]...)
	if rapid.Bool().Draw(r, "scopes?") {
		scopes := rapid.SliceOfN(rapid.SampledFrom([]string{"checklist", "vat-os", "Bad", "annual-accounts"}), 0, 4).Draw(r, "scopes")
		in.rest["scopes"], in.graphql["scopes"] = scopes, scopes
	}
	if rapid.Bool().Draw(r, "address?") {
		address := map[string]any{"city": texts.Draw(r, "city"), "box": nil, "street": rapid.SampledFrom([]string{"Kerkstraat", "", "x\ty"}).Draw(r, "street")}
		in.rest["addressFields"], in.graphql["address"] = address, address
	}
	return in
}

// create makes the same customer on each API, one after the other, changes it in the same way, and compares what comes
// of it.
func (f *twoAPIs) create(r *rapid.T) {
	name, by := f.credential(r)
	made, changed := f.customerInput(r), f.customerInput(r)
	word := rapid.SampledFrom(sortedKeys(flipped(customerWords))).Draw(r, "type")
	made.rest["type"], made.graphql["type"] = word, flipped(customerWords)[word]

	show := func(node map[string]any) map[string]any {
		shown := asCustomer(name == "every scope")(node)
		for _, chance := range []string{"_id", "createdAt", "updatedAt"} {
			delete(shown, chance)
		}
		if shown["displayName"] == node["id"] {
			shown["displayName"] = "its identifier"
		}
		return shown
	}
	bare := func(object map[string]any) map[string]any {
		shown := map[string]any{}
		maps.Copy(shown, object)
		if object["displayName"] == object["_id"] {
			shown["displayName"] = "its identifier"
		}
		for _, chance := range []string{"_id", "createdAt", "updatedAt"} {
			delete(shown, chance)
		}
		return shown
	}

	// A customer of the one API is gone before that of the other is made: codes are unique.
	var ofREST, ofGraphQL []any
	status, body, _ := f.rest(by, http.MethodPost, "/customers", made.rest)
	ofREST = append(ofREST, outcome(status, body, bare))
	if status == http.StatusCreated {
		path := "/customers/" + body["_id"].(string)
		status, body, _ = f.rest(by, http.MethodPut, path, changed.rest)
		ofREST = append(ofREST, outcome(status, body, bare))
		status, _, _ = f.rest(by, http.MethodDelete, path, nil)
		f.agree(r, "deleting", status, http.StatusNoContent)
	}

	const payload = " { customer { " + selectCustomer + " } userErrors { code field } } }"
	data, codes := f.graphql(by, "mutation($input: CreateCustomerInput!) { payload: createCustomer(input: $input)"+payload, map[string]any{"input": made.graphql})
	done, customer := f.payload(data, codes, show)
	ofGraphQL = append(ofGraphQL, done)
	if customer != nil {
		changed.graphql["id"] = customer["id"]
		data, codes = f.graphql(by, "mutation($input: UpdateCustomerInput!) { payload: updateCustomer(input: $input)"+payload, map[string]any{"input": changed.graphql})
		done, _ = f.payload(data, codes, show)
		ofGraphQL = append(ofGraphQL, done)
		f.graphql(by, "mutation($id: ID!) { deleteCustomer(input: {id: $id}) { deletedCustomerId } }", map[string]any{"id": customer["id"]})
	}
	f.agree(r, "creating and changing a customer", ofREST, ofGraphQL)
}

// outcome is the object, or the places and codes of what is wrong.
func outcome(status int, body map[string]any, show func(map[string]any) map[string]any) any {
	switch status {
	case http.StatusOK, http.StatusCreated:
		return show(body)
	case http.StatusForbidden:
		return "FORBIDDEN"
	}
	var faults []string
	errors, _ := body["errors"].([]any)
	for _, fault := range errors {
		fault := fault.(map[string]any)
		faults = append(faults, fault["pointer"].(string)+" "+fault["code"].(string))
	}
	return faults
}

// payload is the same of a GraphQL payload, in REST's names.
func (f *twoAPIs) payload(data map[string]any, codes map[string]bool, show func(map[string]any) map[string]any) (any, map[string]any) {
	payload, _ := data["payload"].(map[string]any)
	if payload == nil {
		for code := range codes {
			return code, nil
		}
		return "nothing", nil
	}
	if customer, ok := payload["customer"].(map[string]any); ok {
		return show(customer), customer
	}
	var faults []string
	for _, fault := range payload["userErrors"].([]any) {
		fault := fault.(map[string]any)
		place := ""
		for i, name := range fault["field"].([]any) {
			name := name.(string)
			if own, differs := map[string]string{"responsibleId": "responsible", "address": "addressFields"}[name]; differs && i == 0 {
				name = own
			}
			place += "/" + name
		}
		faults = append(faults, place+" "+fault["code"].(string))
	}
	return faults, nil
}
