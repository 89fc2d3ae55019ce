package parity

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
)

// sent is a request of the tests below: what its answer must be, as compact JSON.
type sent struct{ query, variables, want string }

// converse sends requests in order as one credential.
func converse(t *testing.T, o *gatewaytest.Office, credential [2]string, requests ...sent) {
	t.Helper()
	for _, one := range requests {
		var variables json.RawMessage
		if one.variables != "" {
			variables = json.RawMessage(one.variables)
		}
		_, body, _ := o.Ask(t, credential, one.query, variables, nil)
		if diff := cmp.Diff(pretty(t, []byte(one.want)), pretty(t, body)); diff != "" {
			t.Errorf("%s %s\n%s", one.query, one.variables, diff)
		}
	}
}

func TestAbsentKeepsAndNullClearsHoweverItIsSent(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	const selected = `{ customer { name email } userErrors { code } }`
	const whole = `mutation($input: UpdateCustomerInput!) { updateCustomer(input: $input) ` + selected + ` }`
	const nested = `mutation($id: ID!, $name: String, $email: String) { updateCustomer(input: {id: $id, name: $name, email: $email}) ` + selected + ` }`
	const byDefault = `mutation($id: ID!, $name: String = "Default", $email: String = null) { updateCustomer(input: {id: $id, name: $name, email: $email}) ` + selected + ` }`
	for name, c := range map[string]struct{ query, variables, customer string }{
		"the whole input is a variable without the fields": {whole, `{"input": {"id": "ID"}}`, `{"name": "Before", "email": "a@b.be"}`},
		"the whole input is a variable with a null":        {whole, `{"input": {"id": "ID", "email": null}}`, `{"name": "Before", "email": null}`},
		"the whole input is a variable with a value":       {whole, `{"input": {"id": "ID", "name": "After"}}`, `{"name": "After", "email": "a@b.be"}`},
		"nested variables that are not supplied":           {nested, `{"id": "ID"}`, `{"name": "Before", "email": "a@b.be"}`},
		"a nested variable that is null":                   {nested, `{"id": "ID", "email": null}`, `{"name": "Before", "email": null}`},
		"a nested variable with a value":                   {nested, `{"id": "ID", "name": "After"}`, `{"name": "After", "email": "a@b.be"}`},
		"nested variables with defaults":                   {byDefault, `{"id": "ID"}`, `{"name": "Default", "email": null}`},
		"a literal null":                                   {`mutation($id: ID!) { updateCustomer(input: {id: $id, email: null}) ` + selected + ` }`, `{"id": "ID"}`, `{"name": "Before", "email": null}`},
	} {
		t.Run(name, func(t *testing.T) {
			converse(t, o, o.Credential(t, backoffice.AllScopes...), sent{c.query, strings.Replace(c.variables, "ID", o.MakeCustomer(t), 1),
				`{"data": {"updateCustomer": {"customer": ` + c.customer + `, "userErrors": []}}}`})
		})
	}
}

func TestAPartOfAnAddressIsKeptClearedOrSet(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	writer := o.Credential(t, backoffice.CustomersWrite)
	id := o.MakeCustomer(t)
	const query = `mutation($id: ID!, $address: AddressInput, $box: String) {
		whole: updateCustomer(input: {id: $id, address: $address}) { customer { address { street box city } } }
		part: updateCustomer(input: {id: $id, address: {box: $box}}) { customer { address { street box city } } } }`
	step := func(variables, whole, part string) sent {
		return sent{query, `{"id": "` + id + `"` + variables + `}`,
			`{"data": {"whole": {"customer": {"address": ` + whole + `}}, "part": {"customer": {"address": ` + part + `}}}}`}
	}
	converse(t, o, writer,
		step(`, "address": {"street": "Kerkstraat", "box": "1"}`, `{"street": "Kerkstraat", "box": "1", "city": null}`, `{"street": "Kerkstraat", "box": "1", "city": null}`),
		step(`, "address": {"street": null, "city": "Gent"}, "box": null`, `{"street": null, "box": "1", "city": "Gent"}`, `{"street": null, "box": null, "city": "Gent"}`),
		step(`, "box": "2"`, `{"street": null, "box": null, "city": "Gent"}`, `{"street": null, "box": "2", "city": "Gent"}`),
		step(`, "address": null`, `{"street": null, "box": null, "city": null}`, `{"street": null, "box": null, "city": null}`),
	)
}

