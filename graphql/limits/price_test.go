package limits

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/vektah/gqlparser/v2/ast"
	"pgregory.net/rapid"

	"example.org/backoffice/backoffice"
)

func TestTheCostOfAnOperationIsTheFormulaOfTheContract(t *testing.T) {
	t.Parallel()
	const counted, passed, grouped, unindexed, ordered = 1 + 24_000/20, 22_000 / 200, 24_000 / 6, 24_000 / 12, 24_000 / 7
	for _, c := range []struct {
		text      string
		variables map[string]any
		cost      int
	}{
		{`{ __typename }`, nil, 0},
		{`{ viewer { clientId scopes } }`, nil, 1},
		{`{ customer(id: "a") { id address { city } responsible { labels { id } } } }`, nil, 4},
		{`{ customers { nodes { id type } } }`, nil, 51},
		{`{ customers { totalCount } }`, nil, 52},
		{`{ transcripts { totalCount statusCounts { status count } pageInfo { endCursor } } }`, nil, 1 + 50 + 1 + 1 + 1},
		{`{ customers { edges { cursor node { id address { city } } } } }`, nil, 101},
		{`{ customers(first: 10) { nodes { address { city } } } }`, nil, 1 + 10*2},
		{`{ customers(first: 0) { nodes { address { city } } totalCount } }`, nil, 2},
		{`{ customers(first: 0, filter: {not: {city: "Gent"}}) { nodes { id } } }`, nil, 1 + 500},
		{`{ customers(first: 0, filter: {not: {city: "Gent"}}) { ...C } }
			fragment C on CustomerConnection { pageInfo { hasNextPage } }`, nil, 1 + 1 + unindexed + passed},
		{`{ customers(last: 7) { nodes { address { city } } } }`, nil, 1 + 7*2},
		{`{ customers(page: 2) { nodes { address { city } } } }`, nil, 1 + 50*2},
		{`{ customers(page: 3) { nodes { address { city } } } }`, nil, 1 + 50*2 + 1},
		{`{ customers(page: 51, pageSize: 20) { nodes { address { city } } } }`, nil, 1 + 20*2 + 10},
		{`{ customers(page: 1, pageSize: 20) { nodes { address { city } } } }`, nil, 1 + 20*2},
		{`query($p: Int, $s: Int) { customers(page: $p, pageSize: $s) { nodes { id } } }`, map[string]any{"p": int64(2_001), "s": int64(500)}, 1 + 500 + 10_000},
		{`query($p: Int, $s: Int) { customers(page: $p, pageSize: $s) { nodes { id } } }`, map[string]any{"p": nil}, 1 + 50},
		{`{ customers(first: 10) { nodes { transcripts(page: 41, pageSize: 5) { nodes { id } } } } }`, nil, 1 + 10*(1+1+5+2)},
		{`{ customers(first: 10) { nodes { transcripts(first: 5) { nodes { customer { id } } totalCount } } } }`, nil, 1 + 10*(1+1+5*2+1)},
		{`{ customers(first: 10) { edges { node { id } } nodes { id } } }`, nil, 11},
		{`{ customers(first: 10) { rows: nodes { id } } }`, nil, 11},
		{`{ customers(first: 10) { edges { cursor a: cursor node { id } } nodes { id } } }`, nil, 1 + 10*2},
		{`{ customers(first: 10) { a: nodes { id } b: nodes { id } c: nodes { id } } }`, nil, 1 + 10*3},
		{`{ customers(first: 10) { ...C edges { a: node { id } b: node { id } } } } fragment C on CustomerConnection { c: nodes { id } }`, nil, 1 + 10*3},
		{`{ customers(first: 10) { edges { node { id } otherwise: node { address { city } } } nodes { address { city } } } }`, nil, 1 + 10*(1+2)},
		{`{ customer(id: "a") { relations(first: 4) { edges { direction otherCustomer { id address { city } } } } } }`, nil, 1 + 1 + 4*3},
		{`{ customers(first: 9) { ...C } } fragment C on CustomerConnection { nodes { ...N } totalCount } fragment N on Customer { address { city } }`, nil, 1 + 9*2 + 1},
		{`{ customers(first: 9) { edges { ...E } } } fragment E on CustomerEdge { node { ... on Customer { address { city } } } }`, nil, 1 + 9*2},
		{`query($n: Int) { customers(first: $n) { nodes { address { city } } } }`, map[string]any{"n": int64(30)}, 61},
		{`query($n: Int) { customers(first: $n) { nodes { address { city } } } }`, map[string]any{}, 101},
		{`query($n: Int) { customers(first: $n) { nodes { address { city } } } }`, map[string]any{"n": nil}, 101},
		{`query($n: Int) { customers(first: $n) { ...C } } fragment C on CustomerConnection { nodes { transcripts(first: $n) { nodes { customer { id } } } } }`, map[string]any{"n": int64(3)}, 1 + 3*(1+1+3*2)},
		{`query($n: Int) { a: customers(first: $n) { ...C } b: customers(first: 2) { ...C } } fragment C on CustomerConnection { nodes { transcripts(first: $n) { nodes { customer { id } } } address { city } } }`, map[string]any{"n": int64(3)}, 1 + 3*(1+1+1+3*2) + 1 + 2*(1+1+1+3*2)},
		{`{ customers(filter: {language: "dutch"}, first: 1) { totalCount nodes { id } } }`, nil, 1 + 1 + counted + passed},
		{`{ transcripts(filter: {isCompleted: true}, first: 0) { totalCount statusCounts { count } } }`, nil, 1 + 2},
		{`{ transcripts(filter: {updatedSince: "2020-01-01T00:00:00.000Z"}, first: 0) { totalCount statusCounts { count } } }`, nil, 1 + counted + 1 + grouped},
		{`{ transcripts(filter: {}, first: 0) { totalCount } }`, nil, 2},
		{`{ transcripts(filter: {sentFrom: "2020-01-01T00:00:00.000Z"}, first: 0) { totalCount } }`, nil, 1 + 500 + counted},
		{`{ transcripts(filter: {any: [{sentFrom: "2020-01-01T00:00:00.000Z", completedTo: "2020-01-01T00:00:00.000Z"}]}, first: 1) { nodes { id } } }`, nil, 1 + 1 + unindexed + passed},
		{`{ customers(filter: {createdFrom: "2020-01-01T00:00:00.000Z"}, first: 1) { nodes { id } } }`, nil, 1 + 1 + passed},
		{`{ customers(filter: {labelId: "a", hasDocument: true}, first: 1) { nodes { id } } }`, nil, 1 + 1 + 2*unindexed + passed},
		{`{ customers(filter: {withoutChecklistId: "a"}, first: 1) { totalCount nodes { id } } }`, nil,
			1 + 1 + 2*unindexed + counted + passed},
		{`{ transcripts(filter: {status: [SENT]}, first: 1) { nodes { id } } }`, nil, 1 + 1},
		{`{ transcripts(filter: {isCompleted: true, documentGenerated: true}, first: 1) { nodes { id } } }`,
			nil, 1 + 1},
		{`{ transcripts(filter: {isCompleted: true, documentGenerated: true, status: SENT}, first: 1) {
			nodes { id }
		} }`, nil, 1 + 1 + passed},
		{`{ transcripts(filter: {documentGenerated: true, updatedTo: "2020-01-01T00:00:00.000Z"}, first: 1) { nodes { id } } }`,
			nil, 1 + 1 + 22_000/20},
		{`{ transcripts(first: 1, filter: {
			any: {any: [{updatedTo: "2020-01-01T00:00:00.000Z"}, {documentGenerated: true}]}
		}) { nodes { id } } }`, nil, 1 + 1 + 2*24_000/20 - 2_000/20},
		{`{ transcripts(filter: {any: [{isCompleted: true}]}, orderBy: {field: UPDATED_AT}, first: 1) {
			nodes { id }
		} }`, nil, 1 + 1 + 22_000/20},
		{`{ transcripts(filter: {any: [{isCompleted: true}]}, first: 1) { nodes { id } } }`, nil, 1 + 1 + passed},
		{`{ transcripts(filter: {isCompleted: true}, orderBy: {field: CUSTOMER_NAME}, first: 1) { nodes { id } } }`, nil,
			1 + 1 + ordered},
		{`query($o: TranscriptOrder) { transcripts(filter: {isCompleted: true}, orderBy: $o, first: 1) { nodes { id } } }`,
			map[string]any{"o": map[string]any{"field": "UPDATED_AT"}}, 1 + 1 + 22_000/20},
		{`{ relations(asOf: "2026-03-31", first: 1) { totalCount nodes { id } } }`, nil, 1 + 1 + counted + passed},
		{`{ relations(asOf: null, first: 1) { totalCount nodes { id } } }`, nil, 1 + 1 + 1},
		{`{ customer(id: "a") { ownership { layers owners(first: 3) { sharePercent } } } }`, nil, 1 + 200 + 3},
		{`{ customer(id: "a") { ownership { owners(first: 1) { paths(first: 2) { steps { relation { customer { ownership { layers } } } } } } rings(first: 1) { customers { ownership { layers } } } } } }`, nil,
			1 + 200 + 1 + 2 + 2*20*(3+200) + 1 + 20*(1+200)},
		{`{ transcriptsAggregate(groupBy: STATUS, turnaround: {from: CREATED, to: SENT}) { totalCount } }`, nil, 1 + grouped + 24_000/2},
		{`{ customersAggregate(groupBy: LABEL) { totalCount } }`, nil, 1 + grouped},
		{`{ duplicates(by: EMAIL, first: 5) { totalCount groups { count customers { id } } } }`, nil, 1 + 4*grouped + 5*(1+10)},
		{`{ duplicates(by: EMAIL, first: 5) { groups { customers { transcripts(first: 0) { totalCount } } } } }`, nil, 1 + 4*grouped + 5*(1+10*(1+1+1))},
		{`{ transcriptDiff(left: "a", right: "b") { added { key } changed { key left again: left right } } }`, nil, 1 + 100 + 100*(1+3*3)},
		{`{ workList(financialYearId: "a") { ownershipDiffers(first: 10) { nodes { id } } } }`, nil, 1 + 11 + unindexed + passed},
		{`{ workList(financialYearId: "a") { missingChecklist(first: 10) { nodes { id } } } }`, nil, 1 + 11 + unindexed + passed},
		{`{ workList(financialYearId: "a") { overdue(first: 10) { nodes { id } } } }`, nil, 1 + 11 + unindexed},
		{`{ transcripts(filter: {overdue: false}, first: 1) { nodes { id } } }`, nil, 1 + 1 + unindexed + passed},
		{`{ workList(financialYearId: "a") { untouched(first: 10) { nodes { id } } notSent(first: 0) { totalCount statusCounts { count } } } }`, nil, 1 + 11 + 1 + 1 + 1},
		{`{ transcripts(filter: null, first: 0) { totalCount } }`, nil, 2},
		{`{ customers(filter: {ids: []}, first: 0) { totalCount } }`, nil, 2},
		{`{ transcripts(first: 10) { nodes { id customVariables } edges { node { again: customVariables } } } }`, nil, 1 + 10*(1+3+3)},
		{`query($f: CustomerFilter) { customers(filter: $f, first: 0) { ...C } } fragment C on CustomerConnection { totalCount }`, map[string]any{"f": map[string]any{"search": "abc"}}, 1 + counted},
		{`query($f: CustomerFilter) { customers(filter: $f, first: 0) { ...C } } fragment C on CustomerConnection { totalCount }`, map[string]any{"f": map[string]any{"search": nil}}, 2},
		{`query($f: CustomerFilter) { customers(filter: $f, first: 0) { ...C } } fragment C on CustomerConnection { totalCount }`, nil, 2},
		{`query($s: String) { customers(filter: {search: $s}, first: 0) { totalCount } }`, map[string]any{"s": "abc"}, 1 + counted},
		{`query($s: String) { customers(filter: {search: $s}, first: 0) { totalCount } }`, map[string]any{"s": nil}, 2},
		{`{ customers(filter: {language: "dutch"}, first: 3) { nodes { id } } }`, nil, 4 + passed},
		{`{ customers(filter: {city: "Gent", any: [{hasEmail: false}, {postalCode: "9000"}]}, first: 3) { nodes { id } } }`, nil, 4 + (2*24_000-2_000)/200},
		{`{ customers(filter: {not: {city: "Gent"}, any: [{relations: {atLeast: 2}}, {transcripts: {none: {customVariable: {key: "a", equals: "b"}}}}]}, first: 3) { nodes { id } } }`, nil, 4 + 3*unindexed + ordered + (3*24_000-2_000)/200},
		{`{ customers(filter: {search: "jans", searchMode: FUZZY}, first: 3) { nodes { id } } }`, nil, 4 + unindexed + passed},
		{`{ customers(filter: {search: "jans", searchMode: EXACT, not: null}, orderBy: {field: NAME}, first: 3) { nodes { id } } }`, nil, 4 + passed},
		{`{ customers(orderBy: {field: RELATION_COUNT, direction: DESC}, first: 20) { nodes { id } } }`, nil, 21 + ordered},
		{`query($o: CustomerOrder, $f: CustomerFilter) { customers(orderBy: $o, filter: $f, first: 2) { nodes { id } } }`, map[string]any{"o": map[string]any{"field": "OPEN_TRANSCRIPT_COUNT"}, "f": map[string]any{"searchMode": "FUZZY", "not": map[string]any{}}}, 3 + 2*unindexed + ordered + passed},
		{`query($o: CustomerOrder, $f: CustomerFilter) { customers(orderBy: $o, filter: $f, first: 2) { nodes { id } } }`, map[string]any{"o": map[string]any{"field": "ID"}, "f": nil}, 3},
		{`{ checklists(first: 3) { nodes { transcripts(first: 1, orderBy: {field: CUSTOMER_NAME}) { nodes { id } } } } }`, nil, 1 + 3*(1+1+1+500)},
		{`{ customersAggregate(filter: {relations: {none: true}}, groupBy: [TYPE]) { totalCount } }`, nil, 1 + grouped + unindexed},
		{`{ customer(id: "a") { transcripts(filter: {isCompleted: true}, first: 0) { totalCount statusCounts { count } } } }`, nil, 1 + 1 + 2},
		{`{ nodes(ids: ["a", "b", "c"]) { id ... on Customer { address { city } } } }`, nil, 6},
		{`query($ids: [ID!]!) { nodes(ids: $ids) { id } }`, map[string]any{"ids": []any{"a", "b"}}, 2},
		{`mutation { createLabel(input: {name: "x"}) { label { id } userErrors { code } } }`, nil, 12},
		{`mutation { a: deleteUser(input: {id: "x"}) { deletedUserId } b: deleteUser(input: {id: "y"}) { deletedUserId } }`, nil, 2 * (10 + 8)},
		{`mutation { createCustomers(inputs: [{type: COMPANY}, {type: COMPANY}, {type: COMPANY}]) { results { customer { id responsible { id } } } written } }`, nil, 3 * (10 + 1 + 1 + 1)},
		{`mutation { createCustomers(inputs: {type: COMPANY}) { written } }`, nil, 10},
		{`mutation { assignChecklists(input: {checklistId: "a", customerIds: ["b", "c"]}) { assigned transcripts(first: 5) { nodes { id } } } }`, nil, 10 + 2 + 1 + 5},
		{`mutation { assignChecklists(input: {checklistId: "a", customerIds: "b"}) { assigned } }`, nil, 10 + 1},
		{`mutation { assignChecklists(input: {checklistId: "a", filter: {}}) { assigned } }`, nil, 10 + 10_000},
		{`mutation($f: CustomerFilter) { assignChecklists(input: {checklistId: "a", filter: $f}) { assigned } }`, nil, 10},
		{`mutation($f: CustomerFilter) { assignChecklists(input: {checklistId: "a", filter: $f}) { assigned } }`, map[string]any{"f": map[string]any{}}, 10 + 10_000},
		{`mutation($i: AssignChecklistsInput!) { assignChecklists(input: $i) { assigned } }`, map[string]any{"i": map[string]any{"customerIds": []any{"a", "b", "c"}}}, 10 + 3},
		{`mutation { createCustomers(inputs: []) { written } }`, nil, 10},
		{`mutation($of: [UpdateCustomerInput!]!) { updateCustomers(inputs: $of) { results { customer { id } } } }`, map[string]any{"of": slices.Repeat([]any{map[string]any{"id": "a"}}, 100)}, 100 * 12},
		{`mutation($id: ID!) { deleteCustomers(inputs: [{id: $id}, {id: "b"}]) { written } }`, map[string]any{"id": "a"}, 2 * (10 + 6*8)},
		{`{ customersAggregate(groupBy: [TYPE, CITY]) { totalCount groupCount groups { count keys { value label } } } }`, nil, 1 + 2*grouped},
		{`{ transcriptsAggregate(groupBy: STATUS, filter: {isCompleted: true}, first: 3) { totalCount } }`, nil, 1 + grouped},
		{`{ transcriptsAggregate(groupBy: [CHECKLIST, RESPONSIBLE, LANGUAGE]) { totalCount } }`, nil, 1 + 4*grouped},
		{`query($by: [CustomerDimension!]!) { customersAggregate(groupBy: $by, filter: {any: [{city: "a"}, {city: "b"}]}) { totalCount } }`, map[string]any{"by": []any{"SCOPE", "LANGUAGE"}}, 1 + 3*2*grouped},
		{`{ transcripts(filter: {any: [{responsibleId: "a"}, {any: [{responsibleId: "b"}, {isCompleted: true}]}], not: null}, first: 0) { totalCount } }`, nil, 1 + 1 + (2+24_000)/20},
		{`{ a: customersAggregate(groupBy: TYPE) { groups { ...G } more: groups { ...G } } b: customersAggregate(groupBy: CITY) { groups { count } } } fragment G on CustomerGroup { keys { value } labels: keys { label } }`, nil, 2*(1+grouped) + 300},
		{`{ customers(first: 1000000) { nodes { address { city } } } }`, nil, 1001},
		{`{ customers(first: -5) { nodes { address { city } } } }`, nil, 1},
		{`{ transcripts(first: 100) { nodes { financialYear { transcripts(first: 248) { nodes { financialYear { transcripts(first: 500) { nodes { id status statusLabel isCompleted } } } } } } } } }`, nil, 1 + 100*(1+1+1+248*(1+1+1+500))},
	} {
		price, _ := priced(t, Defaults(), c.text)
		if got := price.Cost(c.variables, each(25_000)); got != c.cost {
			t.Errorf("%s with %v costs %d, want %d", c.text, c.variables, got, c.cost)
		}
	}
}

