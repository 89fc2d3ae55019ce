package storetest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.org/backoffice/backoffice"
)

func testRecords(t *testing.T, newStore func(t testing.TB) backoffice.Store) {
	t.Run("every field of every record is read as it was written", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		fullOffice().insert(t, store)
		o := fullOffice() // what was inserted may have been changed by the store
		roundTrip(t, o.labels, store.Labels(), func(l *backoffice.Label) string { return l.ID })
		roundTrip(t, o.users, store.Users(), func(l *backoffice.User) string { return l.ID })
		roundTrip(t, o.years, store.FinancialYears(), func(l *backoffice.FinancialYear) string { return l.ID })
		roundTrip(t, o.checklists, store.Checklists(), func(l *backoffice.Checklist) string { return l.ID })
		roundTrip(t, o.customers, store.Customers(), func(l *backoffice.Customer) string { return l.ID })
		roundTrip(t, o.relations, store.Relations(), func(l *backoffice.CustomerRelation) string { return l.ID })
		roundTrip(t, o.transcripts, store.Transcripts(), func(l *backoffice.Transcript) string { return l.ID })
		roundTrip(t, o.calculations, store.Calculations(), func(l *backoffice.Calculation) string { return l.ID })
		roundTrip(t, o.documents, store.Documents(), func(l *backoffice.CustomerDocument) string { return l.ID })
		roundTrip(t, o.minfin, store.MinfinDocuments(), func(l *backoffice.MinfinDocument) string { return l.ID })
	})

	t.Run("every list can be read, counted and ordered", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		fullOffice().insert(t, store)
		listed(t, store.Labels(), backoffice.Root, backoffice.NoParent, backoffice.LabelCriteria{}, 2)
		listed(t, store.Users(), backoffice.Root, backoffice.NoParent, backoffice.UserCriteria{Search: "zoe pee"}, 1)
		listed(t, store.FinancialYears(), backoffice.Root, backoffice.NoParent, backoffice.FinancialYearCriteria{}, 2)
		listed(t, store.FinancialYears(), backoffice.Root, backoffice.NoParent, backoffice.FinancialYearCriteria{Current: true}, 1)
		listed(t, store.Checklists(), backoffice.OfFinancialYear, "year-2", backoffice.ChecklistCriteria{Language: "dutch"}, 1)
		for _, key := range []backoffice.OrderKey{backoffice.KeyID, backoffice.KeyName, backoffice.KeyCreatedAt, backoffice.KeyUpdatedAt} {
			listed(t, store.Customers(), backoffice.Root, backoffice.NoParent, backoffice.CustomerCriteria{}, 2, key)
			listed(t, store.Customers(), backoffice.OfUser, "user-1", backoffice.CustomerCriteria{}, 1, key)
		}
		listed(t, store.Customers(), backoffice.Root, backoffice.NoParent, backoffice.CustomerCriteria{
			IDs: backoffice.NewIDs([]string{"customer-1"}), Type: backoffice.Company, Language: "french", ResponsibleID: "user-1",
			EmailFolded: "een@example.org", CustomerCode: "C-1", KboNumber: "0200065765", CompanyType: backoffice.LegalFormBV,
			Scope: "checklist", Search: "cafe ee", UpdatedSince: 1, WithoutChecklistID: "none",
			RegistrationIndex: "index\x00one", SpouseRegistrationIndex: "index\x00two",
		}, 1)
		listed(t, store.Customers(), backoffice.Root, backoffice.NoParent, backoffice.CustomerCriteria{WithoutChecklistID: "checklist-1"}, 1)
		for _, customer := range []string{"customer-1", "customer-2"} {
			listed(t, store.Relations(), backoffice.OfCustomer, customer, backoffice.RelationCriteria{}, 1)
			listed(t, store.Relations(), backoffice.OfCustomer, customer, backoffice.RelationCriteria{Kind: backoffice.UBO}, 1)
		}
		listed(t, store.Relations(), backoffice.OfCustomer, "customer-1", backoffice.RelationCriteria{Direction: backoffice.Outgoing}, 1)
		listed(t, store.Relations(), backoffice.OfCustomer, "customer-1", backoffice.RelationCriteria{Direction: backoffice.Incoming}, 0)
		for _, key := range []backoffice.OrderKey{backoffice.KeyID, backoffice.KeyProgress, backoffice.KeyUpdatedAt} {
			for under, parent := range map[backoffice.Edge]string{
				backoffice.Root: backoffice.NoParent, backoffice.OfCustomer: "customer-1", backoffice.OfChecklist: "checklist-1", backoffice.OfFinancialYear: "year-2",
			} {
				listed(t, store.Transcripts(), under, parent, backoffice.TranscriptCriteria{
					ChecklistID: "checklist-1", FinancialYearID: "year-2", CustomerID: "customer-1", ResponsibleID: "user-1",
					Status: 1 << 3, IsCompleted: backoffice.Yes, DocumentGenerated: backoffice.Yes, UpdatedSince: 1}, 1, key)
			}
		}
		listed(t, store.Calculations(), backoffice.OfCustomer, "customer-1", backoffice.CalculationCriteria{HasProposal: true}, 1, backoffice.KeyUpdatedAt)
		listed(t, store.Calculations(), backoffice.OfTranscript, "transcript-1", backoffice.CalculationCriteria{}, 1)
		listed(t, store.Documents(), backoffice.OfCustomer, "customer-1", backoffice.DocumentCriteria{}, 1)
		listed(t, store.MinfinDocuments(), backoffice.OfFinancialYear, "year-1", backoffice.MinfinCriteria{
			CustomerID: "customer-1", FinancialYearID: "year-1", DocumentType: "assessment", SynchronisedSince: 1}, 1)
		listed(t, store.PrivacyAccesses(), backoffice.OfCustomer, "customer-1", backoffice.ConsultationCriteria{}, 0, backoffice.KeyAt)
	})
}

