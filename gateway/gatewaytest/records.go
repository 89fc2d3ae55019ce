package gatewaytest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
)

// Records are the records of an office before they are in a store.
type Records struct {
	Labels        []*backoffice.Label
	Users         []*backoffice.User
	Years         []*backoffice.FinancialYear
	Checklists    []*backoffice.Checklist
	Customers     []*backoffice.Customer
	Relations     []*backoffice.CustomerRelation
	Transcripts   []*backoffice.Transcript
	Calculations  []*backoffice.Calculation
	Documents     []*backoffice.CustomerDocument
	Minfin        []*backoffice.MinfinDocument
	Discrepancies []*backoffice.Discrepancy

	Numbers map[string]string // registration numbers by customer
}

// RegistrationNumbers are valid ones.
var RegistrationNumbers = []string{"85073003328", "93051822361", "17073003384"}

var namesOfOffices = []string{"Bakkerij Janssens", "Janssens & Zonen", "Brouwerij De Zwaan", "De Zwaan", "Garage Peeters", "Peeters Consult", "Café Élan", "Élan Invest"}

// AnyOf picks one.
func AnyOf[T any](d *rand.Rand, list []T) T { return list[d.IntN(len(list))] }

// RandomRecords makes up an office. The same seed makes the same one.
func RandomRecords(seed uint64) *Records {
	d := rand.New(rand.NewPCG(seed, 18))
	r := &Records{Numbers: map[string]string{}}
	at := func() backoffice.Instant {
		return backoffice.InstantOf(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(d.IntN(300*24)) * time.Hour))
	}
	name := func(kind string, i int) string { return fmt.Sprintf("%s-%d-%d", kind, i, d.IntN(100)) }
	for i := range 3 {
		r.Labels = append(r.Labels, &backoffice.Label{ID: name("label", i), Name: fmt.Sprint("Label ", i), CreatedAt: at()})
	}
	for i := range 4 {
		u := &backoffice.User{ID: name("user", i), FirstName: "An", LastName: fmt.Sprint("Maes ", i), Email: fmt.Sprintf("an%d@office.example", i), Version: 1}
		for _, label := range r.Labels {
			if d.IntN(2) == 0 {
				u.LabelIDs = append(u.LabelIDs, label.ID)
			}
		}
		r.Users = append(r.Users, u)
	}
	for i := range 3 {
		year := fmt.Sprint(2023 + i)
		r.Years = append(r.Years, &backoffice.FinancialYear{ID: name("year", i), StartDate: year, EndDate: year, IsCurrentYear: i == 2})
		for j := range 2 {
			r.Checklists = append(r.Checklists, &backoffice.Checklist{ID: name("list", 2*i+j), Name: fmt.Sprint("Aangifte ", year, " ", j), Language: "dutch", DueDate: backoffice.Text([]string{"", "2023-06-30", "9999-12-31"}[(2*i+j)%3]), FinancialYearID: r.Years[i].ID})
		}
	}
	for i := range 6 + d.IntN(10) {
		created := at()
		c := &backoffice.Customer{ID: name("customer", i), Type: backoffice.Company, OwnName: backoffice.Text(AnyOf(d, namesOfOffices)), CreatedAt: created, UpdatedAt: created + backoffice.Instant(d.IntN(1000)),
			Version: 1, Language: backoffice.Text(AnyOf(d, []string{"dutch", "french", ""})), CustomerCode: backoffice.Text(fmt.Sprint("C-", i)), Scopes: []string{"checklist"}}
		if d.IntN(3) == 0 {
			c.KboNumber = "0200065765"
		}
		if d.IntN(2) == 0 {
			c.Email, c.Address.City, c.Address.PostalCode, c.Address.Country = backoffice.Text(fmt.Sprintf("info%d@customer.example", i)), "Gent", "9000", "BE"
		}
		if d.IntN(5) > 0 {
			c.ResponsibleID = AnyOf(d, r.Users).ID
		}
		if d.IntN(3) == 0 {
			r.Numbers[c.ID] = AnyOf(d, RegistrationNumbers)
		}
		r.Customers = append(r.Customers, c)
	}
	for i := range 14 {
		a, b := AnyOf(d, r.Customers).ID, AnyOf(d, r.Customers).ID
		same := func(other *backoffice.CustomerRelation) bool {
			return other.CustomerID == a && other.RelatedCustomerID == b
		}
		if a != b && !slices.ContainsFunc(r.Relations, same) {
			r.Relations = append(r.Relations, &backoffice.CustomerRelation{ID: name("relation", i), Kind: AnyOf(d, backoffice.RelationKinds), CustomerID: a, RelatedCustomerID: b, CreatedAt: at(), Version: 1,
				SharePercent: AnyOf(d, []backoffice.Text{"", "25", "60.5"}), StartDate: AnyOf(d, []backoffice.Text{"", "2024-03-01"}), EndDate: AnyOf(d, []backoffice.Text{"", "2024-09-01"})})
		}
	}
	for i := range 20 {
		list, now := AnyOf(d, r.Checklists), at()
		t := &backoffice.Transcript{ID: name("transcript", i), OwnStatus: AnyOf(d, []backoffice.TranscriptStatus{backoffice.ToProcess, backoffice.Sent}), OwnUpdatedAt: now, CreatedAt: now,
			ProgressPercentage: float64(d.IntN(101)), IsCompleted: d.IntN(2) == 0, CustomerID: AnyOf(d, r.Customers).ID, ChecklistID: list.ID, FinancialYearID: list.FinancialYearID}
		if t.CustomVariables, _ = backoffice.ParseJSON([]byte(`{"tag":"a"}`)); t.IsCompleted && d.IntN(2) == 0 {
			t.DocumentGenerated, t.Document = true, &backoffice.File{}
		}
		r.Transcripts = append(r.Transcripts, t)
		if d.IntN(2) == 0 {
			c := &backoffice.Calculation{ID: name("calculation", i), State: AnyOf(d, backoffice.CalculationStates), UpdatedAt: at(), TranscriptID: t.ID, CustomerID: t.CustomerID}
			if d.IntN(2) == 0 {
				c.Proposal = &backoffice.File{}
			}
			r.Calculations = append(r.Calculations, c)
		}
	}
	for i := range 8 {
		r.Documents = append(r.Documents, &backoffice.CustomerDocument{ID: name("document", i), Name: fmt.Sprint("Statuten ", i, ".pdf"), CustomerID: AnyOf(d, r.Customers).ID, CreatedAt: at(), File: &backoffice.File{}})
		m := &backoffice.MinfinDocument{ID: name("minfin", i), Name: fmt.Sprint("Aanslag ", i), DocumentType: AnyOf(d, []string{"assessment", "letter"}), SynchronisedAt: at(), File: &backoffice.File{}}
		if d.IntN(4) > 0 {
			m.CustomerID = AnyOf(d, r.Customers).ID
		}
		if d.IntN(3) > 0 {
			m.FinancialYearID = AnyOf(d, r.Years).ID
		}
		r.Minfin = append(r.Minfin, m)
		// A server closes an open one that it does not compute.
		r.Discrepancies = append(r.Discrepancies, &backoffice.Discrepancy{ID: name("discrepancy", i), Kind: AnyOf(d, backoffice.DiscrepancyKinds), CustomerID: AnyOf(d, r.Customers).ID,
			PersonID: AnyOf(d, r.Customers).ID, SeenAt: at(), ClosedAt: at(), Version: 1})
	}
	return r
}

