package storetest

import (
	"slices"
	"testing"

	"example.org/backoffice/backoffice"
)

// workedOut are the orders that are worked out for each row under the criteria.
var workedOut = []backoffice.OrderKey{backoffice.KeyRelevance, backoffice.KeyRelations, backoffice.KeyOpenTranscripts, backoffice.KeyCustomerName}

// storedOrders are those of the orders that an index has.
func storedOrders(orders []backoffice.OrderKey) []backoffice.OrderKey {
	return slices.DeleteFunc(slices.Clone(orders), func(key backoffice.OrderKey) bool { return slices.Contains(workedOut, key) })
}

// indexedCriteria are those on customers that an index answers, beside the ones that every sweep has.
func indexedCriteria(o *office) []backoffice.CustomerCriteria {
	at := backoffice.Span{From: backoffice.InstantAt(1_700_000_000_039), HasFrom: true, To: backoffice.InstantAt(1_700_000_000_040), HasTo: true}
	return []backoffice.CustomerCriteria{
		{City: "gent"}, {PostalCode: "4000"}, {Country: "be"}, {Created: at}, {Updated: at},
		{HasEmail: backoffice.Yes}, {HasEmail: backoffice.No}, {HasPhone: backoffice.Yes}, {HasPhone: backoffice.No},
		{HasResponsible: backoffice.Yes}, {HasResponsible: backoffice.No}, {HasKboNumber: backoffice.Yes}, {HasKboNumber: backoffice.No},
		{Any: backoffice.NestedOf(backoffice.CustomerCriteria{City: "gent"}, backoffice.CustomerCriteria{CustomerCode: "CODE_1"})},
	}
}

// SweepDear asks all that reads every row of a table, or most of its index of trigrams, for which limits charges more.
// The store is one that Fill filled.
func SweepDear(t *testing.T, store backoffice.Store) {
	t.Helper()
	o := crowd()
	at := backoffice.Span{From: backoffice.InstantAt(1_700_000_000_039), HasFrom: true, To: backoffice.InstantAt(1_700_000_000_040), HasTo: true}
	label := o.labels[0].ID
	list, year, user := o.checklists[0].ID, o.years[0].ID, o.users[1].ID
	customers := []backoffice.CustomerCriteria{
		{Not: backoffice.NestedOf(backoffice.CustomerCriteria{City: "gent"})},
		{SomeTranscript: backoffice.NestedOf(backoffice.TranscriptCriteria{ChecklistID: list})}, {NoTranscript: backoffice.NestedOf(backoffice.TranscriptCriteria{FinancialYearID: year})},
		{Relations: backoffice.RelationsCriteria{AtLeast: 1}}, {Relations: backoffice.RelationsCriteria{AtLeast: 1, Fewer: true}},
		{Relations: backoffice.RelationsCriteria{AtLeast: 4, Kind: backoffice.Director, Direction: backoffice.Incoming}},
		{Relations: backoffice.RelationsCriteria{AtLeast: 4, Kind: backoffice.Director, AsOf: "2025-06-15", Fewer: true}},
		{LabelID: label}, {HasDocument: backoffice.Yes}, {HasDocument: backoffice.No}, {OwnershipDiffers: backoffice.Yes}, {OwnershipDiffers: backoffice.No}, {MissingChecklistOf: year},
	}
	fuzzy := backoffice.CustomerCriteria{Fuzzy: "  BAKKERYI  SMET "}
	ask := func(list backoffice.ListQuery[backoffice.CustomerCriteria]) {
		t.Helper()
		if _, err := backoffice.ReadPages(t.Context(), store.Customers(), list, nil, 0); err != nil {
			t.Fatalf("%v (%v)", err, errorCause(err))
		}
	}
	for _, c := range append(customers, fuzzy) {
		ask(backoffice.ListQuery[backoffice.CustomerCriteria]{Criteria: c, Window: backoffice.Window{Limit: 50}})
		if _, err := backoffice.ReadCounts(t.Context(), store.Customers(), backoffice.Root, c, nil); err != nil {
			t.Fatalf("%v (%v)", err, errorCause(err))
		}
	}
	day := backoffice.ListQuery[backoffice.RelationCriteria]{Criteria: backoffice.RelationCriteria{AsOf: "2025-06-15"}, Window: backoffice.Window{Limit: 50}}
	for parent, ids := range map[backoffice.Parent][]string{backoffice.Root: nil, backoffice.OfCustomer: {o.customers[0].ID}} {
		day.Parent = parent
		if _, err := backoffice.ReadPages(t.Context(), store.Relations(), day, ids, 0); err != nil {
			t.Fatalf("%v (%v)", err, errorCause(err))
		}
		if _, err := backoffice.ReadCounts(t.Context(), store.Relations(), parent, day.Criteria, ids); err != nil {
			t.Fatalf("%v (%v)", err, errorCause(err))
		}
	}
	for _, key := range workedOut[:3] {
		ask(backoffice.ListQuery[backoffice.CustomerCriteria]{Criteria: backoffice.CustomerCriteria{Search: "bakker"}, Order: backoffice.Order{Key: key}, Window: backoffice.Window{Limit: 50}})
		ask(backoffice.ListQuery[backoffice.CustomerCriteria]{Order: backoffice.Order{Key: key, Descending: true}, Window: backoffice.Window{Limit: 50, HasAfter: true, After: backoffice.Position{Text: "m", Number: 1}}})
	}
	for _, list := range []backoffice.ListQuery[backoffice.TranscriptCriteria]{
		{Order: backoffice.Order{Key: backoffice.KeyCustomerName}}, {Criteria: backoffice.TranscriptCriteria{Variable: backoffice.VariableCriteria{Set: true, Key: "car", Text: "yes"}}},
		{Criteria: backoffice.TranscriptCriteria{Not: backoffice.NestedOf(backoffice.TranscriptCriteria{FinancialYearID: year})}},
		{Criteria: backoffice.TranscriptCriteria{VariableRange: backoffice.VariableRange{Set: true, Key: "children", Least: 1, Most: 2}}},
		{Criteria: backoffice.TranscriptCriteria{LabelID: label}}, {Criteria: backoffice.TranscriptCriteria{Created: at}},
		{Criteria: backoffice.TranscriptCriteria{Completed: at}}, {Criteria: backoffice.TranscriptCriteria{Sent: at, Generated: at}},
		{Criteria: backoffice.TranscriptCriteria{Any: backoffice.NestedOf(backoffice.TranscriptCriteria{ResponsibleID: user, IsCompleted: backoffice.Yes},
			backoffice.TranscriptCriteria{ResponsibleID: user, DocumentGenerated: backoffice.No}, backoffice.TranscriptCriteria{ChecklistID: list})}},
	} {
		list.Window.Limit = 50
		if _, err := backoffice.ReadPages(t.Context(), store.Transcripts(), list, nil, 0); err != nil {
			t.Fatalf("%v (%v)", err, errorCause(err))
		}
	}
}
