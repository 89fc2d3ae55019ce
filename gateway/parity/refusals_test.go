package parity

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
)

func TestNoValueOfACallerIsAnInternalError(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	credential := o.Credential(t, backoffice.AllScopes...)
	for _, value := range []string{
		"99999999999999999999", "-99999999999999999999", "1", "1.5", "1e400", "true", `"a"`, `""`, "[]", "[[1]]", "{}", "{a: 1e400}",
		"[99999999999999999999]", `{a: 99999999999999999999, b: [{c: -1e-400}]}`, "null", "A",
	} {
		for _, use := range []string{
			"node(id: %s) { id }", "nodes(ids: %s) { id }", "nodes(ids: [%s]) { id }", "customer(id: %s) { id }",
			"customers(filter: {ids: %s}) { totalCount }", "customers(filter: {updatedSince: %s}) { totalCount }",
			"customers(filter: {search: %s}) { totalCount }", "customers(filter: %s) { totalCount }", "customers(first: %s) { totalCount }",
			"transcripts(filter: {status: %s}) { totalCount }", "transcripts(filter: {isCompleted: %s}) { totalCount }",
			"minfinDocuments(filter: {synchronisedSince: %s}) { totalCount }",
		} {
			o.Query(t, credential, "{ "+fmt.Sprintf(use, value)+" }", "{}")
		}
		o.Query(t, credential, `mutation { assignChecklist(input: {checklistId: "list-2026-nl", customerId: "acme", customVariables: `+value+`}) { userErrors { code } } }`, "{}")
		o.Query(t, credential, `mutation { updateCustomer(input: {id: "acme", expectedVersion: `+value+`}) { userErrors { code } } }`, "{}")
		if json.Valid([]byte(value)) {
			for _, kind := range []string{"ID", "DateTime", "Date", "JSON", "Int", "[ID!]", "CustomerFilter", "String", "TranscriptStatus", "Boolean"} {
				o.Query(t, credential, "query($v: "+kind+") { viewer { clientId @skip(if: true) __typename } ...F } fragment F on Query { customers(first: 1) { totalCount } }", `{"v": `+value+`}`)
			}
			o.Query(t, credential, "query($v: DateTime) { customers(filter: {updatedSince: $v}) { totalCount } }", `{"v": `+value+`}`)
			o.Query(t, credential, `mutation($v: JSON) { assignChecklist(input: {checklistId: "list-2026-nl", customerId: "acme", customVariables: $v}) { userErrors { code } } }`, `{"v": `+value+`}`)
			o.Query(t, credential, `mutation($v: ID) { assignChecklist(input: {checklistId: "list-2026-nl", customerId: "acme", customVariables: {a: $v}}) { userErrors { code } } }`, `{"v": `+value+`}`)
		}
	}
}

func TestAReportInTheFutureIsRefusedByBothAPIs(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	credential := o.Credential(t, backoffice.AllScopes...)
	const future = `reportedAt: "2999-01-01T00:00:00Z"`
	answer := o.Query(t, credential, `mutation { noteDiscrepancy(input: {id: "discrepancy-2", `+future+`}) {
		discrepancy { id } userErrors { code field } } }`, "{}")
	want := `{"noteDiscrepancy":{"discrepancy":null,"userErrors":[{"code":"INVALID","field":["reportedAt"]}]}}`
	if string(answer.Data) != want {
		t.Errorf("%s", answer.Data)
	}
	w := o.Send(t, credential, http.MethodPatch, "/discrepancies/discrepancy-2",
		`{"reportedAt":"2999-01-01T00:00:00Z"}`)
	if w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), `"pointer":"/reportedAt"`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestAnErrorHasThePathOfItsFieldAndItsPlacesInTheDocument(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	credential := o.Credential(t)
	for query, want := range map[string]string{
		`{ customers(filter: {registrationNumber: "85.07.30-033.28"}) { totalCount } }`:                                         `[customers] 1:3`,
		`{ customer(id: "acme") { a: registrationNumber } }`:                                                                    `[customer a] 1:26`,
		`{ customer(id: "acme") { registrationNumber ...f registrationNumber } } fragment f on Customer { registrationNumber }`: `[customer registrationNumber] 1:26 1:98 1:50`,
		`{ customer(id: "acme") { relations(first: 501) { totalCount } } }`:                                                     `[customer relations] 1:26`,
		"{ customers(first: 1) { nodes {\n transcripts(after: \"x\") { totalCount } } } }":                                      `[customers nodes 0 transcripts] 2:2`,
		`{ customers(filter: {search: "ab"}) { totalCount } }`:                                                                  `[customers] 1:3`,
		`mutation { deleteCustomer(input: {id: "acme"}) { userErrors { code } } }`:                                              `[deleteCustomer] 1:12`,
		`mutation { createCustomer(input: {type: PRIVATE_PERSON, registrationNumber: "85.07.30-033.28"}) { customer { id } } }`: `[createCustomer] 1:12`,
	} {
		answer := o.Query(t, credential, query, "{}")
		if len(answer.Errors) == 0 {
			t.Errorf("%s: no error", query)
			continue
		}
		got := fmt.Sprint(answer.Errors[0].Path)
		for _, at := range answer.Errors[0].Locations {
			got += fmt.Sprintf(" %d:%d", at.Line, at.Column)
		}
		if got != want {
			t.Errorf("%s\n got %s\nwant %s", query, got, want)
		}
	}
}

