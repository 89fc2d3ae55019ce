package storetest

import (
	"context"
	"maps"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
)

// Sweep asks a store everything that can be asked: every list under every edge, in every order, through every kind of
// window and under every single criterion, and every other statement besides. An engine's test records the statements
// and looks at their plans. The store is one that Fill filled.
func Sweep(t *testing.T, store backoffice.Store) {
	t.Helper()
	o := crowd()
	sweepReads(t, store, o)
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%v (%v)", err, errorCause(err))
		}
	}
	head := openChain(t, store)
	entries := fullConsultations()
	for _, entry := range entries {
		entry.Chain = head.Chain
	}
	must(store.AppendConsultations(ctx, head, backoffice.ConsultationHead{Chain: head.Chain, Count: 2, Last: entries[1].MAC, MAC: []byte("moved")}, entries))
	_, err := store.ListConsultations(ctx, backoffice.ConsultationPosition{Chain: 1, Number: 1}, 10)
	must(err)
	heads(t, store, 1, 10)
	_, err = store.Changes(ctx, 10, 10)
	must(err)
	_, err = store.Administration(ctx, 10, 10)
	must(err)
	sweepFeed(t, store)
	_, err = store.ForgottenFiles(ctx, 10)
	must(err)
	must(store.FilesRemoved(ctx, []string{"a", "b"}))
	_, err = store.KnownFiles(ctx, []string{"a", "b"})
	must(err)
	sweepFileRegister(t, store)
	_, err = backoffice.ReadNouns(ctx, store, []string{"a", "b"})
	must(err)
	must(store.CreateCredential(ctx, fullCredential("swept")))
	must(store.CredentialsUsed(ctx, []string{"swept"}, 1))
	must(store.CountToolCalls(ctx, []backoffice.ToolCalls{{Month: "2026-06", ClientID: "swept", Tool: "swept", Calls: 1}}))
	_, err = store.ToolCalls(ctx, "2026-06")
	must(err)
	must(store.UpdateCredential(ctx, "swept", func(*backoffice.Credential) error { return nil }))
	write(t, store, func(ctx context.Context, tx backoffice.Tx) error {
		customer, user := *o.customers[0], *o.users[0]
		customer.Version++
		user.Version++
		return inOrder(
			func() error { return tx.Customers().Update(ctx, &customer) },
			func() error { return tx.Users().Update(ctx, &user) },
			func() error { return tx.Transcripts().Update(ctx, o.transcripts[0]) },
			func() error { return tx.Calculations().Update(ctx, o.calculations[0]) },
			func() error { return tx.Transcripts().Upsert(ctx, o.transcripts) },
			func() error { return tx.Calculations().Upsert(ctx, o.calculations) },
			func() error { _, err := tx.FileKeysOf(ctx, o.customers[0].ID, o.customers[1].ID); return err },
			func() error { return tx.ForgetFiles(ctx, []string{"a"}) },
			func() error { _, _, err := tx.SetDocument(ctx, o.transcripts[0]); return err },
			func() error {
				_, err := tx.RememberKey(ctx, &backoffice.Idempotency{ClientID: "c", Noun: "n", Key: "k", Digest: []byte("d")}, aDay)
				return err
			},
			func() error { return tx.LogChanges(ctx, &backoffice.Change{Action: "a", Noun: "n", ObjectID: "o"}) },
			func() error { _, err := tx.Calculations().Delete(ctx, o.calculations[0].ID); return err },
			func() error { _, err := tx.Users().Delete(ctx, o.users[0].ID); return err },
			func() error { _, err := tx.Customers().Delete(ctx, o.customers[0].ID); return err },
		)
	})
}

// Fill puts a small office of every noun into a store.
func Fill(t testing.TB, store backoffice.Store) { crowd().insert(t, store) }

