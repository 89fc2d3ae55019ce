package storetest

import (
	"context"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.org/backoffice/backoffice"
)

func testRecords(t *testing.T, newStore func(t testing.TB) backoffice.Store) {
	t.Run("the records that these tests write have no field that is zero in all of them", func(t *testing.T) {
		t.Parallel()
		o := fullOffice()
		filled(t, o.labels)
		filled(t, o.users)
		filled(t, o.years)
		filled(t, o.checklists)
		filled(t, o.customers)
		filled(t, o.relations)
		filled(t, o.transcripts)
		filled(t, o.calculations)
		filled(t, o.documents)
		filled(t, o.minfin)
		filled(t, o.differences)
		filled(t, fullConsultations())
	})

	t.Run("every field of every record is read as it was written", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		fullOffice().insert(t, store)
		fullOffice().check(t, store) // anew: what was inserted may have been changed by the store
	})

	t.Run("every field of every record is replaced by an upsert, and written by one", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		for _, step := range []func() *office{emptyOffice, fullOffice, emptyOffice} {
			step().upsert(t, store)
			step().check(t, store)
		}
	})

	t.Run("every field of every record is replaced by an update", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		emptyOffice().insert(t, store)
		o := fullOffice()
		for _, c := range o.customers {
			c.Version++
		}
		for _, u := range o.users {
			u.Version++
		}
		for _, r := range o.relations {
			r.Version++
		}
		for _, d := range o.differences {
			d.Version++
		}
		want := *o
		o.update(t, store)
		want.check(t, store)
	})

	t.Run("after the largest version of a record comes the first", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		before, o := emptyOffice(), fullOffice()
		before.customers[0].Version = backoffice.MaxVersion
		for i, c := range o.customers {
			c.Version = backoffice.NextVersion(before.customers[i].Version, 0)
		}
		before.insert(t, store)
		for _, u := range o.users {
			u.Version++
		}
		for _, r := range o.relations {
			r.Version++
		}
		for _, d := range o.differences {
			d.Version++
		}
		want := *o
		o.update(t, store)
		want.check(t, store)
	})

	t.Run("records read with the columns of some fields are whole in those fields", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		o := crowd()
		crowd().insert(t, store)
		projections(t, store.Customers(), o.customers, func(c *backoffice.Customer) string { return c.ID }, map[string]func(*backoffice.Customer) any{
			"type": func(c *backoffice.Customer) any { return c.Type }, "name": func(c *backoffice.Customer) any { return c.Name() },
			"displayName": func(c *backoffice.Customer) any { return c.DisplayName }, "firstName": func(c *backoffice.Customer) any { return c.FirstName },
			"lastName": func(c *backoffice.Customer) any { return c.LastName }, "scopes": func(c *backoffice.Customer) any { return c.Scopes },
			"kboNumber": func(c *backoffice.Customer) any { return c.KboNumber }, "companyType": func(c *backoffice.Customer) any { return c.CompanyType },
			"companyTypeLabel": func(c *backoffice.Customer) any { return c.CompanyTypeLabel(backoffice.LabelEnglish) },
			"address":          func(c *backoffice.Customer) any { return c.Address }, "customerCode": func(c *backoffice.Customer) any { return c.CustomerCode },
			"registrationNumber":       func(c *backoffice.Customer) any { return string(c.Registration.Ciphertext()) },
			"spouseRegistrationNumber": func(c *backoffice.Customer) any { return string(c.SpouseRegistration.Index()) },
			"responsible":              func(c *backoffice.Customer) any { return c.ResponsibleID }, "language": func(c *backoffice.Customer) any { return c.Language },
			"email": func(c *backoffice.Customer) any { return c.Email }, "phone": func(c *backoffice.Customer) any { return c.Phone },
			"createdAt": func(c *backoffice.Customer) any { return c.CreatedAt }, "updatedAt": func(c *backoffice.Customer) any { return c.UpdatedAt },
			"version": func(c *backoffice.Customer) any { return c.Version }, "relations": nil, "transcripts": nil, "unknown": nil,
		})
		projections(t, store.Transcripts(), o.transcripts, func(r *backoffice.Transcript) string { return r.ID }, map[string]func(*backoffice.Transcript) any{
			"status": func(r *backoffice.Transcript) any { return r.Status }, "statusLabel": func(r *backoffice.Transcript) any { return r.StatusLabel() },
			"isCompleted":        func(r *backoffice.Transcript) any { return r.IsCompleted },
			"progressPercentage": func(r *backoffice.Transcript) any { return r.ProgressPercentage },
			"documentGenerated":  func(r *backoffice.Transcript) any { return r.DocumentGenerated },
			"customVariables":    func(r *backoffice.Transcript) any { return r.CustomVariables.String() },
			"updatedAt":          func(r *backoffice.Transcript) any { return r.UpdatedAt }, "customer": func(r *backoffice.Transcript) any { return r.CustomerID },
			"checklist": func(r *backoffice.Transcript) any { return r.ChecklistID }, "financialYear": func(r *backoffice.Transcript) any { return r.FinancialYearID },
			"file": func(r *backoffice.Transcript) any { return r.File() }, "calculation": nil,
		})
		projections(t, store.Calculations(), o.calculations, func(n *backoffice.Calculation) string { return n.ID }, map[string]func(*backoffice.Calculation) any{
			"state": func(n *backoffice.Calculation) any { return n.State }, "stateLabel": func(n *backoffice.Calculation) any { return n.StateLabel() },
			"updatedAt": func(n *backoffice.Calculation) any { return n.UpdatedAt }, "transcript": func(n *backoffice.Calculation) any { return n.TranscriptID },
			"proposal": func(n *backoffice.Calculation) any { return n.Proposal },
		})
		projections(t, store.Relations(), o.relations, func(r *backoffice.CustomerRelation) string { return r.ID }, map[string]func(*backoffice.CustomerRelation) any{
			"kind": func(r *backoffice.CustomerRelation) any { return r.Kind }, "customer": func(r *backoffice.CustomerRelation) any { return r.CustomerID },
			"relatedCustomer": func(r *backoffice.CustomerRelation) any { return r.RelatedCustomerID },
			"otherCustomer":   func(r *backoffice.CustomerRelation) any { return r.CustomerID + r.RelatedCustomerID },
			"direction":       func(r *backoffice.CustomerRelation) any { return r.CustomerID }, "createdAt": func(r *backoffice.CustomerRelation) any { return r.CreatedAt },
			"sharePercent": func(r *backoffice.CustomerRelation) any { return r.SharePercent }, "votePercent": func(r *backoffice.CustomerRelation) any { return r.VotePercent },
			"startDate": func(r *backoffice.CustomerRelation) any { return r.StartDate }, "endDate": func(r *backoffice.CustomerRelation) any { return r.EndDate },
			"note": func(r *backoffice.CustomerRelation) any { return r.Note }, "nominee": func(r *backoffice.CustomerRelation) any { return r.Nominee },
			"version": func(r *backoffice.CustomerRelation) any { return r.Version },
		})
		projections(t, store.Checklists(), o.checklists, func(k *backoffice.Checklist) string { return k.ID }, map[string]func(*backoffice.Checklist) any{
			"name": func(k *backoffice.Checklist) any { return k.Name }, "language": func(k *backoffice.Checklist) any { return k.Language },
			"authRequired":     func(k *backoffice.Checklist) any { return k.AuthRequired },
			"remindersEnabled": func(k *backoffice.Checklist) any { return k.RemindersEnabled },
			"dueDate":          func(k *backoffice.Checklist) any { return k.DueDate },
			"financialYear":    func(k *backoffice.Checklist) any { return k.FinancialYearID }, "transcripts": nil,
		})
		projections(t, store.FinancialYears(), o.years, func(y *backoffice.FinancialYear) string { return y.ID }, map[string]func(*backoffice.FinancialYear) any{
			"startDate": func(y *backoffice.FinancialYear) any { return y.StartDate }, "endDate": func(y *backoffice.FinancialYear) any { return y.EndDate },
			"isCurrentYear": func(y *backoffice.FinancialYear) any { return y.IsCurrentYear }, "archivedAt": func(y *backoffice.FinancialYear) any { return y.ArchivedAt },
		})
		projections(t, store.Documents(), o.documents, func(d *backoffice.CustomerDocument) string { return d.ID }, map[string]func(*backoffice.CustomerDocument) any{
			"name": func(d *backoffice.CustomerDocument) any { return d.Name }, "customer": func(d *backoffice.CustomerDocument) any { return d.CustomerID },
			"createdAt": func(d *backoffice.CustomerDocument) any { return d.CreatedAt }, "file": func(d *backoffice.CustomerDocument) any { return d.File },
		})
		projections(t, store.MinfinDocuments(), o.minfin, func(d *backoffice.MinfinDocument) string { return d.ID }, map[string]func(*backoffice.MinfinDocument) any{
			"name": func(d *backoffice.MinfinDocument) any { return d.Name }, "documentType": func(d *backoffice.MinfinDocument) any { return d.DocumentType },
			"customer": func(d *backoffice.MinfinDocument) any { return d.CustomerID }, "financialYear": func(d *backoffice.MinfinDocument) any { return d.FinancialYearID },
			"synchronisedAt": func(d *backoffice.MinfinDocument) any { return d.SynchronisedAt }, "file": func(d *backoffice.MinfinDocument) any { return d.File },
		})
		projections(t, store.Discrepancies(), o.differences, func(d *backoffice.Discrepancy) string { return d.ID }, map[string]func(*backoffice.Discrepancy) any{
			"kind": func(d *backoffice.Discrepancy) any { return d.Kind }, "customer": func(d *backoffice.Discrepancy) any { return d.CustomerID },
			"person": func(d *backoffice.Discrepancy) any { return d.PersonID }, "declaredPercent": func(d *backoffice.Discrepancy) any { return d.DeclaredPercent },
			"computedPercent": func(d *backoffice.Discrepancy) any { return d.ComputedPercent }, "seenAt": func(d *backoffice.Discrepancy) any { return d.SeenAt },
			"closedAt": func(d *backoffice.Discrepancy) any { return d.ClosedAt }, "reportedAt": func(d *backoffice.Discrepancy) any { return d.ReportedAt },
			"note": func(d *backoffice.Discrepancy) any { return d.Note }, "version": func(d *backoffice.Discrepancy) any { return d.Version },
		})
		projections(t, store.Users(), o.users, func(u *backoffice.User) string { return u.ID }, map[string]func(*backoffice.User) any{
			"firstName": func(u *backoffice.User) any { return u.FirstName }, "lastName": func(u *backoffice.User) any { return u.LastName },
			"email": func(u *backoffice.User) any { return u.Email }, "language": func(u *backoffice.User) any { return u.Language },
			"labels": func(u *backoffice.User) any { return u.LabelIDs }, "version": func(u *backoffice.User) any { return u.Version },
		})
		projections(t, store.Labels(), o.labels, func(l *backoffice.Label) string { return l.ID }, map[string]func(*backoffice.Label) any{
			"name": func(l *backoffice.Label) any { return l.Name }, "color": func(l *backoffice.Label) any { return l.Color },
			"createdAt": func(l *backoffice.Label) any { return l.CreatedAt },
		})
	})

	t.Run("rows are the caller's own, and each reading gives new ones", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		fullOffice().insert(t, store)
		first := readOne(t, store.Customers(), "customer-1")
		first.Scopes[0], first.DisplayName = "changed", "changed"
		if diff := cmp.Diff(fullOffice().customers[0], readOne(t, store.Customers(), "customer-1")); diff != "" {
			t.Error(diff)
		}
	})
}

