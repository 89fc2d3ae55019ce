package gateway

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

// records are those of a random office, before they are in any store.
type records struct {
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

	numbers map[string]string // registration numbers by customer
}

var (
	namesOfOffices = []string{"Bakkerij Janssens", "Janssens & Zonen", "Brouwerij De Zwaan", "De Zwaan", "Garage Peeters", "Peeters Consult", "Café Élan", "Élan Invest"}
	numbersOfTests = []string{"85073003328", "93051822361", "17073003384"}
)

func anyOf[T any](d *rand.Rand, list []T) T { return list[d.IntN(len(list))] }

// randomRecords follow from a seed.
func randomRecords(seed uint64) *records {
	d := rand.New(rand.NewPCG(seed, 18))
	r := &records{numbers: map[string]string{}}
	at := func() backoffice.Instant {
		return backoffice.InstantOf(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(d.IntN(300*24)) * time.Hour))
	}
	name := func(kind string, i int) string { return fmt.Sprintf("%s-%d-%d", kind, i, d.IntN(100)) }
	for i := range 3 {
		r.labels = append(r.labels, &backoffice.Label{ID: name("label", i), Name: fmt.Sprint("Label ", i), CreatedAt: at()})
	}
	for i := range 4 {
		u := &backoffice.User{ID: name("user", i), FirstName: "An", LastName: fmt.Sprint("Maes ", i), Email: fmt.Sprintf("an%d@office.example", i), Version: 1}
		for _, label := range r.labels {
			if d.IntN(2) == 0 {
				u.LabelIDs = append(u.LabelIDs, label.ID)
			}
		}
		r.users = append(r.users, u)
	}
	for i := range 3 {
		year := fmt.Sprint(2023 + i)
		r.years = append(r.years, &backoffice.FinancialYear{ID: name("year", i), StartDate: year, EndDate: year, IsCurrentYear: i == 2})
		for j := range 2 {
			r.checklists = append(r.checklists, &backoffice.Checklist{ID: name("list", 2*i+j), Name: fmt.Sprint("Aangifte ", year, " ", j), Language: "dutch", FinancialYearID: r.years[i].ID})
		}
	}
	for i := range 6 + d.IntN(10) {
		created := at()
		c := &backoffice.Customer{ID: name("customer", i), Type: backoffice.Company, OwnName: backoffice.Text(anyOf(d, namesOfOffices)), CreatedAt: created, UpdatedAt: created + backoffice.Instant(d.IntN(1000)),
			Version: 1, Language: backoffice.Text(anyOf(d, []string{"dutch", "french", ""})), CustomerCode: backoffice.Text(fmt.Sprint("C-", i)), Scopes: []string{"checklist"}}
		if d.IntN(3) == 0 {
			c.KboNumber = "0200065765"
		}
		if d.IntN(2) == 0 {
			c.Email, c.Address.City, c.Address.PostalCode, c.Address.Country = backoffice.Text(fmt.Sprintf("info%d@customer.example", i)), "Gent", "9000", "BE"
		}
		if d.IntN(5) > 0 {
			c.ResponsibleID = anyOf(d, r.users).ID
		}
		if d.IntN(3) == 0 {
			r.numbers[c.ID] = anyOf(d, numbersOfTests)
		}
		r.customers = append(r.customers, c)
	}
	for i := range 14 {
		a, b := anyOf(d, r.customers).ID, anyOf(d, r.customers).ID
		same := func(other *backoffice.CustomerRelation) bool {
			return other.CustomerID == a && other.RelatedCustomerID == b
		}
		if a != b && !slices.ContainsFunc(r.relations, same) {
			r.relations = append(r.relations, &backoffice.CustomerRelation{ID: name("relation", i), Kind: anyOf(d, backoffice.RelationKinds), CustomerID: a, RelatedCustomerID: b, CreatedAt: at()})
		}
	}
	for i := range 20 {
		list, now := anyOf(d, r.checklists), at()
		t := &backoffice.Transcript{ID: name("transcript", i), OwnStatus: anyOf(d, []backoffice.TranscriptStatus{backoffice.ToProcess, backoffice.Sent}), OwnUpdatedAt: now, CreatedAt: now,
			ProgressPercentage: float64(d.IntN(101)), IsCompleted: d.IntN(2) == 0, CustomerID: anyOf(d, r.customers).ID, ChecklistID: list.ID, FinancialYearID: list.FinancialYearID}
		if t.CustomVariables, _ = backoffice.ParseJSON([]byte(`{"tag":"a"}`)); t.IsCompleted && d.IntN(2) == 0 {
			t.DocumentGenerated, t.Document = true, &backoffice.File{}
		}
		r.transcripts = append(r.transcripts, t)
		if d.IntN(2) == 0 {
			c := &backoffice.Calculation{ID: name("calculation", i), State: anyOf(d, backoffice.CalculationStates), UpdatedAt: at(), TranscriptID: t.ID, CustomerID: t.CustomerID}
			if d.IntN(2) == 0 {
				c.Proposal = &backoffice.File{}
			}
			r.calculations = append(r.calculations, c)
		}
	}
	for i := range 8 {
		r.documents = append(r.documents, &backoffice.CustomerDocument{ID: name("document", i), Name: fmt.Sprint("Statuten ", i, ".pdf"), CustomerID: anyOf(d, r.customers).ID, CreatedAt: at(), File: &backoffice.File{}})
		m := &backoffice.MinfinDocument{ID: name("minfin", i), Name: fmt.Sprint("Aanslag ", i), DocumentType: anyOf(d, []string{"assessment", "letter"}), SynchronisedAt: at(), File: &backoffice.File{}}
		if d.IntN(4) > 0 {
			m.CustomerID = anyOf(d, r.customers).ID
		}
		if d.IntN(3) > 0 {
			m.FinancialYearID = anyOf(d, r.years).ID
		}
		r.minfin = append(r.minfin, m)
	}
	return r
}