// each is a store with so many records of each noun.
func each(n int) Rows { return Rows{Of: func(backoffice.Noun) int { return n }} }

func TestAPriceGrowsWithTheRowsThatMayHaveToBeLookedAt(t *testing.T) {
	t.Parallel()
	office := Rows{Of: func(noun backoffice.Noun) int {
		return map[backoffice.Noun]int{
			backoffice.NounCustomer: 50_000, backoffice.NounTranscript: 250_000, backoffice.NounUser: 50, backoffice.NounFinancialYear: 10,
			backoffice.NounChecklist: 50,
			backoffice.NounRelation:  15_000_000, backoffice.NounMinfin: 5_000_000,
		}[noun]
	}}
	fifty := strings.TrimSuffix(strings.Repeat(`{responsibleId: "u", isCompleted: true}, `, 50), ", ")
	for _, c := range []struct {
		text string
		cost int
	}{
		{`{ customers(first: 0) { totalCount } }`, 1 + 1},
		{`{ customers(first: 0, filter: {city: "Gent"}) { totalCount } }`, 1 + 1 + 49_000/20},
		{`{ customers(first: 0, filter: {city: "Gent", ids: ["a", "b"]}) { totalCount } }`, 1 + 1},
		{`{ customers(first: 0, filter: {email: "a@b.example"}) { totalCount } }`, 1 + 1},
		{`{ customers(first: 0, filter: {not: {responsibleId: "u"}}) { totalCount } }`, 1 + 49_000/12 + 1 + 49_000/20},
		{`{ transcripts(first: 0, filter: {updatedSince: "2020-01-01T00:00:00.000Z"}) { totalCount statusCounts { count } } }`, 1 + 1 + 249_000/20 + 1 + 249_000/6},
		{`{ transcripts(first: 0, filter: {isCompleted: true, status: SENT}) { totalCount statusCounts { count } } }`, 1 + 2},
		{`{ transcripts(first: 0, filter: {any: [` + fifty + `]}) { totalCount } }`, 1 + 1 + 50*4_980/20},
		{`{ financialYears(first: 20) { nodes { transcripts(first: 0, filter: {updatedSince: "2020-01-01T00:00:00.000Z"}) { totalCount statusCounts { count } } } } }`, 1 + 20*(1+1) + 10*(1+25_000/20+1+25_000/6)},
		{`{ users(first: 500) { nodes { transcripts(first: 0) { totalCount } } } }`, 1 + 500*(1+1) + 50*(1+2*5_000/20)},
		{`{ changes(first: 20) { nodes { object { ... on FinancialYear { transcripts(first: 1, filter: {responsibleId: "u"}) { nodes { id } } } } } } }`, 1 + 20*(1+1+1+1) + 10*25_000/5},
		{`{ financialYears { nodes { checklists { nodes {
			transcripts(first: 5, filter: {isCompleted: false}) { nodes { id } }
		} } } } }`, 1 + 50*(1+1+50*(1+1+5)) + 50*5_000/20},
		{`{ customers(first: 100) { nodes { ...C } } }
			fragment C on Customer { responsible { transcripts(first: 3) { nodes { id } } } }`,
			1 + 100*(1+1+1+3) + 50*2*5_000/20},
		{`{ customers(first: 40) { nodes { responsible { transcripts(first: 3) { nodes { id } } } } } }`,
			1 + 40*(1+1+1+3) + 40*2*5_000/20},
		{`{ customers(first: 100) { nodes { a: responsible { ...U } b: responsible { ...U } } } }
			fragment U on User { transcripts(first: 3) { nodes { id } } }`, 1 + 100*(1+2*(1+1+3)) + 2*50*2*5_000/20},
		{`{ customers(first: 500) { nodes { transcripts(first: 0, filter: {isCompleted: true}) { totalCount } } } }`, 1 + 500*(1+1+1)},
		{`{ transcripts(first: 10, filter: {updatedSince: "2020-01-01T00:00:00.000Z"}) { nodes { id } } }`, 1 + 10 + 247_000/200},
		{`{ financialYears(first: 20) { nodes { transcripts(first: 1, filter: {responsibleId: "u"}) { nodes { id } } } } }`, 1 + 20*(1+1+1) + 10*25_000/5},
		{`{ financialYears(first: 20) { nodes { transcripts(first: 1, filter: {customVariable: {key: "a", equals: "b"}}) { nodes { id } } } } }`, 1 + 20*(1+1+1) + 10*(25_000/5+25_000/3)},
		{`{ financialYears(first: 20) { nodes { transcripts(first: 1, orderBy: {field: CUSTOMER_NAME}) { nodes { id } } } } }`, 1 + 20*(1+1+1) + 10*(25_000/3)},
		{`{ users(first: 500) { nodes { transcripts(first: 2, orderBy: {field: UPDATED_AT}) { nodes { id } } } } }`,
			1 + 500*(1+1+2) + 50*2*5_000/20},
		{`{ transcripts(first: 0, filter: {customVariable: {key: "a", equals: "b"}}) { totalCount } }`, 1 + 500 + 1 + 249_000/20},
		{`{ transcripts(first: 9, filter: {customVariable: {key: "a", equals: "b"}}) { totalCount nodes { id } } }`, 1 + 9 + 247_000/200 + 249_000/7 + 1 + 249_000/20},
		{`{ transcriptsAggregate(groupBy: [CHECKLIST, RESPONSIBLE, UPDATED_MONTH]) { totalCount } }`, 1 + dearestCount},
		{`{ transcriptsAggregate(groupBy: STATUS, filter: {responsibleId: "u"}) { totalCount } }`, 1 + 4_980/6},
		{`mutation { deleteUser(input: {id: "u"}, dryRun: true) { deletedUserId } }`, 10 + 1_000/3},
		{`mutation { deleteUser(input: {id: "u"}) { deletedUserId } }`, 10 + 8_000},
		{`mutation { deleteCustomers(inputs: [{id: "a"}, {id: "b"}]) { written } }`, 2 * (10 + 405*8)},
		{`mutation { assignChecklists(input: {checklistId: "a", filter: {}}) { assigned transcripts(first: 1) { totalCount } } }`, 10 + 10_000 + 1 + 1 + 1},
	} {
		price, _ := priced(t, Defaults(), c.text)
		if got := price.Cost(nil, office); got != c.cost {
			t.Errorf("%s costs %d, want %d", c.text, got, c.cost)
		}
		if small, least := price.Cost(nil, each(100)), price.Least(nil, office); small > c.cost || least > c.cost {
			t.Errorf("%s costs %d in a small office, and is charged at least %d", c.text, small, least)
		}
	}
}