func sweepReads(t *testing.T, store backoffice.Store, o *office) {
	t.Helper()
	customer, year, list, user := o.customers[1].ID, o.years[0].ID, o.checklists[0].ID, o.users[1].ID
	sweep(t, store.FinancialYears(), o.yearModel().orders, nil, backoffice.FinancialYearCriteria{Current: true})
	sweep(t, store.Checklists(), byName, map[backoffice.Parent]string{backoffice.OfFinancialYear: year},
		backoffice.ChecklistCriteria{Language: "dutch"}, backoffice.ChecklistCriteria{FinancialYearID: year})
	at := backoffice.Span{From: backoffice.InstantAt(1_700_000_000_039), HasFrom: true, To: backoffice.InstantAt(1_700_000_000_040), HasTo: true}
	transcripts := []backoffice.TranscriptCriteria{
		{ChecklistID: list}, {FinancialYearID: year}, {CustomerID: customer}, {ResponsibleID: user}, {Status: 3}, {IsCompleted: backoffice.Yes},
		{IsCompleted: backoffice.No}, {DocumentGenerated: backoffice.Yes}, {DocumentGenerated: backoffice.No}, {UpdatedSince: backoffice.InstantAt(1_700_000_000_038)},
		{Updated: at}, {Any: backoffice.NestedOf(backoffice.TranscriptCriteria{ChecklistID: list}, backoffice.TranscriptCriteria{CustomerID: customer})},
		{FinancialYearID: year, Status: 1}, {FinancialYearID: year, IsCompleted: backoffice.Yes, DocumentGenerated: backoffice.No},
	}
	under := map[backoffice.Parent]string{backoffice.OfFinancialYear: year, backoffice.OfChecklist: list, backoffice.OfCustomer: customer, backoffice.OfUser: user}
	sweep(t, store.Transcripts(), storedOrders(o.transcriptModel().orders), under, transcripts...)
	for edge, parent := range under {
		for _, criteria := range append(transcripts, backoffice.TranscriptCriteria{}) {
			if _, err := readStatusCounts(t.Context(), store.Transcripts(), edge, criteria, []string{parent}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, criteria := range append(transcripts, backoffice.TranscriptCriteria{}) {
		if _, err := readStatusCounts(t.Context(), store.Transcripts(), backoffice.Root, criteria, nil); err != nil {
			t.Fatal(err)
		}
	}
	sweep(t, store.Calculations(), o.calculationModel().orders,
		map[backoffice.Parent]string{backoffice.OfCustomer: customer, backoffice.OfTranscript: o.transcripts[0].ID},
		backoffice.CalculationCriteria{HasProposal: backoffice.Yes}, backoffice.CalculationCriteria{HasProposal: backoffice.No}, backoffice.CalculationCriteria{State: 5},
		backoffice.CalculationCriteria{CustomerID: customer}, backoffice.CalculationCriteria{TranscriptID: o.transcripts[0].ID})
	sweep(t, store.Customers(), storedOrders(o.customerModel().orders), map[backoffice.Parent]string{backoffice.OfUser: user},
		backoffice.CustomerCriteria{IDs: backoffice.NewIDs(o.customerIDs()[:5])}, backoffice.CustomerCriteria{Type: backoffice.Company},
		backoffice.CustomerCriteria{Language: "dutch"}, backoffice.CustomerCriteria{ResponsibleID: user}, backoffice.CustomerCriteria{EmailFolded: "klant1@example.org"},
		backoffice.CustomerCriteria{CustomerCode: "CODE_1"}, backoffice.CustomerCriteria{KboNumber: "0200065765"}, backoffice.CustomerCriteria{CompanyType: backoffice.LegalFormBV},
		backoffice.CustomerCriteria{Scope: "checklist"}, backoffice.CustomerCriteria{Search: "bakker"}, backoffice.CustomerCriteria{UpdatedSince: backoffice.InstantAt(1_700_000_000_038)},
		backoffice.CustomerCriteria{WithoutChecklistID: list}, backoffice.CustomerCriteria{RegistrationIndex: "\x01\x00\xff"},
		backoffice.CustomerCriteria{RegistrationIndex: strings.Repeat("\x01\x00", backoffice.IndexSize)}, backoffice.CustomerCriteria{SpouseRegistrationIndex: strings.Repeat("\x01\x00", backoffice.IndexSize)},
		backoffice.CustomerCriteria{SpouseRegistrationIndex: "\x01\x01\xff"})
	for _, reader := range []backoffice.Reader[*backoffice.Customer, backoffice.CustomerCriteria]{store.Customers(), store.CustomersWithoutNumbers()} {
		sweep(t, reader, nil, nil, indexedCriteria(o)...)
	}
	sweep(t, store.Relations(), nil, map[backoffice.Parent]string{backoffice.OfCustomer: customer}, backoffice.RelationCriteria{Kind: backoffice.UBO},
		backoffice.RelationCriteria{CustomerID: customer}, backoffice.RelationCriteria{RelatedCustomerID: customer},
		backoffice.RelationCriteria{Direction: backoffice.Outgoing}, backoffice.RelationCriteria{Direction: backoffice.Incoming})
	sweep(t, store.Documents(), byName, map[backoffice.Parent]string{backoffice.OfCustomer: customer}, backoffice.DocumentCriteria{CustomerID: customer})
	sweep(t, store.MinfinDocuments(), nil, map[backoffice.Parent]string{backoffice.OfCustomer: customer, backoffice.OfFinancialYear: year},
		backoffice.MinfinCriteria{CustomerID: customer}, backoffice.MinfinCriteria{FinancialYearID: year},
		backoffice.MinfinCriteria{DocumentType: "letter"}, backoffice.MinfinCriteria{SynchronisedSince: backoffice.InstantAt(1_700_000_000_038)})
	sweep(t, store.Discrepancies(), nil, map[backoffice.Parent]string{backoffice.OfCustomer: customer},
		backoffice.DiscrepancyCriteria{CustomerID: customer})
	sweep(t, store.Users(), byName, nil, backoffice.UserCriteria{Search: "bakker"})
	sweep(t, store.Labels(), byName, nil, backoffice.LabelCriteria{})
	sweepEdges(t, store.Consultations(), []backoffice.OrderKey{backoffice.KeyAt}, map[backoffice.Parent]string{backoffice.OfCustomer: customer}, backoffice.ConsultationCriteria{})
}

// sweep asks everything about one noun, at the root and under parents.
func sweep[T any, P rowOf[T], C comparable](t *testing.T, reader backoffice.Reader[P, C], orders []backoffice.OrderKey, under map[backoffice.Parent]string, criteria ...C) {
	t.Helper()
	edges := map[backoffice.Parent]string{backoffice.Root: backoffice.NoParent}
	maps.Copy(edges, under)
	sweepEdges(t, reader, append(orders, backoffice.KeyID), edges, append(criteria, *new(C))...)
}

// sweepEdges asks everything about one noun by the edges, orders and criteria that are given, and for its records by
// identifier.
func sweepEdges[T any, P rowOf[T], C comparable](t *testing.T, reader backoffice.Reader[P, C], orders []backoffice.OrderKey, edges map[backoffice.Parent]string, criteria ...C) {
	t.Helper()
	ctx := t.Context()
	for edge, parent := range edges {
		parents := []string{parent, "other"}
		for _, c := range criteria {
			if _, err := backoffice.ReadCounts(ctx, reader, edge, c, parents); err != nil {
				t.Fatalf("%T: %v (%v)", reader, err, errorCause(err))
			}
			for _, key := range orders {
				// What runs the other way uses the same indexes, so some windows are asked for in one direction only.
				at := backoffice.Position{Key: key, Text: "m", Number: 1_700_000_000_020, ID: "m"}
				for _, ask := range []backoffice.ListQuery[C]{
					{Order: backoffice.Order{Key: key}, Window: backoffice.Window{Limit: 50}},
					{Order: backoffice.Order{Key: key}, Window: backoffice.Window{Limit: 50, Offset: 50}},
					{Order: backoffice.Order{Key: key, Descending: true}, Window: backoffice.Window{Limit: 50, After: at, HasAfter: true}},
				} {
					ask.Parent, ask.Criteria = edge, c
					if _, err := backoffice.ReadPages(ctx, reader, ask, parents, 0); err != nil {
						t.Fatalf("%T: %v (%v)", reader, err, errorCause(err))
					}
				}
			}
		}
	}
	for _, ids := range [][]string{{"one"}, {"one", "two"}} {
		if _, err := backoffice.ReadByID(ctx, reader, ids, 0); err != nil {
			t.Fatal(err)
		}
	}
}
