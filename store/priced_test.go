package store

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/limits"
)

// The price of an aggregate knows by name which dimensions the store joins another table for, and that of a deletion
// what goes with it: these tests hold it to the store's own descriptions.

func costOf(t *testing.T, operation string, rows limits.Rows) int {
	t.Helper()
	text, err := os.ReadFile("../schema.graphqls")
	if err != nil {
		t.Fatal(err)
	}
	schema := gqlparser.MustLoadSchema(&ast.Source{Name: "schema.graphqls", Input: string(text)})
	document, wrong := gqlparser.LoadQuery(schema, operation)
	if wrong != nil {
		t.Fatal(wrong)
	}
	return limits.Defaults().Price(schema, document.Operations[0]).Cost(nil, rows)
}

func checkDimensions[T any, C comparable](t *testing.T, field string, of *table[T, C]) {
	t.Helper()
	cost := map[bool]int{}
	ofDuplicates := []backoffice.Dimension{
		backoffice.GroupByEmail, backoffice.GroupByKboNumber, backoffice.GroupByName, backoffice.GroupByPostalCodeFolded,
		backoffice.GroupBySimilarName, backoffice.GroupByRegistration,
	}
	for name, dimension := range of.dimensions {
		if slices.Contains(ofDuplicates, name) {
			continue
		}
		joins := dimension.join != ""
		price := costOf(t, fmt.Sprintf("{ %s(groupBy: %s) { totalCount } }", field, name), limits.Nominal)
		if cost[joins] == 0 {
			cost[joins] = price
		}
		if price != cost[joins] {
			t.Errorf("%s by %s costs %d, others %d", field, name, price, cost[joins])
		}
	}
	if cost[true] <= cost[false] {
		t.Errorf("%s: %v", field, cost)
	}
}

func TestAGroupThatJoinsCostsMoreThanOneThatDoesNot(t *testing.T) {
	t.Parallel()
	checkDimensions(t, "customersAggregate", customerTable)
	checkDimensions(t, "transcriptsAggregate", transcriptTable)
}

func TestADeletionCostsMoreForEachNounThatGoesWithIt(t *testing.T) {
	t.Parallel()
	for noun, mutation := range map[backoffice.Noun]string{
		backoffice.NounCustomer: "deleteCustomer", backoffice.NounUser: "deleteUser", backoffice.NounRelation: "deleteCustomerRelation",
	} {
		with := map[backoffice.Noun]bool{}
		for _, c := range cascades[noun] {
			with[c.noun] = true
		}
		operation := "mutation { " + mutation + `(input: {id: "a"}) { userErrors { code } } }`
		for _, of := range nounTables() {
			if of.noun == noun {
				continue
			}
			cost := func(n int) int {
				return costOf(t, operation, limits.Rows{Of: func(asked backoffice.Noun) int {
					if asked == of.noun {
						return n
					}
					return 1
				}})
			}
			if grows := cost(1_000_000) > cost(1); grows != with[of.noun] {
				t.Errorf("%s: that %ss go with it is %v, and its price grows with them: %v", mutation, of.noun, with[of.noun], grows)
			}
		}
	}
}