func TestACallerThatDoesNotLearnTheSizesMayAskForAnOrdinaryDashboard(t *testing.T) {
	t.Parallel()
	price, _ := priced(t, Defaults(), `{ financialYears { nodes { checklists(first: 20) { nodes {
		transcripts(first: 0) { totalCount statusCounts { status count } }
	} } } } }`)
	if cost := price.Cost(nil, Nominal); price.Check(cost) != nil {
		t.Errorf("it costs %d", cost)
	}
}

func TestAnOperationAtTheCostLimitPassesAndOneOverItIsRefused(t *testing.T) {
	t.Parallel()
	for sentence, c := range map[string]struct {
		text      string
		variables func(n int) map[string]any
	}{
		"literal":   {`{ customers(first: %d) { nodes { address { city } } } }`, nil},
		"fragment":  {`{ customers(first: %d) { ...C } } fragment C on CustomerConnection { nodes { address { city } } }`, nil},
		"default":   {`query($n: Int = %d) { customers(first: $n) { nodes { address { city } } } }`, func(n int) map[string]any { return map[string]any{"n": int64(n)} }},
		"variables": {`query($n: Int) { customers(first: $n) { nodes { address { city } } } }`, func(n int) map[string]any { return map[string]any{"n": int64(n)} }},
	} {
		s := Defaults()
		s.Cost = 201
		for n, refused := range map[int]bool{100: false, 101: true} {
			text, variables := c.text, map[string]any(nil)
			if strings.Contains(text, "%d") {
				text = fmt.Sprintf(text, n)
			}
			if c.variables != nil {
				variables = c.variables(n)
			}
			price, _ := priced(t, s, text)
			cost := price.Cost(variables, Rows{})
			if err := price.Check(cost); (err != nil) != refused || err != nil && codeIn(err) != CodeCost {
				t.Errorf("%s: a cost of %d under a limit of 201: %v", sentence, cost, err)
			}
		}
	}
}