// StoreIn writes copies of the records in one transaction.
func (r *Records) StoreIn(t testing.TB, o *Office) {
	t.Helper()
	upload, err := backoffice.BeginUpload(t.Context(), o.Store, o.Files)
	if err != nil {
		t.Fatal(err)
	}
	file := func(of *backoffice.File, id string) *backoffice.File {
		if of == nil {
			return nil
		}
		put, err := upload.Put(t.Context(), strings.NewReader("the file of "+id), "application/pdf")
		if err != nil {
			t.Fatal(err)
		}
		put.TimeCreated = backoffice.InstantAt(1700000000000)
		return &put
	}
	customers := make([]*backoffice.Customer, len(r.Customers))
	for i, c := range r.Customers {
		copied := *c
		if number := r.Numbers[c.ID]; number != "" {
			if copied.Registration, err = o.Keys.Seal(c.ID, backoffice.RegistrationNumber, number); err != nil {
				t.Fatal(err)
			}
		}
		copied.DisplayName = backoffice.DisplayNameOf(&copied)
		customers[i] = &copied
	}
	transcripts := Copies(r.Transcripts, func(c *backoffice.Transcript) { c.Document = file(c.Document, c.ID) })
	calculations := Copies(r.Calculations, func(c *backoffice.Calculation) { c.Proposal = file(c.Proposal, c.ID) })
	documents := Copies(r.Documents, func(c *backoffice.CustomerDocument) { c.File = file(c.File, c.ID) })
	minfin := Copies(r.Minfin, func(c *backoffice.MinfinDocument) { c.File = file(c.File, c.ID) })
	err = o.Store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
		for _, write := range []func() error{
			func() error { return tx.Labels().Upsert(ctx, r.Labels) }, func() error { return tx.Users().Upsert(ctx, r.Users) },
			func() error { return tx.FinancialYears().Upsert(ctx, r.Years) }, func() error { return tx.Checklists().Upsert(ctx, r.Checklists) },
			func() error { return tx.Customers().Upsert(ctx, customers) }, func() error { return tx.Relations().Upsert(ctx, r.Relations) },
			func() error { return tx.Transcripts().Upsert(ctx, transcripts) }, func() error { return tx.Calculations().Upsert(ctx, calculations) },
			func() error { return tx.Documents().Upsert(ctx, documents) }, func() error { return tx.MinfinDocuments().Upsert(ctx, minfin) },
			func() error { return tx.Discrepancies().Upsert(ctx, r.Discrepancies) },
			func() error { return upload.Commit(ctx, tx) },
		} {
			if err := write(); err != nil {
				return err
			}
		}
		return nil
	})
	if upload.Close(t.Context(), err); err != nil {
		t.Fatal(err)
	}
}

