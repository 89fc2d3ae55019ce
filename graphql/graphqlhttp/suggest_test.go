package graphqlhttp

import (
	"strings"
	"testing"
)

func TestAMistypedNameIsToldWhatWasMeant(t *testing.T) {
	t.Parallel()
	g := endpoint()
	for text, want := range map[string]string{
		`{ customers { nodes { displayname } } }`:                        `Cannot query field "displayname" on type "Customer". Did you mean "displayName"?`,
		`{ costumers { totalCount } }`:                                   `Cannot query field "costumers" on type "Query". Did you mean "customers", "customer", or "customerBy"?`,
		`{ node(id: "a") { email } }`:                                    `Cannot query field "email" on type "Node". Did you mean to use an inline fragment on "Customer" or "User"?`,
		`{ customers(frist: 1) { totalCount } }`:                         `Unknown argument "frist" on field "Query.customers". Did you mean "first" or "last"?`,
		`{ customers(filter: {hasEmial: true}) { totalCount } }`:         `Field "hasEmial" is not defined by type "CustomerFilter". Did you mean "hasEmail"?`,
		`{ customers(filter: {type: COMPANIES}) { totalCount } }`:        `The enum "CustomerType" has no such value. Did you mean "COMPANY"?`,
		`{ viewer @skipp(if: true) { name } }`:                           `Unknown directive "@skipp".`,
		`{ customers { nodes { ` + strings.Repeat("name", 17) + ` } } }`: ``,
		`{ customers { nodes { somethingElseAltogether } } }`:            `Cannot query field "somethingElseAltogether" on type "Customer".`,
	} {
		got := post(t, g, body(text))
		if want != "" && (len(got.Errors) != 1 || got.Errors[0].Message != want) {
			t.Errorf("%s: %+v, want %s", text, got.Errors, want)
		}
		if want == "" && strings.Contains(got.text, "Did you mean") {
			t.Errorf("%s: %s", text, got.text)
		}
	}
}

func TestAMistypedNameInAVariableIsToldWhatWasMeant(t *testing.T) {
	t.Parallel()
	g := endpoint()
	for variables, want := range map[string]string{
		`{"f": {"hasEmial": true, "zip": 1}}`: `the variable "$f" has a field that the type "CustomerFilter" does not have. Did you mean "hasEmail"?`,
		`{"f": {"type": "COMPANIES"}}`:        `the variable "$f" at "type" is not of type "CustomerType". Did you mean "COMPANY"?`,
		`{"f": {"type": "0403449823"}}`:       `the variable "$f" at "type" is not of type "CustomerType"`,
	} {
		got := post(t, g, `{"query": "query ($f: CustomerFilter) { customers(filter: $f) { totalCount } }", "variables": `+variables+`}`)
		if len(got.Errors) != 1 || got.Errors[0].Message != want {
			t.Errorf("%s: %+v, want %s", variables, got.Errors, want)
		}
	}
}

func TestARefusalForItsCostTellsTheCost(t *testing.T) {
	t.Parallel()
	got := post(t, endpoint(), body(`{ customers(first: 500) { nodes { transcripts(first: 500) { nodes { id } } } } }`))
	if len(got.Errors) != 1 || got.Errors[0].Message != "the operation costs 251001, more than 50000" {
		t.Errorf("%+v", got.Errors)
	}
}
