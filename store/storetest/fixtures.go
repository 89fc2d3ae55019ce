package storetest

import (
	"context"
	"testing"

	"example.org/backoffice/backoffice"
)

// office is one complete record of each noun, with no field left out, and what they refer to.
type office struct {
	labels       []*backoffice.Label
	users        []*backoffice.User
	years        []*backoffice.FinancialYear
	checklists   []*backoffice.Checklist
	customers    []*backoffice.Customer
	relations    []*backoffice.CustomerRelation
	transcripts  []*backoffice.Transcript
	calculations []*backoffice.Calculation
	documents    []*backoffice.CustomerDocument
	minfin       []*backoffice.MinfinDocument
	differences  []*backoffice.Discrepancy
}

func fileOf(kind backoffice.FileKind, id string) *backoffice.File {
	return &backoffice.File{
		Key: "key-" + id, Owner: backoffice.FileOwner{Kind: kind, ID: id}, ContentType: "application/pdf", Size: 12345,
		MD5Hash: "rL0Y20zC+Fzt72VPzMSk2A==", SHA256: []byte("0123456789abcdef0123456789abcdef"), TimeCreated: backoffice.InstantAt(1_700_000_000_123),
	}
}

func fullOffice() *office {
	return &office{
		labels: []*backoffice.Label{
			{ID: "label-1", Name: "Audit", Color: "#1e90ff", CreatedAt: backoffice.InstantAt(1_600_000_000_001)},
			{ID: "label-2", Name: "Zürich", Color: "#ffffff", CreatedAt: backoffice.InstantAt(1_600_000_000_002)},
		},
		users: []*backoffice.User{
			{ID: "user-1", FirstName: "Zoë", LastName: "Peeters", Email: "zoe@example.org", Language: "dutch", LabelIDs: []string{"label-2", "label-1"}, Version: 1},
		},
		years: []*backoffice.FinancialYear{
			{ID: "year-1", StartDate: "2025", EndDate: "2025", ArchivedAt: backoffice.InstantAt(1_750_000_000_000)},
			{ID: "year-2", StartDate: "2026", EndDate: "2026", IsCurrentYear: true},
		},
		checklists: []*backoffice.Checklist{
			{ID: "checklist-1", Name: "Personenbelasting", Language: "dutch", AuthRequired: true, RemindersEnabled: true, DueDate: "2026-03-31", FinancialYearID: "year-2"},
		},
		customers: []*backoffice.Customer{
			{
				ID: "customer-1", Type: backoffice.Company, OwnName: "Café Één", FirstName: "An", LastName: "Maes", DisplayName: "Café Één",
				Scopes: []string{"annual-accounts", "checklist"}, KboNumber: "0200065765", CompanyType: backoffice.LegalFormBV,
				Address:      backoffice.Address{Street: "Kerkstraat", HouseNumber: "1", Box: "2", PostalCode: "9000", City: "Gent", Country: "Belgium"},
				CustomerCode: "C-1", Registration: backoffice.SealedOf([]byte("cipher\x00one"), []byte("index\x00one")),
				SpouseRegistration: backoffice.SealedOf([]byte("cipher\x00two"), []byte("index\x00two")),
				ResponsibleID:      "user-1", Language: "french", Email: "Een@Example.org", Phone: "+3291234567",
				CreatedAt: backoffice.InstantAt(1_700_000_000_001), UpdatedAt: backoffice.InstantAt(1_700_000_000_002), Version: 1,
			},
			{
				ID: "customer-2", Type: backoffice.PrivatePerson, FirstName: "Jan", LastName: "Janssens", DisplayName: "Jan Janssens",
				CreatedAt: backoffice.InstantAt(1_700_000_000_003), UpdatedAt: backoffice.InstantAt(1_700_000_000_004), Version: 1, HiddenChanges: 1, OpenUpdatedAt: backoffice.InstantAt(1_700_000_000_003),
			},
		},
		relations: []*backoffice.CustomerRelation{
			{ID: "relation-1", Kind: backoffice.UBO, CustomerID: "customer-1", RelatedCustomerID: "customer-2", SharePercent: "33.3333", VotePercent: "50",
				StartDate: "2020-01-01", EndDate: "2026-12-31", Note: "founder", Nominee: true, CreatedAt: backoffice.InstantAt(1_700_000_000_005), Version: 1},
		},
		transcripts: []*backoffice.Transcript{{
			ID: "transcript-1", OwnStatus: backoffice.Sent, OwnUpdatedAt: backoffice.InstantAt(1_700_000_000_006), Status: backoffice.CalculationDone, UpdatedAt: backoffice.InstantAt(1_700_000_000_007),
			IsCompleted: true, ProgressPercentage: 33.3, DocumentGenerated: true, CustomVariables: backoffice.JSON(`{"a":1,"é":[true,null]}`),
			CustomerID: "customer-1", ChecklistID: "checklist-1", FinancialYearID: "year-2", Document: fileOf(backoffice.TranscriptFile, "transcript-1"),
			CreatedAt: backoffice.InstantAt(1_700_000_000_002), CompletedAt: backoffice.InstantAt(1_700_000_000_003), DocumentGeneratedAt: backoffice.InstantAt(1_700_000_000_004), SentAt: backoffice.InstantAt(1_700_000_000_005),
		}},
		calculations: []*backoffice.Calculation{{
			ID: "calculation-1", State: backoffice.CalculationState(backoffice.CalculationDone), UpdatedAt: backoffice.InstantAt(1_700_000_000_007),
			TranscriptID: "transcript-1", CustomerID: "customer-1", Proposal: fileOf(backoffice.CalculationFile, "calculation-1"),
		}},
		documents: []*backoffice.CustomerDocument{
			{ID: "document-1", Name: "Statuten.pdf", CustomerID: "customer-1", CreatedAt: backoffice.InstantAt(1_700_000_000_008), File: fileOf(backoffice.DocumentFile, "document-1")},
		},
		minfin: []*backoffice.MinfinDocument{{
			ID: "minfin-1", Name: "Aanslagbiljet", DocumentType: "assessment", CustomerID: "customer-1", FinancialYearID: "year-1",
			SynchronisedAt: backoffice.InstantAt(1_700_000_000_009), File: fileOf(backoffice.MinfinFile, "minfin-1"),
		}},
		differences: []*backoffice.Discrepancy{{
			ID: "discrepancy-1", Kind: backoffice.OtherPercentage, CustomerID: "customer-1", PersonID: "customer-2", DeclaredPercent: "25", ComputedPercent: "33.3333",
			SeenAt: backoffice.InstantAt(1_700_000_000_010), ClosedAt: backoffice.InstantAt(1_700_000_000_011), ReportedAt: backoffice.InstantAt(1_700_000_000_012),
			Note: "Asked the notary", Version: 1,
		}},
	}
}