func TestARegistrationNumberIsWrittenWithItsScopeOnly(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	without, with := o.Credential(t, backoffice.CustomersWrite), o.Credential(t, backoffice.AllScopes...) // both before the first request
	variables := `{"id": "` + o.MakeCustomer(t) + `"}`
	for _, value := range []string{`"17073003384"`, `""`} {
		_, body, _ := o.Ask(t, without, `mutation($id: ID!) { updateCustomer(input: {id: $id, name: "After", registrationNumber: `+value+`}) { customer { id } } }`, json.RawMessage(variables), nil)
		if got := string(body); !strings.Contains(got, `"FORBIDDEN"`) || !strings.Contains(got, `"privacy.read"`) {
			t.Errorf("%s: %s", value, got)
		}
		_, body, _ = o.Ask(t, without, `mutation { createCustomer(input: {type: PRIVATE_PERSON, registrationNumber: `+value+`}) { customer { id } } }`, nil, nil)
		if got := string(body); !strings.Contains(got, `"FORBIDDEN"`) {
			t.Errorf("%s: %s", value, got)
		}
	}
	converse(t, o, without,
		sent{`mutation($id: ID!) { updateCustomer(input: {id: $id, name: "After", registrationNumber: null}) { customer { id } } }`, variables,
			`{"data": {"updateCustomer": null}, "errors": [{"message": "this needs the scope privacy.read", "path": ["updateCustomer"], "locations": [{"line": 1, "column": 22}],
				"extensions": {"code": "FORBIDDEN", "requiredScope": "privacy.read"}}]}`},
		// a variable that is not supplied sends nothing
		sent{`mutation($id: ID!, $n: String) { updateCustomer(input: {id: $id, name: "Renamed", registrationNumber: $n}) { customer { name } } }`, variables,
			`{"data": {"updateCustomer": {"customer": {"name": "Renamed"}}}}`},
		// in a creation a null is nothing
		sent{`mutation { createCustomer(input: {type: PRIVATE_PERSON, firstName: "An", registrationNumber: null}) { customer { name } userErrors { code } } }`, "",
			`{"data": {"createCustomer": {"customer": {"name": "An"}, "userErrors": []}}}`},
		sent{`{ customers(filter: {registrationNumber: null, ids: []}) { totalCount } }`, "", `{"data": {"customers": {"totalCount": 0}}}`},
	)
	converse(t, o, with,
		sent{`query($id: ID!) { customer(id: $id) { name version registrationNumber } }`, variables,
			`{"data": {"customer": {"name": "Renamed", "version": 2, "registrationNumber": "85073003328"}}}`},
		sent{`mutation($id: ID!) { updateCustomer(input: {id: $id, registrationNumber: null}) { customer { version registrationNumber } } }`, variables,
			`{"data": {"updateCustomer": {"customer": {"version": 3, "registrationNumber": null}}}}`},
	)
}

func TestMutationsOfOneRequestRunInOrderEachOnItsOwn(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	id := o.MakeCustomer(t)
	converse(t, o, o.Credential(t, backoffice.AllScopes...), sent{`mutation($id: ID!) {
			one: updateCustomer(input: {id: $id, expectedVersion: 1, name: "One"}) { customer { ...seen } userErrors { code field } }
			stale: updateCustomer(input: {id: $id, expectedVersion: 1, name: "Stale"}) { customer { ...seen } userErrors { code field } }
			two: updateCustomer(input: {id: $id, expectedVersion: 2, responsibleId: "user-an"}) { customer { ...seen } userErrors { code field } }
			gone: deleteUser(input: {id: "user-an"}) { deletedUserId userErrors { code } }
			related: createCustomerRelation(input: {customerId: $id, relatedCustomerId: "acme", kind: UBO}) { relation { kind customer { ...seen } relatedCustomer { name } } userErrors { code } }
			left: deleteCustomer(input: {id: $id}) { deletedCustomerId userErrors { code } }
			again: deleteCustomer(input: {id: $id}) { deletedCustomerId userErrors { code field } }
		}
		fragment seen on Customer { name version responsible { firstName } relations { totalCount } }`, `{"id": "` + id + `"}`, `{"data": {
			"one": {"customer": {"name": "One", "version": 2, "responsible": null, "relations": {"totalCount": 0}}, "userErrors": []},
			"stale": {"customer": null, "userErrors": [{"code": "STALE_VERSION", "field": ["expectedVersion"]}]},
			"two": {"customer": {"name": "One", "version": 3, "responsible": {"firstName": "An"}, "relations": {"totalCount": 0}}, "userErrors": []},
			"gone": {"deletedUserId": "user-an", "userErrors": []},
			"related": {"relation": {"kind": "UBO", "customer": {"name": "One", "version": 4, "responsible": null, "relations": {"totalCount": 1}}, "relatedCustomer": {"name": "Acmé Boekhouding"}}, "userErrors": []},
			"left": {"deletedCustomerId": "` + id + `", "userErrors": []},
			"again": {"deletedCustomerId": null, "userErrors": [{"code": "NOT_FOUND", "field": ["id"]}]}
		}}`})
}