// filled fails for a field that is zero in every record, and so is not tested at all.
func filled[T any](t *testing.T, rows []*T) {
	t.Helper()
	of := reflect.TypeFor[T]()
	for i := range of.NumField() {
		zero := true
		for _, row := range rows {
			zero = zero && reflect.ValueOf(row).Elem().Field(i).IsZero()
		}
		if zero {
			t.Errorf("%s.%s is zero in every record", of, of.Field(i).Name)
		}
	}
}

// check reads all of the office.
func (o *office) check(t *testing.T, store backoffice.Readers) {
	t.Helper()
	read(t, o.labels, store.Labels(), func(l *backoffice.Label) string { return l.ID })
	read(t, o.users, store.Users(), func(u *backoffice.User) string { return u.ID })
	read(t, o.years, store.FinancialYears(), func(y *backoffice.FinancialYear) string { return y.ID })
	read(t, o.checklists, store.Checklists(), func(k *backoffice.Checklist) string { return k.ID })
	read(t, o.customers, store.Customers(), func(c *backoffice.Customer) string { return c.ID })
	read(t, o.relations, store.Relations(), func(r *backoffice.CustomerRelation) string { return r.ID })
	read(t, o.transcripts, store.Transcripts(), func(r *backoffice.Transcript) string { return r.ID })
	read(t, o.calculations, store.Calculations(), func(n *backoffice.Calculation) string { return n.ID })
	read(t, o.documents, store.Documents(), func(d *backoffice.CustomerDocument) string { return d.ID })
	read(t, o.minfin, store.MinfinDocuments(), func(d *backoffice.MinfinDocument) string { return d.ID })
	read(t, o.differences, store.Discrepancies(), func(d *backoffice.Discrepancy) string { return d.ID })
}