// Copies are changed copies.
func Copies[T any](list []*T, change func(*T)) []*T {
	all := make([]*T, len(list))
	for i, one := range list {
		copied := *one
		change(&copied)
		all[i] = &copied
	}
	return all
}

// RestrictedCredential issues a credential with every scope that sees what any of these restrictions admits.
func (o *Office) RestrictedCredential(t testing.TB, id string, alternatives ...backoffice.RestrictionFields) [2]string {
	t.Helper()
	now := backoffice.InstantOf(time.Now())
	credential, err := backoffice.NewCredential(id, "test", backoffice.AllScopes, now, 0)
	var all []backoffice.Restriction
	for _, f := range alternatives {
		one, wrong := backoffice.NewRestriction(f)
		all, err = append(all, one), errors.Join(err, wrong)
	}
	if err != nil {
		t.Fatal(err)
	}
	credential.Restriction = backoffice.AnyOf(all[0], all[1:]...)
	secret, err := auth.Create(t.Context(), o.Store, credential, now)
	if err != nil {
		t.Fatal(err)
	}
	return [2]string{id, secret}
}

// ids are the identifiers of one kind of records, of all records when of is no kind.
func (r *Records) ids(of string) (ids []string) {
	for _, kind := range []struct {
		name string
		ids  []string
	}{
		{"customer", Identities(r.Customers)}, {"user", Identities(r.Users)}, {"label", Identities(r.Labels)}, {"year", Identities(r.Years)}, {"checklist", Identities(r.Checklists)},
		{"relation", Identities(r.Relations)}, {"transcript", Identities(r.Transcripts)}, {"calculation", Identities(r.Calculations)}, {"document", Identities(r.Documents)},
		{"minfin", Identities(r.Minfin)}, {"discrepancy", Identities(r.Discrepancies)},
	} {
		if kind.name == of {
			return kind.ids
		}
		ids = append(ids, kind.ids...)
	}
	return ids
}

// Identities are the identifiers of records.
func Identities[T backoffice.Entity](list []T) (ids []string) {
	for _, one := range list {
		ids = append(ids, one.Identity())
	}
	return ids
}
