package agents

import (
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
)

// tool is a tool of the tests, with what it needs and one way to call it.
type tool struct {
	backoffice.Tool
	text      string
	arguments string
	needs     []backoffice.Scope // for it to be shown
}

// tools are those of the tests' offices: what an office would mark, and each way in which rights meet a document.
var tools = []tool{
	{Tool: backoffice.Tool{Name: "customers", About: "Lists customers by name."}, arguments: `{"first": 3}`,
		text: `query Customers($first: Int = 20, $after: String, $filter: CustomerFilter) {
			customers(first: $first, after: $after, filter: $filter, orderBy: {field: NAME, direction: ASC}) {
				totalCount nodes { id displayName kind: type email } pageInfo { hasNextPage endCursor } } }`},
	{Tool: backoffice.Tool{Name: "card", About: "A customer with everything that hangs on it."}, arguments: `{"id": "acme"}`,
		text: `query Card($id: ID!) { customer(id: $id) { ...Named relations { nodes { kind relatedCustomer { ...Named } } } } }
			fragment Named on Customer { id displayName registrationNumber }`},
	{Tool: backoffice.Tool{Name: "card_with_number", About: "A customer with its number.", Numbers: true}, arguments: `{"id": "acme"}`,
		text: `query Numbers($id: ID!) { customer(id: $id) { id displayName registrationNumber spouseRegistrationNumber } }`},
	{Tool: backoffice.Tool{Name: "who_is", About: "The customer of a number.", Numbers: true}, arguments: `{"number": "85073003328"}`,
		text: `query WhoIs($number: String!) { customers(filter: {registrationNumber: $number}) { nodes { id } } }`, needs: []backoffice.Scope{backoffice.PrivacyRead}},
	{Tool: backoffice.Tool{Name: "who_was", About: "The customer of a number, without the right to one."}, arguments: `{}`,
		text: `query WhoWas($number: String) { customers(first: 2, filter: {registrationNumber: $number}) { nodes { id } } }`},
	{Tool: backoffice.Tool{Name: "taxes", About: "Documents of the tax office."}, arguments: `{}`,
		text: `query Taxes { minfinDocuments(first: 5) { nodes { id name customer { displayName } } } }`, needs: []backoffice.Scope{backoffice.MinfinRead}},
	{Tool: backoffice.Tool{Name: "work", About: "Transcripts by status."}, arguments: `{"of": {"status": ["TO_PROCESS"]}}`,
		text: `query Work($of: TranscriptFilter) { transcripts(filter: $of) { totalCount statusCounts { status count } edges { cursor node { id status customer { id } } } } }`},
	{Tool: backoffice.Tool{Name: "anything", About: "A record by its identifier."}, arguments: `{"id": "acme"}`,
		text: `query Anything($id: ID!, $long: Boolean = false) { node(id: $id) { __typename id ... on Customer { displayName phone @include(if: $long) } ... on User { email } } }`},
	{Tool: backoffice.Tool{Name: "me", About: "Who asks."}, arguments: ``, text: `query Me { viewer { name scopes restriction } }`},
}

func (d tool) isShownTo(scopes ...backoffice.Scope) bool {
	by := &backoffice.Principal{Scopes: scopes}
	for _, scope := range d.needs {
		if !by.Has(scope) {
			return false
		}
	}
	return true
}

func mark(t testing.TB, o *gatewaytest.Office) map[string]string {
	t.Helper()
	ids := map[string]string{}
	for _, d := range tools {
		ids[d.Name] = o.Tool(t, d.Tool, d.text)
	}
	return ids
}