// listed reads a list in both directions and counts it.
func listed[T any, C comparable](t *testing.T, reader backoffice.Reader[*T, C], under backoffice.Edge, parent string, criteria C, want int, by ...backoffice.OrderKey) {
	t.Helper()
	order := backoffice.Order{}
	if len(by) > 0 {
		order.Key = by[0]
	}
	parents := []string{parent}
	if under != backoffice.Root {
		parents = append(parents, "nobody")
	}
	for _, backward := range []bool{false, true} {
		order.Descending = !order.Descending
		ask := backoffice.Ask[C]{Under: under, Criteria: criteria, Order: order, Window: backoffice.Window{Limit: 10, Backward: backward}}
		pages, err := reader.Pages(t.Context(), ask, parents, 0)
		if err != nil {
			t.Fatalf("%T: %v (%v)", reader, err, errorCause(err))
		}
		if len(pages) != len(parents) || len(pages[parent].Items) != want {
			t.Errorf("%T: %d rows under %d of %q with %+v, want %d", reader, len(pages[parent].Items), under, parent, criteria, want)
		}
	}
	counts, err := reader.Counts(t.Context(), under, criteria, parents)
	if err != nil || counts[parent] != want {
		t.Errorf("%T: counted %d (%v) under %d of %q, want %d", reader, counts[parent], err, under, parent, want)
	}
}

func roundTrip[T any, C comparable](t *testing.T, want []*T, reader backoffice.Reader[*T, C], id func(*T) string) {
	t.Helper()
	ids := make([]string, len(want))
	for i, row := range want {
		ids[i] = id(row)
	}
	got, err := reader.ByID(t.Context(), ids, 0)
	if err != nil {
		t.Fatalf("%T: %v (%v)", want, err, errorCause(err))
	}
	for i, row := range want {
		if diff := cmp.Diff(row, got[ids[i]], cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%T %s (-written +read):\n%s", row, ids[i], diff)
		}
	}
}
