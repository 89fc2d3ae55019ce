package backoffice_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/privacy"
)

// twice are two customers, "keep" with little and "drop" with a record of each noun, and a third one.
func (w *world) twice(t *testing.T) {
	t.Helper()
	relation := func(id, of, related string, kind backoffice.RelationKind, from, to backoffice.Text) *backoffice.CustomerRelation {
		return &backoffice.CustomerRelation{ID: id, CustomerID: of, RelatedCustomerID: related, Kind: kind, StartDate: from, EndDate: to, Version: 1}
	}
	number, err := w.Keys.Seal("drop", backoffice.RegistrationNumber, "85073003328")
	accept(t, err)
	w.write(t, func(ctx context.Context, tx backoffice.Tx) error {
		return errors.Join(
			tx.Customers().Insert(ctx,
				&backoffice.Customer{ID: "keep", Type: backoffice.PrivatePerson, FirstName: "Els", LastName: "Van Damme", DisplayName: "Els Van Damme", Version: 3,
					Address: backoffice.Address{City: "Gent"}, Email: "els@home.example"},
				&backoffice.Customer{ID: "drop", Type: backoffice.PrivatePerson, OwnName: "E. Vandamme", DisplayName: "E. Vandamme", Version: 1, CustomerCode: "C-7", Scopes: []string{"checklist"},
					ResponsibleID: "an", Address: backoffice.Address{Street: "Kouter", City: "Aalst"}, Email: "els@work.example", Phone: "+32 9 123 45 67", Registration: number},
				&backoffice.Customer{ID: "other", Type: backoffice.Company, OwnName: "Other", DisplayName: "Other", Version: 1}),
			tx.Relations().Insert(ctx,
				relation("between", "drop", "keep", backoffice.ContactPerson, "", ""),
				relation("kept", "other", "keep", backoffice.Shareholder, "2020-01-01", "2023-12-31"),
				relation("overlaps", "other", "drop", backoffice.Shareholder, "2022-06-01", "2023-12-31"),
				relation("later", "other", "drop", backoffice.Shareholder, "2024-01-01", ""),
				relation("outgoing", "drop", "other", backoffice.ContactPerson, "", "")),
			tx.Transcripts().Insert(ctx,
				&backoffice.Transcript{ID: "old", CustomerID: "drop", ChecklistID: "list2025", FinancialYearID: "y2025", OwnStatus: backoffice.Sent},
				&backoffice.Transcript{ID: "new", CustomerID: "keep", ChecklistID: "list2026", FinancialYearID: "y2026", OwnStatus: backoffice.Sent}),
			tx.Calculations().Insert(ctx, &backoffice.Calculation{ID: "sum", TranscriptID: "old", State: backoffice.CalculationState(backoffice.Locked)}),
			tx.Documents().Insert(ctx, &backoffice.CustomerDocument{ID: "deed", Name: "Deed", CustomerID: "drop", File: &backoffice.File{Key: "k1", ContentType: "text/plain", Size: 1, SHA256: make([]byte, 32)}}),
			tx.MinfinDocuments().Insert(ctx, &backoffice.MinfinDocument{ID: "bill", Name: "Bill", DocumentType: "AOH", CustomerID: "drop", File: &backoffice.File{Key: "k2", ContentType: "text/plain", Size: 1, SHA256: make([]byte, 32)}}))
	})
}

