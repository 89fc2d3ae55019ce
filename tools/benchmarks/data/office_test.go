package data_test

import (
	"reflect"
	"slices"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/tools/benchmarks/data"
)

func TestTheOfficeIsTheSameEveryTimeAndKeepsTheRulesOfTheDomain(t *testing.T) {
	t.Parallel()
	for _, customers := range []int{data.MinCustomers, 1000, 1996} {
		office := data.Office{Customers: customers}
		var ids []string
		for i := range customers {
			customer := office.Customer(i)
			if !reflect.DeepEqual(customer, office.Customer(i)) {
				t.Fatal("another customer the second time")
			}
			if wrong := backoffice.CustomerTable.Check(customer); wrong != nil {
				t.Fatal(wrong[0])
			}
			ids = append(ids, customer.ID)
		}
		if !slices.IsSorted(ids) || len(slices.Compact(ids)) != customers {
			t.Fatal("identifiers are not in the order of the customers")
		}
	}
}

func TestBusyCustomersHaveTenDifferentRelationsAndTenTranscripts(t *testing.T) {
	t.Parallel()
	for _, customers := range []int{data.MinCustomers, 1000, 5005} {
		office := data.Office{Customers: customers}
		relations, transcripts := map[string]int{}, map[string]int{}
		seen := map[[3]string]bool{}
		for i := range office.Relations() {
			r := office.Relation(i)
			relations[r.CustomerID]++
			triple := [3]string{r.CustomerID, r.RelatedCustomerID, string(r.Kind)}
			if seen[triple] {
				t.Fatalf("%d customers: relation %d is there twice", customers, i)
			}
			seen[triple] = true
			if wrong := backoffice.RelationTable.Check(r); wrong != nil {
				t.Fatal(wrong)
			}
		}
		for i := range office.Transcripts() {
			transcript := office.Transcript(i)
			transcripts[transcript.CustomerID]++
			if wrong := backoffice.TranscriptTable.Check(transcript); wrong != nil {
				t.Fatal(wrong)
			}
		}
		for i := range customers {
			id, busy := office.CustomerID(i), i < customers/5
			if busy && (relations[id] != 10 || transcripts[id] != 10) || !busy && (relations[id] != 0 || transcripts[id] < 3 || transcripts[id] > 4) {
				t.Fatalf("customer %d has %d relations and %d transcripts", i, relations[id], transcripts[id])
			}
		}
	}
}