func TestACursorOfAnotherTypeIsRefused(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	credential := o.Credential(t, backoffice.AllScopes...)
	lists := []string{"customers", "transcripts", "users", "labels", "checklists", "financialYears", "minfinDocuments"}
	cursors := map[string]string{}
	for _, list := range lists {
		var data map[string]struct{ Edges []struct{ Cursor string } }
		if err := json.Unmarshal(o.Query(t, credential, "{ "+list+"(first: 1) { edges { cursor } } }", "{}").Data, &data); err != nil || len(data[list].Edges) != 1 {
			t.Fatalf("%s: %v %v", list, err, data)
		}
		cursors[list] = data[list].Edges[0].Cursor
	}
	for _, of := range lists {
		for _, list := range lists {
			answer := o.Query(t, credential, "query($c: String) { "+list+"(after: $c) { nodes { id } } }", `{"c": "`+cursors[of]+`"}`)
			if refused := len(answer.Errors) > 0 && answer.Errors[0].Extensions.Code == "BAD_USER_INPUT"; refused == (of == list) {
				t.Errorf("a cursor of %s among %s: %v", of, list, answer.Errors)
			}
		}
	}
}

func TestACursorOfAnotherSearchIsRefusedByRelevance(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	credential := o.Credential(t, backoffice.AllScopes...)
	const text = "query($s: String!, $m: SearchMode!, $c: String) { customers(first: 1, after: $c, filter: {search: $s, searchMode: $m}, orderBy: {field: RELEVANCE}) { edges { cursor } } }"
	searches := []string{`"s": "acme", "m": "EXACT"`, `"s": "ACME", "m": "EXACT"`, `"s": "boek", "m": "EXACT"`, `"s": "acme", "m": "FUZZY"`}
	for i, of := range searches {
		var data struct {
			Customers struct{ Edges []struct{ Cursor string } }
		}
		answer := o.Query(t, credential, text, "{"+of+"}")
		if err := json.Unmarshal(answer.Data, &data); err != nil || len(data.Customers.Edges) != 1 {
			t.Fatalf("%s finds %s (%v)", of, answer.Data, err)
		}
		for j, other := range searches {
			same := i == j || i+j == 1 // case makes no other search
			answer := o.Query(t, credential, text, "{"+other+`, "c": "`+data.Customers.Edges[0].Cursor+`"}`)
			if refused := len(answer.Errors) > 0 && answer.Errors[0].Extensions.Code == "BAD_USER_INPUT"; refused == same {
				t.Errorf("a cursor of %s in %s: %v", of, other, answer.Errors)
			}
		}
	}
}

