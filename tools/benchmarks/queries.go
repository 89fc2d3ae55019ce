package main

import (
	"encoding/json"
	"fmt"
	"slices"

	"example.org/backoffice/tools/benchmarks/data"
)

// query is one of the reference queries, in the words of each kind of server. Relations are asked from their customer's
// end alone, because that is what the peers have a foreign key for.
type query struct {
	name    string
	asks    string // for readers
	ours    string
	peers   string // of the hand-written peers' schema; "" is as ours
	aliased string // of PostGraphile's
	vary    bool   // each request is for another customer
	over    int    // of how many customers, in turn, when it varies; 0 is maxVariants of those with relations
}

var queries = []query{
	{
		name: "Q1", asks: "50 customers with responsible, 10 relations each with the other customer, 10 transcripts each with checklist and financial year",
		ours:    fmt.Sprintf(nested, 50),
		peers:   `{ customers(first: 50) { nodes { id name responsible { firstName lastName } relations(first: 10) { nodes { kind relatedCustomer { name } } } transcripts(first: 10) { nodes { id status checklist { name } financialYear { startDate } } } } } }`,
		aliased: `{ customers: allCustomers(first: 50) { nodes { id: rowId name: ownName responsible: userByResponsibleId { firstName lastName } relations: relationsByCustomerId(first: 10) { nodes { kind relatedCustomer: customerByRelatedCustomerId { name: ownName } } } transcripts: transcriptsByCustomerId(first: 10) { nodes { id: rowId status checklist: checklistByChecklistId { name } financialYear: financialYearByFinancialYearId { startDate } } } } } }`,
	},
	{
		name: "Q2", asks: "one customer with 10 transcripts and their checklists, each time another one of 1,000",
		ours:    `query ($id: ID!) { customer(id: $id) { name transcripts(first: 10) { nodes { status checklist { name } } } } }`,
		aliased: `query ($id: String!) { customer: customerByRowId(rowId: $id) { name: ownName transcripts: transcriptsByCustomerId(first: 10) { nodes { status checklist: checklistByChecklistId { name } } } } }`,
		vary:    true,
	},
	{
		name: "Q3", asks: "100 customers and the total",
		ours:    `{ customers(first: 100) { totalCount nodes { id name email updatedAt } } }`,
		aliased: `{ customers: allCustomers(first: 100) { totalCount nodes { id: rowId name: ownName email updatedAt } } }`,
	},
	{
		name: "Q4", asks: "20 customers → 5 relations → customer → 5 relations → customer → 5 transcripts → checklist",
		ours:    `{ customers(first: 20) { nodes { name relations(first: 5, direction: OUTGOING) { nodes { relatedCustomer { name relations(first: 5, direction: OUTGOING) { nodes { relatedCustomer { name transcripts(first: 5) { nodes { status checklist { name } } } } } } } } } } } }`,
		peers:   `{ customers(first: 20) { nodes { name relations(first: 5) { nodes { relatedCustomer { name relations(first: 5) { nodes { relatedCustomer { name transcripts(first: 5) { nodes { status checklist { name } } } } } } } } } } } }`,
		aliased: `{ customers: allCustomers(first: 20) { nodes { name: ownName relations: relationsByCustomerId(first: 5) { nodes { relatedCustomer: customerByRelatedCustomerId { name: ownName relations: relationsByCustomerId(first: 5) { nodes { relatedCustomer: customerByRelatedCustomerId { name: ownName transcripts: transcriptsByCustomerId(first: 5) { nodes { status checklist: checklistByChecklistId { name } } } } } } } } } } } }`,
	},
	{
		name: "Q5", asks: "Q3 without the total",
		ours:    `{ customers(first: 100) { nodes { id name email updatedAt } } }`,
		aliased: `{ customers: allCustomers(first: 100) { nodes { id: rowId name: ownName email updatedAt } } }`,
	},
}

// nested is Q1 for any number of customers.
const nested = `{ customers(first: %d) { nodes { id name responsible { firstName lastName } relations(first: 10, direction: OUTGOING) { nodes { kind relatedCustomer { name } } } transcripts(first: 10) { nodes { id status checklist { name } financialYear { startDate } } } } } }`

// language is which of a query's words a server understands.
type language func(query) string

func inOurs(q query) string    { return q.ours }
func inAliased(q query) string { return q.aliased }

func inPeers(q query) string {
	if q.peers != "" {
		return q.peers
	}
	return q.ours
}

// step is a prime, so that neighbours in time are none in the tables.
const step = 7_919

// maxVariants is how many customers a query that varies asks for in turn.
const maxVariants = 1000

// bodies are the requests of a query: one for each customer that it asks for.
func (q query) bodies(in language, office data.Office) [][]byte {
	type request struct {
		Query     string            `json:"query"`
		Variables map[string]string `json:"variables,omitempty"`
	}
	encode := func(r request) []byte {
		body, _ := json.Marshal(r) // of texts alone
		return body
	}
	if !q.vary {
		return [][]byte{encode(request{Query: in(q)})}
	}
	var bodies [][]byte
	for i := range q.over {
		bodies = append(bodies, encode(request{in(q), map[string]string{"id": office.CustomerID(i * step % office.Customers)}}))
	}
	if q.over > 0 {
		return bodies
	}
	busy := office.Busy()
	for i := range min(maxVariants, busy) {
		customer := i * (busy / min(maxVariants, busy)) // from all over the busy ones
		bodies = append(bodies, encode(request{in(q), map[string]string{"id": office.CustomerID(customer)}}))
	}
	return bodies
}

// queriesNamed picks queries; none is all.
func queriesNamed(names []string) ([]query, error) {
	if len(names) == 0 {
		return queries, nil
	}
	var picked []query
	for _, name := range names {
		i := slices.IndexFunc(queries, func(q query) bool { return q.name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no query %s", name)
		}
		picked = append(picked, queries[i])
	}
	return picked, nil
}