func TestListsInsideListsAreTooDear(t *testing.T) {
	t.Parallel()
	text := "{ customers { nodes { relations { nodes { customer { relations { nodes { customer { relations { nodes { customer { id } } } } } } } } } } } }"
	price, _ := priced(t, Defaults(), text)
	if cost := price.Cost(nil, Rows{}); price.Check(cost) == nil {
		t.Errorf("50⁴ costs only %d", cost)
	}
}

func TestDoublingFragmentsArePricedOnce(t *testing.T) {
	t.Parallel()
	for _, size := range []string{"2", "$n"} {
		var b strings.Builder
		b.WriteString("query($n: Int) { customer(id: \"a\") { ...F0 } used: customers(first: $n) { totalCount } }")
		const levels = 60
		for i := range levels {
			fmt.Fprintf(&b, " fragment F%d on Customer { ...F%d ...F%d }", i, i+1, i+1)
		}
		fmt.Fprintf(&b, " fragment F%d on Customer { transcripts(first: %s) { nodes { customer { id } } } }", levels, size)
		price, _ := priced(t, Defaults(), b.String())
		if len(price.sums) > 4*levels {
			t.Errorf("%d sums for %d fragments", len(price.sums), levels)
		}
		if cost := price.Cost(map[string]any{"n": int64(2)}, Rows{}); price.Check(cost) == nil {
			t.Errorf("costs only %d", cost)
		}
	}
}