func TestAMergeMovesAllRecordsAndFillsWhatIsMissing(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, w *world) {
		w.Trash = 24 * time.Hour
		w.twice(t)
		ctx := t.Context()
		want := backoffice.CustomerMerge{Relations: 2, DeletedRelations: 2, Transcripts: 1, Calculations: 1, Documents: 1, MinfinDocuments: 1,
			FilledFields: []string{"customerCode", "phone", "registrationNumber", "responsibleId", "scopes"}}
		same := func(got *backoffice.CustomerMerge) bool {
			a, b := *got, want
			a.FilledFields, b.FilledFields = nil, nil
			return a.Relations == b.Relations && a.DeletedRelations == b.DeletedRelations && a.Transcripts == b.Transcripts && a.Calculations == b.Calculations &&
				a.Documents == b.Documents && a.MinfinDocuments == b.MinfinDocuments && slices.Equal(got.FilledFields, want.FilledFields)
		}
		before := len(w.changes(t, 0))
		_, merged, err := w.DryRun().MergeCustomers(ctx, w.by, "keep", "drop", backoffice.Value("k"))
		accept(t, err)
		if !same(merged) || w.customer(t, "drop") == nil || w.customer(t, "keep").Phone != "" || len(w.changes(t, before)) > 0 {
			t.Errorf("a dry run moves %+v and logs %q", merged, w.changes(t, before))
		}
		for range 2 { // the second time by its key
			kept, merged, err := w.MergeCustomers(ctx, w.by, "keep", "drop", backoffice.Value("k"))
			accept(t, err)
			if !same(merged) || kept.ID != "keep" || kept.Version != 4 {
				t.Errorf("moved are %+v; the customer has version %d", merged, kept.Version)
			}
		}
		keep := w.customer(t, "keep")
		if w.customer(t, "drop") != nil || keep.Phone != "+32 9 123 45 67" || keep.CustomerCode != "C-7" || keep.ResponsibleID != "an" || !slices.Equal(keep.Scopes, []string{"checklist"}) ||
			keep.Email != "els@home.example" || keep.DisplayName != "Els Van Damme" || keep.Address != (backoffice.Address{City: "Gent"}) {
			t.Errorf("kept is %+v", keep)
		}
		if held, err := w.Keys.(*privacy.Keyset).Holds(keep.Registration, backoffice.RegistrationNumber, "85073003328"); err != nil || !held {
			t.Errorf("the number is not the other's: %v", err)
		}
		relations, err := backoffice.ReadByID(ctx, w.Store.Relations(), []string{"between", "kept", "overlaps", "later", "outgoing"}, 0)
		accept(t, err)
		if len(relations) != 3 || relations["later"].RelatedCustomerID != "keep" || relations["outgoing"].CustomerID != "keep" || relations["later"].Version != 2 {
			t.Errorf("the relations are %v", relations)
		}
		for noun, count := range map[string]func() (map[string]int, error){
			"calculations": func() (map[string]int, error) {
				return backoffice.ReadCounts(ctx, w.Store.Calculations(), backoffice.OfCustomer, backoffice.CalculationCriteria{}, []string{"keep"})
			},
			"documents": func() (map[string]int, error) {
				return backoffice.ReadCounts(ctx, w.Store.Documents(), backoffice.OfCustomer, backoffice.DocumentCriteria{}, []string{"keep"})
			},
			"minfin documents": func() (map[string]int, error) {
				return backoffice.ReadCounts(ctx, w.Store.MinfinDocuments(), backoffice.OfCustomer, backoffice.MinfinCriteria{}, []string{"keep"})
			},
		} {
			if n, err := count(); err != nil || n["keep"] != 1 {
				t.Errorf("%d %s, %v", n["keep"], noun, err)
			}
		}
		got := w.changes(t, before)
		slices.Sort(got)
		logged := []string{
			"credential mergeCustomers calculation customerId", "credential mergeCustomers customer", "credential mergeCustomers customer customerCode phone registrationNumber responsibleId scopes",
			"credential mergeCustomers document customerId", "credential mergeCustomers minfin document customerId", "credential mergeCustomers relation", "credential mergeCustomers relation",
			"credential mergeCustomers relation customerId", "credential mergeCustomers relation relatedCustomerId", "credential mergeCustomers transcript customerId",
		}
		if !slices.Equal(got, logged) {
			t.Errorf("logged is\n%s", strings.Join(got, "\n"))
		}
		var trashed []*backoffice.Trashed
		list := func() {
			trashed = nil
			accept(t, w.Store.EachTrashed(ctx, func(d *backoffice.Trashed) error { trashed = append(trashed, d); return nil }))
		}
		list()
		if len(trashed) != 1 || trashed[0].ID != "drop" || trashed[0].Rows() != 3 || backoffice.CustomerTable.In(trashed[0])[0].CustomerCode != "C-7" {
			t.Errorf("the trash has %+v", trashed)
		}
		_, err = w.DeleteCustomer(ctx, w.by, "keep", nil)
		accept(t, err)
		_, err = w.EmptyTrash(ctx, "keep")
		accept(t, err)
		if list(); len(trashed) > 0 {
			t.Errorf("of who was erased the trash has %+v", trashed)
		}
	})
}