// emptyOffice has the same records as fullOffice with as little in them as can be.
func emptyOffice() *office {
	o := fullOffice()
	for _, l := range o.labels {
		l.Color, l.CreatedAt, l.Name = "", 0, "label "+l.ID
	}
	for _, u := range o.users {
		*u = backoffice.User{ID: u.ID, Version: 1}
	}
	for i, y := range o.years {
		*y = backoffice.FinancialYear{ID: y.ID, StartDate: "2020", EndDate: "2020", IsCurrentYear: i == 0}
	}
	for _, k := range o.checklists {
		*k = backoffice.Checklist{ID: k.ID, Name: "x", FinancialYearID: "year-1"}
	}
	for _, c := range o.customers {
		*c = backoffice.Customer{ID: c.ID, Type: backoffice.Company, DisplayName: c.ID, Version: 1}
	}
	for _, r := range o.relations {
		*r = backoffice.CustomerRelation{ID: r.ID, Kind: backoffice.Director, CustomerID: "customer-2", RelatedCustomerID: "customer-1", Version: 1}
	}
	for _, n := range o.calculations {
		*n = backoffice.Calculation{ID: n.ID, State: "TO_PROCESS", TranscriptID: "transcript-1", CustomerID: "customer-2"}
	}
	for _, r := range o.transcripts {
		*r = backoffice.Transcript{ID: r.ID, OwnStatus: backoffice.ToProcess, Status: backoffice.ToProcess, CustomerID: "customer-2", ChecklistID: "checklist-1", FinancialYearID: "year-1"}
	}
	for _, d := range o.documents {
		*d = backoffice.CustomerDocument{ID: d.ID, Name: "x", CustomerID: "customer-2"}
	}
	for _, d := range o.minfin {
		*d = backoffice.MinfinDocument{ID: d.ID, Name: "x", DocumentType: "y"}
	}
	for _, d := range o.differences {
		*d = backoffice.Discrepancy{ID: d.ID, Kind: backoffice.NotDeclared, CustomerID: "customer-2", PersonID: "customer-1", Version: 1}
	}
	return o
}