func TestAFragmentCostsWhatItsTextWouldCost(t *testing.T) {
	t.Parallel()
	selections := rapid.Custom(func(t *rapid.T) string {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{
			"id", "address { city }", "responsible { id labels { id } }", "transcripts(first: 3) { nodes { customer { id } } totalCount }",
			"relations(first: $n) { edges { otherCustomer { id address { city } } } }", "documents(page: 1) { nodes { file { size } } }",
		}), 1, 5).Draw(t, "parts")
		slices.Sort(parts)
		return strings.Join(slices.Compact(parts), " ")
	})
	rapid.Check(t, func(rt *rapid.T) {
		inner := selections.Draw(rt, "inner")
		variables := map[string]any{"n": int64(rapid.IntRange(0, 500).Draw(rt, "n"))}
		written, _ := priced(t, Defaults(), "query($n: Int = 1) { used: customers(first: $n) { totalCount } customers(first: 7) { nodes { "+inner+" } } }")
		spread, _ := priced(t, Defaults(), "query($n: Int = 1) { used: customers(first: $n) { totalCount } customers(first: 7) { nodes { ...F } } } fragment F on Customer { "+inner+" }")
		if a, b := written.Cost(variables, Rows{}), spread.Cost(variables, Rows{}); a != b {
			rt.Fatalf("%d written out, %d in a fragment: %s", a, b, inner)
		}
	})
}