// read reads records by their identifiers and compares.
func read[T any, P rowOf[T], C comparable](t *testing.T, want []P, reader backoffice.Reader[P, C], id func(P) string) {
	t.Helper()
	got, err := backoffice.ReadByID(t.Context(), reader, append(ids(want, id), "unknown", ids(want, id)[0]), 0)
	if err != nil {
		t.Fatalf("%T: %v (%v)", want, err, errorCause(err))
	}
	if len(got) != len(want) {
		t.Errorf("%T: %d rows were read, want %d", want, len(got), len(want))
	}
	for _, row := range want {
		if diff := cmp.Diff(row, got[id(row)], cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%T %s (-written +read):\n%s", row, id(row), diff)
		}
	}
	for range 2 { // the second time in memory that the first has used
		b := backoffice.Batch{Pooled: true}
		found := 0
		reader.Find(&b, append(ids(want, id), "unknown", "no identifier"), 0, func(row P) {
			found++
			if diff := cmp.Diff(got[id(row)], row, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%T %s (-by its identifier +found):\n%s", row, id(row), diff)
			}
		})
		if err := reader.Send(t.Context(), &b); err != nil || found != len(want) {
			t.Errorf("%T: %d rows were found, want %d: %v", want, found, len(want), err)
		}
		b.Release()
	}
}