func TestAMutationWhosePayloadHasABadPageWritesNothing(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	credential := o.Credential(t, backoffice.AllScopes...)
	const assign = `mutation%s { assignChecklists(input: {checklistId: "list-2026-nl", customerIds: ["cafe"]}) { assigned transcripts(first: 1) { nodes { customer { relations(%s) { totalCount } } } } } }`
	const count = `{ customer(id: "cafe") { transcripts(first: 0, filter: {checklistId: "list-2026-nl"}) { totalCount } } }`
	before := string(o.Query(t, credential, count, "{}").Data)
	for _, page := range []string{"first: 501", "last: -1", "first: 1, last: 1", "pageSize: 1", "page: 0", "page: 1, pageSize: 0", "page: 1, first: 1", `page: 1, after: "x"`} {
		answer := o.Query(t, credential, fmt.Sprintf(assign, "", page), "{}")
		if len(answer.Errors) != 1 || answer.Errors[0].Extensions.Code != "BAD_USER_INPUT" || answer.Data != nil {
			t.Errorf("%s: %s %v", page, answer.Data, answer.Errors)
		}
	}
	if answer := o.Query(t, credential, fmt.Sprintf(assign, "($n: Int)", "first: $n"), `{"n": -1}`); len(answer.Errors) != 1 || answer.Data != nil {
		t.Errorf("-1: %s %v", answer.Data, answer.Errors)
	}
	if after := string(o.Query(t, credential, count, "{}").Data); after != before {
		t.Errorf("the customer had %s, and has %s", before, after)
	}
	if answer := o.Query(t, credential, fmt.Sprintf(assign, "($n: Int)", "first: $n"), `{"n": null}`); len(answer.Errors) > 0 || !strings.Contains(string(answer.Data), `"assigned":1`) {
		t.Errorf("%s %v", answer.Data, answer.Errors)
	}
}

func TestIntrospectionIsThatOfTheSpecification(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	var data struct {
		Schema struct {
			Types []struct {
				Kind, Name                                                         string
				SpecifiedByURL                                                     *string
				IsOneOf                                                            *bool
				Fields, Interfaces, PossibleTypes, EnumValues, InputFields, OfType json.RawMessage
			}
			Directives []struct {
				Name string
				Args []struct {
					Name         string
					DefaultValue *string
					Type         struct{ Kind string }
				}
			}
		} `json:"__schema"`
	}
	answer := o.Query(t, o.Credential(t), `{ __schema { types { kind name specifiedByURL isOneOf fields { name } interfaces { name } possibleTypes { name }
		enumValues { name } inputFields { name } ofType { name } } directives { name args { name defaultValue type { kind } } } } }`, "{}")
	if err := json.Unmarshal(answer.Data, &data); err != nil || answer.Errors != nil {
		t.Fatal(err, answer.Errors)
	}
	has := map[string]string{"OBJECT": "fields interfaces", "INTERFACE": "fields interfaces possibleTypes", "UNION": "possibleTypes",
		"ENUM": "enumValues", "INPUT_OBJECT": "inputFields isOneOf", "SCALAR": ""}
	for _, t1 := range data.Schema.Types {
		for name, value := range map[string]json.RawMessage{"fields": t1.Fields, "interfaces": t1.Interfaces, "possibleTypes": t1.PossibleTypes,
			"enumValues": t1.EnumValues, "inputFields": t1.InputFields, "ofType": t1.OfType} {
			if null := string(value) == "null"; null == strings.Contains(has[t1.Kind], name) {
				t.Errorf("%s %s: %s is %.20s", t1.Kind, t1.Name, name, value)
			}
		}
		if (t1.IsOneOf != nil) != (t1.Kind == "INPUT_OBJECT") {
			t.Errorf("%s: isOneOf", t1.Name)
		}
		if (t1.SpecifiedByURL != nil) != strings.HasPrefix(t1.Name, "Date") {
			t.Errorf("%s: specifiedByURL", t1.Name)
		}
	}
	for _, directive := range data.Schema.Directives {
		switch directive.Name {
		case "defer":
			t.Error("@defer is told of and does nothing")
		case "deprecated":
			if reason := directive.Args[0]; reason.Type.Kind != "NON_NULL" || reason.DefaultValue == nil {
				t.Errorf("@deprecated: %+v", reason)
			}
		}
	}
	if answer := o.Query(t, o.Credential(t), `{ ... @defer { viewer { clientId } } }`, "{}"); len(answer.Errors) == 0 || answer.Errors[0].Extensions.Code != "GRAPHQL_VALIDATION_FAILED" {
		t.Errorf("@defer: %v", answer.Errors)
	}
}