func TestTheScopesThatAnOperationNeedsAreToldInTheSpecificationsSpelling(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text      string
		variables map[string]any
		scopes    string
	}{
		{`{ viewer { clientId } }`, nil, ""},
		{`{ customer(id: "a") { ...F } } fragment F on Customer { registrationNumber minfinDocuments { totalCount } }`, nil, "minfin.read privacy.read"},
		{`{ customers(filter: {registrationNumber: "1"}) { totalCount } }`, nil, "privacy.read"},
		{`query($f: CustomerFilter) { customers(filter: $f) { totalCount } }`, map[string]any{"f": map[string]any{"registrationNumber": "1"}}, "privacy.read"},
		{`query($f: CustomerFilter) { customers(filter: $f) { totalCount } }`, map[string]any{"f": map[string]any{"registrationNumber": nil}}, ""},
		{`query($by: DuplicateKey!) { duplicates(by: $by) { groupCount } }`, map[string]any{"by": "REGISTRATION_NUMBER"}, "privacy.read"},
		{`query($by: DuplicateKey!) { duplicates(by: $by) { groupCount } }`, map[string]any{"by": "EMAIL"}, ""},
		{`mutation { createLabel(input: {name: "x"}) { label { id } } }`, nil, "settings.write"},
		{`mutation { createCustomer(input: {type: COMPANY, spouseRegistrationNumber: "1"}) { customer { id } } }`, nil, "customers.write privacy.read"},
	} {
		_, operation := priced(t, Defaults(), c.text)
		if got := strings.Join(Scopes(contract(), operation, c.variables), " "); got != c.scopes {
			t.Errorf("%s needs %q, want %q", c.text, got, c.scopes)
		}
	}
}