// readOne reads a record that must be there.
func readOne[T any, P rowOf[T], C comparable](t testing.TB, reader backoffice.Reader[P, C], id string) P {
	t.Helper()
	rows, err := backoffice.ReadByID(t.Context(), reader, []string{id}, 0)
	if err != nil || rows[id] == nil {
		t.Fatalf("%s is not read: %v", id, err)
	}
	return rows[id]
}

// projections reads all rows with the columns of each field, and compares what that field shows.
func projections[T any, P rowOf[T], C comparable](t *testing.T, reader backoffice.Reader[P, C], want []P, id func(P) string, fields map[string]func(P) any) {
	t.Helper()
	ctx := context.Background()
	for field, shown := range fields {
		columns := reader.Columns([]string{field})
		if columns == 0 {
			t.Errorf("the columns of %s stand for all", field)
		}
		got, err := backoffice.ReadByID(ctx, reader, ids(want, id), columns)
		if err != nil {
			t.Fatalf("%s: %v (%v)", field, err, errorCause(err))
		}
		for _, row := range want {
			if got[id(row)] == nil || id(got[id(row)]) != id(row) {
				t.Fatalf("%s: %T %s was not read", field, row, id(row))
			}
			if shown == nil {
				continue
			}
			if diff := cmp.Diff(shown(row), shown(got[id(row)]), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s of %T %s (-written +read):\n%s", field, row, id(row), diff)
			}
		}
	}
}