// randomRestriction is one that the office can have.
func (r *records) randomRestriction(d *rand.Rand) backoffice.RestrictionFields {
	var f backoffice.RestrictionFields
	some := func(n int, one func() string) (list []string) {
		for range 1 + d.IntN(n) {
			list = append(list, one())
		}
		return list
	}
	kinds := 1 + d.IntN(15)
	if d.IntN(3) > 0 {
		kinds = 1 << d.IntN(4)
	}
	if kinds&1 != 0 {
		f.Responsible = some(2, func() string { return anyOf(d, r.users).ID })
	}
	if kinds&2 != 0 {
		f.Labels = some(2, func() string { return anyOf(d, r.labels).ID })
	}
	if kinds&4 != 0 {
		f.Customers = some(5, func() string { return anyOf(d, r.customers).ID })
	}
	if kinds&8 != 0 {
		f.Years = some(2, func() string { return anyOf(d, r.years).StartDate })
	}
	return f
}

// randomAlternatives are one to three restrictions that the office can have.
func (r *records) randomAlternatives(d *rand.Rand) (all []backoffice.RestrictionFields) {
	for range 1 + d.IntN(3) {
		all = append(all, r.randomRestriction(d))
	}
	return all
}

// inView are those records that a restricted pair sees, by the sentences of the documentation and nothing of the
// store's: what any alternative admits, and a relation when both of its customers are seen.
func (r *records) inView(alternatives ...backoffice.RestrictionFields) *records {
	of := &records{labels: r.labels, users: r.users, years: r.years, checklists: r.checklists, numbers: r.numbers}
	has := map[any]bool{}
	for _, f := range alternatives {
		one := r.seenBy(f)
		for _, c := range one.customers {
			has[c] = true
		}
		for _, t := range one.transcripts {
			has[t] = true
		}
		for _, c := range one.calculations {
			has[c] = true
		}
		for _, d := range one.documents {
			has[d] = true
		}
		for _, m := range one.minfin {
			has[m] = true
		}
	}
	customers := map[string]bool{}
	for _, c := range r.customers {
		customers[c.ID] = has[c]
	}
	of.customers = seenOf(r.customers, func(c *backoffice.Customer) bool { return has[c] })
	of.relations = seenOf(r.relations, func(n *backoffice.CustomerRelation) bool {
		return customers[n.CustomerID] && customers[n.RelatedCustomerID]
	})
	of.transcripts = seenOf(r.transcripts, func(t *backoffice.Transcript) bool { return has[t] })
	of.calculations = seenOf(r.calculations, func(c *backoffice.Calculation) bool { return has[c] })
	of.documents = seenOf(r.documents, func(d *backoffice.CustomerDocument) bool { return has[d] })
	of.minfin = seenOf(r.minfin, func(m *backoffice.MinfinDocument) bool { return has[m] })
	return of
}

// seenBy are those that one alternative admits, without relations.
func (r *records) seenBy(f backoffice.RestrictionFields) *records {
	years := map[string]bool{"": true}
	for _, year := range r.years {
		years[year.ID] = len(f.Years) == 0 || slices.Contains(f.Years, year.StartDate)
	}
	seen := map[string]bool{}
	for _, c := range r.customers {
		labelled := len(f.Labels) == 0
		for _, user := range r.users {
			for _, label := range user.LabelIDs {
				labelled = labelled || user.ID == c.ResponsibleID && slices.Contains(f.Labels, label)
			}
		}
		ofYear := len(f.Years) == 0 || slices.ContainsFunc(r.transcripts, func(t *backoffice.Transcript) bool { return t.CustomerID == c.ID && years[t.FinancialYearID] })
		seen[c.ID] = labelled && ofYear && (len(f.Responsible) == 0 || slices.Contains(f.Responsible, c.ResponsibleID)) && (len(f.Customers) == 0 || slices.Contains(f.Customers, c.ID))
	}
	of := &records{}
	transcripts := map[string]bool{}
	of.customers = seenOf(r.customers, func(c *backoffice.Customer) bool { return seen[c.ID] })
	of.transcripts = seenOf(r.transcripts, func(t *backoffice.Transcript) bool {
		transcripts[t.ID] = seen[t.CustomerID] && years[t.FinancialYearID]
		return transcripts[t.ID]
	})
	of.calculations = seenOf(r.calculations, func(c *backoffice.Calculation) bool { return transcripts[c.TranscriptID] })
	of.documents = seenOf(r.documents, func(c *backoffice.CustomerDocument) bool { return seen[c.CustomerID] })
	of.minfin = seenOf(r.minfin, func(c *backoffice.MinfinDocument) bool { return seen[c.CustomerID] && years[c.FinancialYearID] })
	return of
}