func TestWhatOnlyAPersonCanDecideIsNotMerged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, openSQLite(t))
	w.twice(t)
	person := backoffice.Value(backoffice.PrivatePerson)
	number := func(n string) backoffice.CustomerFields {
		return backoffice.CustomerFields{Type: person, RegistrationNumber: backoffice.Value(n)}
	}
	same, differs := w.company(t, number("85073003328")).ID, w.company(t, number("93051822361")).ID
	kbo := func(n string) string {
		return w.company(t, backoffice.CustomerFields{KboNumber: backoffice.Value(n)}).ID
	}
	one, two := kbo("0403019261"), kbo("1000000021")
	shorter, other := w.company(t, backoffice.CustomerFields{Type: person}).ID, w.company(t, backoffice.CustomerFields{}).ID
	shares := func(percent string, nominee bool) string {
		id := w.company(t, backoffice.CustomerFields{Type: person}).ID
		w.write(t, func(ctx context.Context, tx backoffice.Tx) error {
			return tx.Relations().Insert(ctx, &backoffice.CustomerRelation{ID: "of" + id, CustomerID: other, RelatedCustomerID: id, Kind: backoffice.Shareholder,
				SharePercent: backoffice.Text(percent), VotePercent: backoffice.Text(percent), Nominee: nominee})
		})
		return id
	}
	unknown, twenty, forty, nominee := shares("", false), shares("20", false), shares("40", false), shares("20", true)
	w.write(t, func(ctx context.Context, tx backoffice.Tx) error {
		return errors.Join(
			tx.Relations().Insert(ctx, &backoffice.CustomerRelation{ID: "shorter", CustomerID: "other", RelatedCustomerID: shorter, Kind: backoffice.Shareholder, StartDate: "2020-01-01", EndDate: "2022-12-31"}),
			tx.Transcripts().Insert(ctx, &backoffice.Transcript{ID: "too", CustomerID: same, ChecklistID: "list2025", FinancialYearID: "y2025", OwnStatus: backoffice.Sent}))
	})
	without := viewer("no numbers", slices.DeleteFunc(slices.Clone(backoffice.AllScopes), func(s backoffice.Scope) bool { return s == backoffice.PrivacyRead })...)
	before := len(w.changes(t, 0))
	for _, try := range []struct {
		by         *backoffice.Principal
		keep, drop string
		want       string
	}{
		{w.by, "keep", "keep", "NOT_ALLOWED dropId"},
		{w.by, "keep", "nobody", "NOT_FOUND dropId"},
		{w.by, "nobody", "none", "NOT_FOUND keepId, NOT_FOUND dropId"},
		{w.by, "", "keep", "REQUIRED keepId"},
		{w.by, "keep", "other", "NOT_ALLOWED type"},
		{w.by, one, two, "NOT_ALLOWED kboNumber"},
		{w.by, differs, "drop", "NOT_ALLOWED registrationNumber"},
		{w.by, same, "drop", "NOT_ALLOWED transcripts"},
		{w.by, shorter, "drop", "NOT_ALLOWED relations"},
		{w.by, twenty, forty, "NOT_ALLOWED relations"},
		{w.by, unknown, forty, "NOT_ALLOWED relations"},
		{w.by, twenty, nominee, "NOT_ALLOWED relations"},
		{without, "keep", "drop", ""},
	} {
		_, _, err := w.MergeCustomers(w.request(t), try.by, try.keep, try.drop, noKey)
		if try.by == without {
			if backoffice.KindOf(err) != backoffice.Forbidden {
				t.Errorf("without privacy.read: %v", err)
			}
			continue
		}
		expect(t, err, try.want)
	}
	if got := w.changes(t, before); len(got) > 0 {
		t.Errorf("logged is %q", got)
	}
}

func TestAMergeMovesTheRecordsOfEachNounThatRefersToCustomers(t *testing.T) {
	t.Parallel()
	want := map[backoffice.Noun]string{
		backoffice.NounRelation: "customerId relatedCustomerId", backoffice.NounTranscript: "customerId",
		backoffice.NounDocument: "customerId", backoffice.NounMinfin: "customerId", backoffice.NounDiscrepancy: "customerId", // each is moved above
	}
	got := map[backoffice.Noun]string{}
	for _, noun := range backoffice.Nouns {
		fields := reflect.ValueOf(noun).Elem().FieldByName("Fields")
		for i := range fields.Len() {
			if f := fields.Index(i); f.FieldByName("Refers").String() == string(backoffice.NounCustomer) {
				got[noun.Name()] = strings.TrimSpace(got[noun.Name()] + " " + f.FieldByName("Name").String())
			}
		}
	}
	if len(got) != len(want) {
		t.Errorf("nouns that refer to customers: %v", got)
	}
	for noun, fields := range want {
		if got[noun] != fields {
			t.Errorf("%s refers to customers by %q", noun, got[noun])
		}
	}
}