// insert adds all of the office in one transaction.
func (o *office) insert(t testing.TB, store backoffice.Store) {
	t.Helper()
	write(t, store, func(ctx context.Context, tx backoffice.Tx) error {
		return inOrder(
			func() error { return tx.Labels().Insert(ctx, o.labels...) },
			func() error { return tx.Users().Insert(ctx, o.users...) },
			func() error { return tx.FinancialYears().Insert(ctx, o.years...) },
			func() error { return tx.Checklists().Insert(ctx, o.checklists...) },
			func() error { return tx.Customers().Insert(ctx, o.customers...) },
			func() error { return tx.Relations().Insert(ctx, o.relations...) },
			func() error { return tx.Transcripts().Insert(ctx, o.transcripts...) },
			func() error { return tx.Calculations().Insert(ctx, o.calculations...) },
			func() error { return tx.Documents().Insert(ctx, o.documents...) },
			func() error { return tx.MinfinDocuments().Insert(ctx, o.minfin...) },
			func() error { return tx.Discrepancies().Insert(ctx, o.differences...) },
		)
	})
}

// upsert writes all of the office in one transaction, whether it is there or not.
func (o *office) upsert(t testing.TB, store backoffice.Store) {
	t.Helper()
	write(t, store, func(ctx context.Context, tx backoffice.Tx) error {
		return inOrder(
			func() error { return tx.Labels().Upsert(ctx, o.labels) },
			func() error { return tx.Users().Upsert(ctx, o.users) },
			func() error { return tx.FinancialYears().Upsert(ctx, o.years) },
			func() error { return tx.Checklists().Upsert(ctx, o.checklists) },
			func() error { return tx.Customers().Upsert(ctx, o.customers) },
			func() error { return tx.Relations().Upsert(ctx, o.relations) },
			func() error { return tx.Transcripts().Upsert(ctx, o.transcripts) },
			func() error { return tx.Calculations().Upsert(ctx, o.calculations) },
			func() error { return tx.Documents().Upsert(ctx, o.documents) },
			func() error { return tx.MinfinDocuments().Upsert(ctx, o.minfin) },
			func() error { return tx.Discrepancies().Upsert(ctx, o.differences) },
		)
	})
}

// update stores all of the office, whose records must be there, in one transaction.
func (o *office) update(t testing.TB, store backoffice.Store) {
	t.Helper()
	write(t, store, func(ctx context.Context, tx backoffice.Tx) error {
		return inOrder(
			func() error { return tx.Labels().Update(ctx, o.labels...) },
			func() error { return tx.Users().Update(ctx, o.users...) },
			func() error { return tx.FinancialYears().Update(ctx, o.years...) },
			func() error { return tx.Checklists().Update(ctx, o.checklists...) },
			func() error { return tx.Customers().Update(ctx, o.customers...) },
			func() error { return tx.Relations().Update(ctx, o.relations...) },
			func() error { return tx.Transcripts().Update(ctx, o.transcripts...) },
			func() error { return tx.Calculations().Update(ctx, o.calculations...) },
			func() error { return tx.Documents().Update(ctx, o.documents...) },
			func() error { return tx.MinfinDocuments().Update(ctx, o.minfin...) },
			func() error { return tx.Discrepancies().Update(ctx, o.differences...) },
		)
	})
}

func inOrder(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}