func seenOf[T any](list []T, keep func(T) bool) (some []T) {
	for _, one := range list {
		if keep(one) {
			some = append(some, one)
		}
	}
	return some
}

// store writes the records, as copies, in one transaction.
func (r *records) store(t testing.TB, o *office) {
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
	customers := make([]*backoffice.Customer, len(r.customers))
	for i, c := range r.customers {
		copied := *c
		if number := r.numbers[c.ID]; number != "" {
			if copied.Registration, err = o.Keys.Seal(c.ID, backoffice.RegistrationNumber, number); err != nil {
				t.Fatal(err)
			}
		}
		copied.DisplayName = backoffice.DisplayNameOf(&copied)
		customers[i] = &copied
	}
	transcripts := copies(r.transcripts, func(c *backoffice.Transcript) { c.Document = file(c.Document, c.ID) })
	calculations := copies(r.calculations, func(c *backoffice.Calculation) { c.Proposal = file(c.Proposal, c.ID) })
	documents := copies(r.documents, func(c *backoffice.CustomerDocument) { c.File = file(c.File, c.ID) })
	minfin := copies(r.minfin, func(c *backoffice.MinfinDocument) { c.File = file(c.File, c.ID) })
	err = o.Store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
		for _, write := range []func() error{
			func() error { return tx.Labels().Upsert(ctx, r.labels) }, func() error { return tx.Users().Upsert(ctx, r.users) },
			func() error { return tx.FinancialYears().Upsert(ctx, r.years) }, func() error { return tx.Checklists().Upsert(ctx, r.checklists) },
			func() error { return tx.Customers().Upsert(ctx, customers) }, func() error { return tx.Relations().Upsert(ctx, r.relations) },
			func() error { return tx.Transcripts().Upsert(ctx, transcripts) }, func() error { return tx.Calculations().Upsert(ctx, calculations) },
			func() error { return tx.Documents().Upsert(ctx, documents) }, func() error { return tx.MinfinDocuments().Upsert(ctx, minfin) },
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

func copies[T any](list []*T, change func(*T)) []*T {
	all := make([]*T, len(list))
	for i, one := range list {
		copied := *one
		change(&copied)
		all[i] = &copied
	}
	return all
}

// restrictedPair issues a pair of every scope that sees a part: what any of these admits.
func (o *office) restrictedPair(t testing.TB, id string, alternatives ...backoffice.RestrictionFields) [2]string {
	t.Helper()
	now := backoffice.InstantOf(time.Now())
	pair, err := backoffice.NewCredential(id, "test", backoffice.AllScopes, now, 0)
	var all []backoffice.Restriction
	for _, f := range alternatives {
		one, wrong := backoffice.NewRestriction(f)
		all, err = append(all, one), errors.Join(err, wrong)
	}
	if err != nil {
		t.Fatal(err)
	}
	pair.Restriction = backoffice.AnyOf(all[0], all[1:]...)
	secret, err := auth.IssuePair(t.Context(), o.Store, pair, now)
	if err != nil {
		t.Fatal(err)
	}
	return [2]string{id, secret}
}

// ids are the identifiers of a kind of records, of all when it is another word.
func (r *records) ids(of string) (ids []string) {
	for _, kind := range []struct {
		name string
		ids  []string
	}{
		{"customer", identities(r.customers)}, {"user", identities(r.users)}, {"label", identities(r.labels)}, {"year", identities(r.years)}, {"checklist", identities(r.checklists)},
		{"relation", identities(r.relations)}, {"transcript", identities(r.transcripts)}, {"calculation", identities(r.calculations)}, {"document", identities(r.documents)},
		{"minfin", identities(r.minfin)},
	} {
		if kind.name == of {
			return kind.ids
		}
		ids = append(ids, kind.ids...)
	}
	return ids
}

func identities[T backoffice.Entity](list []T) (ids []string) {
	for _, one := range list {
		ids = append(ids, one.Identity())
	}
	return ids
}