func TestAMergeKeepsWhatIsWrittenMeanwhile(t *testing.T) {
	t.Parallel()
	for what, write := range map[string]func(ctx context.Context, tx backoffice.Tx, drop backoffice.Customer) error{
		"a transcript": func(ctx context.Context, tx backoffice.Tx, _ backoffice.Customer) error {
			return tx.Transcripts().Update(ctx, &backoffice.Transcript{ID: "old", CustomerID: "drop", ChecklistID: "list2025", FinancialYearID: "y2025",
				OwnStatus: backoffice.Sent, CustomVariables: `{"answer":"new"}`})
		},
		"the customer": func(ctx context.Context, tx backoffice.Tx, drop backoffice.Customer) error {
			drop.Phone, drop.Version = "+32 9 765 43 21", drop.Version+1
			return tx.Customers().Update(ctx, &drop)
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			onBothEngines(t, func(t *testing.T, w *world) {
				w.twice(t)
				before := w.customer(t, "drop")
				written, release, merged := make(chan struct{}), make(chan struct{}), make(chan error, 1)
				writing := make(chan error, 1)
				go func() {
					writing <- w.Store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
						err := write(ctx, tx, *before)
						close(written)
						<-release
						return err
					})
				}()
				<-written
				go func() {
					_, _, err := w.MergeCustomers(t.Context(), w.by, "keep", "drop", backoffice.Optional[string]{})
					merged <- err
				}()
				select {
				case err := <-merged:
					t.Errorf("the merge did not wait: %v", err)
				case <-time.After(300 * time.Millisecond): // it reads, or waits to
				}
				close(release)
				accept(t, <-writing)
				accept(t, <-merged)
				found, err := backoffice.ReadByID(t.Context(), w.Store.Transcripts(), []string{"old"}, 0)
				accept(t, err)
				old, keep := found["old"], w.customer(t, "keep")
				if old.CustomerID != "keep" || what == "a transcript" && old.CustomVariables != `{"answer":"new"}` {
					t.Errorf("it is %+v", old)
				}
				if what == "the customer" && keep.Phone != "+32 9 765 43 21" {
					t.Errorf("the phone number is %s", keep.Phone)
				}
			})
		})
	}
}

func TestAnAssignmentBesideAMergeGivesNoChecklistTwice(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, w *world) {
		link := backoffice.CustomerRelation{ID: "link", CustomerID: "drop", RelatedCustomerID: "other", Kind: backoffice.ContactPerson, Version: 1}
		w.write(t, func(ctx context.Context, tx backoffice.Tx) error {
			for _, id := range []string{"keep", "drop", "other"} {
				if err := tx.Customers().Insert(ctx, &backoffice.Customer{ID: id, Type: backoffice.Company, DisplayName: id, Version: 1}); err != nil {
					return err
				}
			}
			return errors.Join(tx.Relations().Insert(ctx, &link),
				tx.Transcripts().Insert(ctx, &backoffice.Transcript{ID: "new", CustomerID: "drop", ChecklistID: "list2026", FinancialYearID: "y2026", OwnStatus: backoffice.Sent}))
		})
		merged, assigned, undone := make(chan error, 1), make(chan int, 1), errors.New("undone")
		err := w.Store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
			link.Version++
			if err := tx.Relations().Update(ctx, &link); err != nil { // the merge waits for it, after it has read
				return err
			}
			go func() {
				_, _, err := w.MergeCustomers(t.Context(), w.by, "keep", "drop", backoffice.Optional[string]{})
				merged <- err
			}()
			time.Sleep(300 * time.Millisecond)
			go func() {
				draft := backoffice.Assignments{ChecklistID: "list2026", CustomerIDs: []string{"keep"}}
				done, err := w.AssignChecklists(t.Context(), w.by, draft, backoffice.Optional[string]{})
				if err != nil {
					t.Error(err)
					done = &backoffice.Assigned{}
				}
				assigned <- done.Count
			}()
			time.Sleep(300 * time.Millisecond)
			return undone
		})
		if !errors.Is(err, undone) {
			t.Error(err)
		}
		if err, count := <-merged, <-assigned; (err == nil) == (count == 1) {
			t.Errorf("%d are assigned, and the merge is answered with %v", count, err)
		}
	})
}

func TestAMergeMixesNoNameOfTwoPersons(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, w *world) {
		w.write(t, func(ctx context.Context, tx backoffice.Tx) error {
			return tx.Customers().Insert(ctx,
				&backoffice.Customer{ID: "keep", Type: backoffice.PrivatePerson, LastName: "Peeters", DisplayName: "Peeters", Version: 1},
				&backoffice.Customer{ID: "drop", Type: backoffice.PrivatePerson, FirstName: "Jan", LastName: "Janssens", DisplayName: "Jan Janssens", Version: 1})
		})
		merged, done, err := w.MergeCustomers(t.Context(), w.by, "keep", "drop", backoffice.Optional[string]{})
		accept(t, err)
		if merged.DisplayName != "Peeters" || merged.FirstName != "" || len(done.FilledFields) > 0 {
			t.Errorf("it is %q, with %v", merged.DisplayName, done.FilledFields)
		}
	})
}