func TestEveryMutationAnswersWithItsPayload(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	nobody := o.Credential(t) // before the first request
	converse(t, o, o.Credential(t, backoffice.AllScopes...),
		sent{`mutation { createLabel(input: {name: "VAT", color: "#AABBCC"}) { label { name color } userErrors { code } } }`, "",
			`{"data": {"createLabel": {"label": {"name": "VAT", "color": "#aabbcc"}, "userErrors": []}}}`},
		sent{`mutation { createLabel(input: {name: "VAT", color: "blue"}) { label { name } userErrors { code field } } }`, "",
			`{"data": {"createLabel": {"label": null, "userErrors": [{"code": "INVALID", "field": ["color"]}]}}}`},
		sent{`mutation { updateUser(input: {id: "user-an", language: null, labelIds: ["label-audit"]}) { user { language version labels { name } } userErrors { code } } }`, "",
			`{"data": {"updateUser": {"user": {"language": null, "version": 2, "labels": [{"name": "Audit"}]}, "userErrors": []}}}`},
		sent{`mutation { assignChecklist(input: {checklistId: "list-2026-nl", customerId: "acme"}) { transcript { status customVariables file { size } checklist { name } financialYear { startDate } } userErrors { code } } }`, "",
			`{"data": {"assignChecklist": {"transcript": {"status": "TO_PROCESS", "customVariables": {}, "file": null, "checklist": {"name": "Vennootschapsbelasting 2026"}, "financialYear": {"startDate": "2026"}}, "userErrors": []}}}`},
		sent{`mutation { assignChecklist(input: {checklistId: "list-2025-nl", customerId: "nobody"}) { transcript { id } userErrors { code field } } }`, "",
			`{"data": {"assignChecklist": {"transcript": null, "userErrors": [{"code": "FINANCIAL_YEAR_ARCHIVED", "field": ["checklistId"]}, {"code": "NOT_FOUND", "field": ["customerId"]}]}}}`},
		sent{`mutation($v: JSON) { assignChecklist(input: {checklistId: "list-2026-nl", customerId: "acme", customVariables: $v}) { transcript { customVariables } userErrors { code field } } }`,
			`{"v": {"b": 1.50, "a": [null]}}`, `{"data": {"assignChecklist": {"transcript": {"customVariables": {"b": 1.50, "a": [null]}}, "userErrors": []}}}`},
		sent{`mutation { assignChecklist(input: {checklistId: "list-2026-nl", customerId: "acme", customVariables: {b: 12345678901234567890123, a: 1.10}}) { transcript { customVariables } userErrors { code field } } }`,
			``, `{"data": {"assignChecklist": {"transcript": {"customVariables": {"b": 12345678901234567890123, "a": 1.10}}, "userErrors": []}}}`},
		sent{`mutation { assignChecklist(input: {checklistId: "list-2026-nl", customerId: "acme", customVariables: {a: [1e400]}}) { transcript { id } userErrors { code field } } }`,
			``, `{"data": {"assignChecklist": {"transcript": null, "userErrors": [{"code": "INVALID", "field": ["customVariables"]}]}}}`},
		sent{`mutation($v: JSON) { assignChecklist(input: {checklistId: "list-2026-nl", customerId: "acme", customVariables: $v}) { transcript { id } userErrors { code field } } }`,
			`{"v": {"a": 1e400}}`, `{"data": {"assignChecklist": {"transcript": null, "userErrors": [{"code": "INVALID", "field": ["customVariables"]}]}}}`},
		sent{`mutation($v: JSON) { assignChecklist(input: {checklistId: "list-2026-nl", customerId: "acme", customVariables: $v}) { transcript { customVariables } userErrors { code field } } }`,
			`{"v": {"a": "` + strings.Repeat("x", backoffice.MaxJSON) + `"}}`, `{"data": {"assignChecklist": {"transcript": null, "userErrors": [{"code": "INVALID", "field": ["customVariables"]}]}}}`},
		sent{`mutation { generateTranscriptDocument(input: {transcriptId: "tr-2"}) { transcript { id documentGenerated file { contentType } } userErrors { code field } } }`, "",
			`{"data": {"generateTranscriptDocument": {"transcript": {"id": "tr-2", "documentGenerated": true, "file": {"contentType": "application/pdf"}}, "userErrors": []}}}`},
		sent{`mutation { deleteCustomerRelation(input: {id: "rel-1"}) { deletedRelationId userErrors { code } } }`, "",
			`{"data": {"deleteCustomerRelation": {"deletedRelationId": "rel-1", "userErrors": []}}}`},
	)
	converse(t, o, nobody, sent{`mutation { createLabel(input: {name: "x"}) { label { name } } deleteUser(input: {id: "user-an"}) { deletedUserId } }`, "",
		`{"data": {"createLabel": null, "deleteUser": null}, "errors": [
			{"message": "this needs the scope settings.write", "path": ["createLabel"], "locations": [{"line": 1, "column": 12}], "extensions": {"code": "FORBIDDEN", "requiredScope": "settings.write"}},
			{"message": "this needs the scope users.write", "path": ["deleteUser"], "locations": [{"line": 1, "column": 63}], "extensions": {"code": "FORBIDDEN", "requiredScope": "users.write"}}]}`})
}