func FuzzTheLimitsMeasureAnyDocument(f *testing.F) {
	f.Add(`{ customers(first: 3) { nodes { ...F } } } fragment F on Customer { id relations { totalCount } }`)
	f.Add(`query($n: Int = 3) { a: nodes(ids: ["x"]) { id @skip(if: true) } }`)
	f.Add(`{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }`)
	f.Add("{a(x:[[[[{b:[")
	for _, text := range slowToValidate() {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		measureAndPrice(t, Defaults(), text)
	})
}

func TestTheExampleOfTheDocumentationCostsWhatItSays(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/limits.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```graphql\n")
	query, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal("there is no example")
	}
	price, operation := priced(t, Defaults(), query)
	depth, _ := Defaults().Measure(&ast.QueryDocument{Operations: ast.OperationList{operation}})
	if told := fmt.Sprintf(`"depth": %d, "cost": %d,`, depth, price.Cost(nil, Rows{})); !strings.Contains(string(page), told) {
		t.Errorf("it is %s", told)
	}
}

// Every limit is a field of Settings, a default of the flag and a line of the documentation, and they agree.
func TestEverySettingIsDocumentedAndHasTheDefaultOfTheContract(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/limits.md")
	if err != nil {
		t.Fatal(err)
	}
	var parsed struct {
		Limits Settings `embed:"" prefix:"limit-" envprefix:"BACKOFFICE_LIMIT_"`
	}
	parser, err := kong.New(&parsed, kong.Exit(func(int) {}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.Parse(nil); err != nil {
		t.Fatal(err)
	}
	if parsed.Limits != Defaults() {
		t.Errorf("the flags' defaults are %+v, Defaults() %+v", parsed.Limits, Defaults())
	}
	for _, flag := range parser.Model.Flags {
		if flag.Name == "help" {
			continue
		}
		if !strings.Contains(string(page), "`--"+flag.Name+"`") {
			t.Errorf("--%s is not documented", flag.Name)
		}
		if want := "BACKOFFICE_" + strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_")); len(flag.Envs) != 1 || flag.Envs[0] != want {
			t.Errorf("--%s is %v in the environment, not %s", flag.Name, flag.Envs, want)
		}
	}
}
