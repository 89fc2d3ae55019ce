package storetest

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
)

// object names a record.
type object struct {
	noun backoffice.Noun
	id   string
}

// objects are all records of a store.
type objects map[object]any

// nounsOfFields are the nouns that fields refer to.
var nounsOfFields = map[string]backoffice.Noun{
	"CustomerID": backoffice.NounCustomer, "PersonID": backoffice.NounCustomer, "RelatedCustomerID": backoffice.NounCustomer, "ResponsibleID": backoffice.NounUser,
	"ChecklistID": backoffice.NounChecklist, "FinancialYearID": backoffice.NounFinancialYear, "TranscriptID": backoffice.NounTranscript,
}

// parents are what a record hangs on: by reflection, so that no noun's can be forgotten here.
func parentsOf(row any) (parents []backoffice.ChangeParent) {
	of := reflect.ValueOf(row).Elem()
	for i := range of.NumField() {
		name := of.Type().Field(i).Name
		if strings.HasSuffix(name, "ID") && name != "ID" && of.Field(i).String() != "" {
			parents = append(parents, backoffice.ChangeParent{Noun: nounsOfFields[name], ID: of.Field(i).String()})
		}
	}
	return parents
}

func allOf[T backoffice.Entity, C comparable](t testing.TB, into objects, noun backoffice.Noun, reader backoffice.Reader[T, C]) {
	t.Helper()
	pages, err := backoffice.ReadPages(t.Context(), reader, backoffice.ListQuery[C]{Window: backoffice.Window{Limit: 500}}, []string{backoffice.NoParent}, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range pages[backoffice.NoParent].Items {
		into[object{noun, row.Identity()}] = row
	}
}

func allObjects(t testing.TB, store backoffice.Readers) objects {
	t.Helper()
	all := objects{}
	allOf(t, all, backoffice.NounLabel, store.Labels())
	allOf(t, all, backoffice.NounUser, store.Users())
	allOf(t, all, backoffice.NounFinancialYear, store.FinancialYears())
	allOf(t, all, backoffice.NounChecklist, store.Checklists())
	allOf(t, all, backoffice.NounCustomer, store.Customers())
	allOf(t, all, backoffice.NounRelation, store.Relations())
	allOf(t, all, backoffice.NounTranscript, store.Transcripts())
	allOf(t, all, backoffice.NounCalculation, store.Calculations())
	allOf(t, all, backoffice.NounDocument, store.Documents())
	allOf(t, all, backoffice.NounMinfin, store.MinfinDocuments())
	allOf(t, all, backoffice.NounDiscrepancy, store.Discrepancies())
	return all
}

// untold is what entries of the change log do not tell of the difference between two states.
func untold(before, after objects, entries []*backoffice.Change) (missing []string) {
	told := map[object]map[backoffice.ChangeParent]bool{}
	done := map[object]backoffice.ChangeAction{}
	for _, e := range entries {
		o := object{e.Noun, e.ObjectID}
		if told[o] == nil {
			told[o] = map[backoffice.ChangeParent]bool{}
		}
		for _, parent := range e.Parents {
			told[o][parent] = true
		}
		done[o] = e.Done
	}
	all := maps.Clone(before)
	maps.Copy(all, after)
	for o := range all {
		was, is := before[o], after[o]
		if reflect.DeepEqual(was, is) {
			continue
		}
		want, parents := backoffice.Updated, []backoffice.ChangeParent{}
		if was == nil {
			want = backoffice.Created
		} else {
			parents = parentsOf(was)
		}
		if is == nil {
			want = backoffice.Deleted
		} else {
			parents = append(parents, parentsOf(is)...)
		}
		if done[o] != want {
			missing = append(missing, fmt.Sprintf("%s %s was %s, and the log says %q", o.noun, o.id, want, done[o]))
		}
		for _, parent := range parents {
			if !told[o][parent] {
				missing = append(missing, fmt.Sprintf("%s %s: the log does not tell of %s", o.noun, o.id, parent))
			}
		}
	}
	return missing
}

// writing is one write of one noun.
type writing struct {
	name string // Labels.Insert
	do   func(ctx context.Context, tx backoffice.Tx) error
}

// writingsOf are all writes of a noun's writer: of a new record, which is changed, moved to other parents, and deleted.
func writingsOf[T any, C comparable](name string, of func(backoffice.Tx) backoffice.Writer[*T, C], row T, change, move func(*T)) []writing {
	id := reflect.ValueOf(row).FieldByName("ID").String()
	next := func(change func(*T)) *T {
		change(&row)
		if version := reflect.ValueOf(&row).Elem().FieldByName("Version"); version.IsValid() {
			version.SetInt(version.Int() + 1)
		}
		written := row
		return &written
	}
	return []writing{
		{name + ".Insert", func(ctx context.Context, tx backoffice.Tx) error { return of(tx).Insert(ctx, next(func(*T) {})) }},
		{name + ".Update", func(ctx context.Context, tx backoffice.Tx) error { return of(tx).Update(ctx, next(change)) }},
		{name + ".Upsert", func(ctx context.Context, tx backoffice.Tx) error { return of(tx).Upsert(ctx, []*T{next(move)}) }},
		{name + ".Lock", func(ctx context.Context, tx backoffice.Tx) error {
			if err := of(tx).Lock(ctx, id, "unknown"); err != nil {
				return err
			}
			return of(tx).Upsert(ctx, []*T{next(change)})
		}},
		{name + ".LockToDelete", func(ctx context.Context, tx backoffice.Tx) error {
			if err := of(tx).LockToDelete(ctx, id, "unknown"); err != nil {
				return err
			}
			_, err := of(tx).Delete(ctx, id)
			return err
		}},
		{name + ".Release", func(ctx context.Context, tx backoffice.Tx) error {
			if err := of(tx).Release(ctx, []string{id}); err != nil {
				return err
			}
			return of(tx).Upsert(ctx, []*T{next(change)})
		}},
		{name + ".Delete", func(ctx context.Context, tx backoffice.Tx) error {
			_, err := of(tx).Delete(ctx, id)
			return err
		}},
	}
}

// allWritings are the writes of all nouns on a store that has touchedOffice, and those that reach beyond their own
// rows.
func allWritings() []writing {
	const second = "-2"
	transcript := *fullOffice().transcripts[0]
	transcript.ID, transcript.Document = "transcript-3", nil
	all := slices.Concat(
		writingsOf("Labels", backoffice.Tx.Labels, backoffice.Label{ID: "label-3", Name: "x"},
			func(l *backoffice.Label) { l.Name += "x" }, func(l *backoffice.Label) { l.Color = "#000000" }),
		writingsOf("Users", backoffice.Tx.Users, backoffice.User{ID: "user-3", FirstName: "a", LabelIDs: []string{"label-1"}},
			func(u *backoffice.User) { u.LastName += "x" }, func(u *backoffice.User) { u.LabelIDs = []string{"label-2"} }),
		writingsOf("FinancialYears", backoffice.Tx.FinancialYears, backoffice.FinancialYear{ID: "year-3", StartDate: "2020", EndDate: "2020"},
			func(y *backoffice.FinancialYear) { y.EndDate = "2021" }, func(y *backoffice.FinancialYear) { y.ArchivedAt++ }),
		writingsOf("Checklists", backoffice.Tx.Checklists, backoffice.Checklist{ID: "checklist-3", Name: "x", FinancialYearID: "year-1"},
			func(k *backoffice.Checklist) { k.Name += "x" }, func(k *backoffice.Checklist) { k.FinancialYearID = "year" + second }),
		writingsOf("Customers", backoffice.Tx.Customers, backoffice.Customer{ID: "customer-3", Type: backoffice.Company, DisplayName: "x", CustomerCode: "C-3", ResponsibleID: "user-1"},
			func(c *backoffice.Customer) { c.Email += "x" }, func(c *backoffice.Customer) { c.ResponsibleID = "user" + second }),
		writingsOf("Relations", backoffice.Tx.Relations, backoffice.CustomerRelation{ID: "relation-3", Kind: backoffice.Director, CustomerID: "customer-1", RelatedCustomerID: "customer-2"},
			func(r *backoffice.CustomerRelation) { r.CreatedAt++ },
			func(r *backoffice.CustomerRelation) { r.CustomerID, r.RelatedCustomerID = "customer-4", "customer-1" }),
		writingsOf("Transcripts", backoffice.Tx.Transcripts, transcript,
			func(r *backoffice.Transcript) { r.OwnUpdatedAt += 1000 },
			func(r *backoffice.Transcript) {
				r.CustomerID, r.ChecklistID, r.FinancialYearID = "customer-4", "checklist"+second, "year-1"
			}),
		writingsOf("Calculations", backoffice.Tx.Calculations, backoffice.Calculation{ID: "calculation-3", State: "LOCKED", TranscriptID: "transcript-2", UpdatedAt: backoffice.InstantAt(1_800_000_000_000)},
			func(n *backoffice.Calculation) { n.UpdatedAt++ }, func(n *backoffice.Calculation) { n.TranscriptID = "transcript-6" }),
		writingsOf("Documents", backoffice.Tx.Documents, backoffice.CustomerDocument{ID: "document-3", Name: "x", CustomerID: "customer-1"},
			func(d *backoffice.CustomerDocument) { d.Name += "x" }, func(d *backoffice.CustomerDocument) { d.CustomerID = "customer-4" }),
		writingsOf("MinfinDocuments", backoffice.Tx.MinfinDocuments, backoffice.MinfinDocument{ID: "minfin-3", Name: "x", DocumentType: "y", CustomerID: "customer-1"},
			func(d *backoffice.MinfinDocument) { d.Name += "x" },
			func(d *backoffice.MinfinDocument) { d.CustomerID, d.FinancialYearID = "customer-4", "year-1" }),
		writingsOf("Discrepancies", backoffice.Tx.Discrepancies, backoffice.Discrepancy{ID: "discrepancy-3", Kind: backoffice.NotDeclared, CustomerID: "customer-1", PersonID: "customer-2", Version: 1},
			func(d *backoffice.Discrepancy) { d.Note += "x" }, func(d *backoffice.Discrepancy) { d.CustomerID = "customer-4" }),
	)
	moved := *fullOffice().transcripts[0]
	moved.CustomerID = "customer-4"
	back := moved
	back.CustomerID = "customer-1"
	return append(all,
		writing{"a document", func(ctx context.Context, tx backoffice.Tx) error {
			r := *fullOffice().transcripts[0]
			r.Document = fileOf(backoffice.TranscriptFile, "another")
			_, _, err := tx.SetDocument(ctx, &r)
			return err
		}},
		writing{"a calculation moves with its transcript", func(ctx context.Context, tx backoffice.Tx) error { return tx.Transcripts().Update(ctx, &moved) }},
		writing{"and back by import", func(ctx context.Context, tx backoffice.Tx) error {
			return tx.Transcripts().Upsert(ctx, []*backoffice.Transcript{&back})
		}},
		writing{"users lose a label", func(ctx context.Context, tx backoffice.Tx) error {
			_, err := tx.Labels().Delete(ctx, "label-1")
			return err
		}},
		writing{"customers lose a user", func(ctx context.Context, tx backoffice.Tx) error {
			_, err := tx.Users().Delete(ctx, "user-1")
			return err
		}},
		writing{"a transcript goes with its calculation", func(ctx context.Context, tx backoffice.Tx) error {
			_, err := tx.Transcripts().Delete(ctx, "transcript-4")
			return err
		}},
		writing{"all goes with customers", func(ctx context.Context, tx backoffice.Tx) error {
			_, err := tx.Customers().Delete(ctx, "customer-1", "customer-2")
			return err
		}},
	)
}

// touchedOffice is fullOffice with more to move to.
func touchedOffice() *office {
	o := fullOffice()
	o.users = append(o.users, &backoffice.User{ID: "user-2", FirstName: "b", Version: 1})
	o.checklists = append(o.checklists, &backoffice.Checklist{ID: "checklist-2", Name: "y", FinancialYearID: "year-1"})
	o.customers = append(o.customers, &backoffice.Customer{ID: "customer-4", Type: backoffice.Company, DisplayName: "y", Version: 1})
	for i, customer := range []string{"customer-2", "customer-4", "customer-4"} {
		r := *o.transcripts[0]
		r.ID, r.CustomerID, r.Document = fmt.Sprint("transcript-", 2+2*i), customer, nil
		o.transcripts = append(o.transcripts, &r)
	}
	o.calculations = append(o.calculations, &backoffice.Calculation{ID: "calculation-4", State: "LOCKED", TranscriptID: "transcript-4"})
	return o
}

func testTouched(t *testing.T, newStore func(t testing.TB) backoffice.Store) {
	t.Run("every write of every noun is one of these", func(t *testing.T) {
		t.Parallel()
		here := map[string]bool{}
		for _, w := range allWritings() {
			here[w.name] = true
		}
		tx := reflect.TypeFor[backoffice.Tx]()
		writer := reflect.TypeFor[backoffice.Writer[*backoffice.Label, backoffice.LabelCriteria]]()
		nouns := 0
		for noun := range tx.Methods() {
			if noun.Type.NumIn() != 0 || noun.Type.NumOut() != 1 || !strings.HasPrefix(noun.Type.Out(0).Name(), "Writer[") {
				continue
			}
			nouns++
			for method := range writer.Methods() {
				name := method.Name
				if _, reads := reflect.TypeFor[backoffice.Reader[*backoffice.Label, backoffice.LabelCriteria]]().MethodByName(name); !reads && !here[noun.Name+"."+name] {
					t.Errorf("no write here is %s.%s", noun.Name, name)
				}
			}
		}
		if nouns < 10 {
			t.Errorf("only %d nouns have a writer", nouns)
		}
	})

	t.Run("the log tells of each object that a write creates, changes or deletes, and on what it hung before and after", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		before := objects{}
		sequence := int64(0)
		entriesOf := func() []*backoffice.Change {
			entries, err := store.Changes(t.Context(), sequence, 500)
			if err != nil || len(entries) == 0 {
				t.Fatalf("%d entries: %v", len(entries), err)
			}
			sequence = entries[len(entries)-1].Sequence
			return entries
		}
		check := func(name string) {
			t.Helper()
			after, entries := allObjects(t, store), entriesOf()
			for _, missing := range untold(before, after, entries) {
				t.Errorf("%s: %s", name, missing)
			}
			noticed(t, name, before, after, entries)
			before = after
		}
		touchedOffice().insert(t, store)
		check("inserting all")
		for _, w := range allWritings() {
			if err := attempt(t, store, w.do); err != nil {
				t.Fatalf("%s: %v (%v)", w.name, err, errorCause(err))
			}
			check(w.name)
		}
	})

	t.Run("an object that somebody logs has one entry, and what goes with it has the same author", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		touchedOffice().insert(t, store)
		all, err := store.Changes(t.Context(), 0, 500)
		if err != nil {
			t.Fatal(err)
		}
		write(t, store, func(ctx context.Context, tx backoffice.Tx) error {
			if _, err := tx.Customers().Delete(ctx, "customer-1"); err != nil {
				return err
			}
			return tx.LogChanges(ctx, &backoffice.Change{At: 7, ClientID: "pair", Action: "deleteCustomer", Noun: backoffice.NounCustomer, ObjectID: "customer-1"})
		})
		entries, err := store.Changes(t.Context(), int64(len(all)), 500)
		seen := map[string]bool{}
		for _, e := range entries {
			if seen[e.ObjectID] || e.At != 7 || e.ClientID != "pair" || e.Action != "deleteCustomer" || e.Done != backoffice.Deleted || e.Fields != nil {
				t.Errorf("%+v", e)
			}
			seen[e.ObjectID] = true
		}
		if err != nil || len(entries) != 7 || entries[0].ObjectID != "customer-1" {
			t.Errorf("%d entries, want the customer's, and those of its relation, transcript, calculation, document, minfin document and discrepancy: %v", len(entries), err)
		}
	})
}

// noticed checks that untold would notice an entry that is missing, or a parent.
func noticed(t *testing.T, name string, before, after objects, entries []*backoffice.Change) {
	t.Helper()
	for i, e := range entries {
		o := object{e.Noun, e.ObjectID}
		if reflect.DeepEqual(before[o], after[o]) {
			continue
		}
		if broken := slices.Delete(slices.Clone(entries), i, i+1); len(untold(before, after, broken)) == 0 {
			t.Errorf("%s: nobody would miss the entry of %s", name, e.ObjectID)
		}
		var parents []backoffice.ChangeParent
		for _, row := range []any{before[o], after[o]} {
			if row != nil {
				parents = append(parents, parentsOf(row)...)
			}
		}
		for _, parent := range parents {
			without := *e
			without.Parents = slices.DeleteFunc(slices.Clone(e.Parents), func(p backoffice.ChangeParent) bool { return p == parent })
			broken := slices.Clone(entries)
			broken[i] = &without
			if len(untold(before, after, broken)) == 0 {
				t.Errorf("%s: nobody would miss %s as a parent of %s", name, parent, e.ObjectID)
			}
		}
	}
}
