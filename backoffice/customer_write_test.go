package backoffice_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/files"
)

var noKey backoffice.Optional[string]

func text(s string) backoffice.Optional[string] { return backoffice.Value(s) }

func TestACustomerIsMadeInItsCanonicalForm(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, w *world) {
		c := w.company(t, backoffice.CustomerFields{
			Name: text("Zwaan"), KboNumber: text("BE 0403.019.261"), CompanyType: backoffice.Value(backoffice.LegalFormBV), Phone: text("02 555 12 12"),
			Scopes: backoffice.Value([]string{"checklist", "acme-os", "checklist"}), ResponsibleID: text("an"), RegistrationNumber: text("85.07.30-033.28"),
			Address: backoffice.Value(backoffice.AddressFields{City: text("Gent")}),
		})
		want := &backoffice.Customer{
			ID: c.ID, Type: backoffice.Company, OwnName: "Zwaan", DisplayName: "Zwaan", KboNumber: "0403019261", CompanyType: "BV", Phone: "+32 2 555 12 12",
			Scopes: []string{"acme-os", "checklist"}, ResponsibleID: "an", Address: backoffice.Address{City: "Gent"},
			Registration: c.Registration, CreatedAt: c.CreatedAt, UpdatedAt: c.CreatedAt, Version: 1,
		}
		if diff := cmp.Diff(want, w.customer(t, c.ID)); diff != "" || c.Registration.IsZero() || c.CreatedAt.IsZero() {
			t.Error(diff)
		}
		if log := w.changes(t, 0); !slices.Equal(log, []string{"credential createCustomer customer address companyType kboNumber name phone registrationNumber responsibleId scopes type"}) {
			t.Errorf("%q", log)
		}
	})
}

func TestAllThatIsWrongWithACustomerComesBackAtOnce(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, w *world) {
		w.company(t, backoffice.CustomerFields{CustomerCode: text("K-1")})
		_, err := w.CreateCustomer(t.Context(), w.by, backoffice.CustomerFields{
			Type: backoffice.Value(backoffice.PrivatePerson), Name: text(""), KboNumber: text("0200065765"), CustomerCode: text("K-1"), ResponsibleID: text("nobody"),
			Address: backoffice.Value(backoffice.AddressFields{Country: text("a\nb")}), Email: text("x"), SpouseRegistrationNumber: text("85130199773"),
		}, text(""))
		expect(t, err, "INVALID name, NOT_ALLOWED kboNumber, INVALID address.country, INVALID email, INVALID spouseRegistrationNumber, INVALID idempotencyKey, NOT_FOUND responsibleId, TAKEN customerCode")
		if log := w.changes(t, 0); len(log) != 1 {
			t.Errorf("a refused call left %q", log)
		}
	})
}

func TestInAnUpdateAbsentKeepsAndNullClears(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, w *world) {
		c := w.company(t, backoffice.CustomerFields{
			Name: text("A"), Email: text("a@b.be"), Scopes: backoffice.Value([]string{"checklist"}), RegistrationNumber: text("85073003328"),
			Address: backoffice.Value(backoffice.AddressFields{Street: text("Kerkstraat"), City: text("Gent")}),
		})
		update := func(fields backoffice.CustomerFields) *backoffice.Customer {
			t.Helper()
			updated, err := w.UpdateCustomer(t.Context(), w.by, c.ID, fields, nil)
			accept(t, err)
			return updated
		}
		update(backoffice.CustomerFields{Email: backoffice.Null[string](), Address: backoffice.Value(backoffice.AddressFields{Street: backoffice.Null[string](), Box: text("2")})})
		got := w.customer(t, c.ID)
		if got.Email != "" || got.OwnName != "A" || got.Address != (backoffice.Address{City: "Gent", Box: "2"}) || got.Version != 2 || got.Registration.IsZero() {
			t.Errorf("%+v", got)
		}
		update(backoffice.CustomerFields{Name: backoffice.Null[string](), Scopes: backoffice.Null[[]string](), Address: backoffice.Null[backoffice.AddressFields](), RegistrationNumber: backoffice.Null[string]()})
		got = w.customer(t, c.ID)
		if got.DisplayName != c.ID || len(got.Scopes) != 0 || got.Address != (backoffice.Address{}) || !got.Registration.IsZero() || got.Version != 3 {
			t.Errorf("%+v", got)
		}
		_, err := w.UpdateCustomer(t.Context(), w.by, c.ID, backoffice.CustomerFields{Type: backoffice.Null[backoffice.CustomerType]()}, nil)
		expect(t, err, "REQUIRED type")
		if log := w.changes(t, 1); !slices.Equal(log, []string{"credential updateCustomer customer address email", "credential updateCustomer customer address name registrationNumber scopes"}) {
			t.Errorf("%q", log)
		}
	})
}

func TestANameThatMovesOutOfItsPartsIsKept(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, w *world) {
		c, err := w.CreateCustomer(t.Context(), w.by, backoffice.CustomerFields{
			Type: backoffice.Value(backoffice.PrivatePerson), FirstName: text("Jan"), LastName: text("Peeters")}, noKey)
		accept(t, err)
		moved, err := w.UpdateCustomer(t.Context(), w.by, c.ID, backoffice.CustomerFields{
			Name: text("Jan Peeters"), FirstName: backoffice.Null[string](), LastName: backoffice.Null[string]()}, nil)
		accept(t, err)
		if moved.DisplayName != "Jan Peeters" || moved.OwnName != "Jan Peeters" {
			t.Errorf("it is %q, shown as %q", moved.OwnName, moved.DisplayName)
		}
	})
}

func TestACodeIsTakenAlsoByACustomerWhoseIdentifierIsANumber(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, w *world) {
		w.write(t, func(ctx context.Context, tx backoffice.Tx) error {
			return tx.Customers().Insert(ctx, &backoffice.Customer{ID: "1", Type: backoffice.Company, OwnName: "One", DisplayName: "One", CustomerCode: "K-1", Version: 1})
		})
		company := func(code string) backoffice.BatchInput[backoffice.CustomerFields] {
			return backoffice.BatchInput[backoffice.CustomerFields]{Input: backoffice.CustomerFields{Type: backoffice.Value(backoffice.Company), Name: text("A"), CustomerCode: text(code)}}
		}
		_, err := w.CreateCustomers(t.Context(), w.by, []backoffice.BatchInput[backoffice.CustomerFields]{company("K-0"), company("K-1")}, backoffice.Each, noKey)
		accept(t, err)
		if there := w.customer(t, "1"); there.CustomerCode != "K-1" {
			t.Errorf("it has the code %s", there.CustomerCode)
		}
	})
}

func TestAnIdempotencyKeyIsAnothersAfterAnInvalidInputIsCorrected(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, w *world) {
		named := backoffice.CustomerFields{Type: backoffice.Value(backoffice.Company), Name: text("A")}
		wrong := named
		wrong.Email = text("")
		create := func(second backoffice.CustomerFields) error {
			inputs := []backoffice.BatchInput[backoffice.CustomerFields]{{Input: named}, {Input: second}}
			_, err := w.CreateCustomers(t.Context(), w.by, inputs, backoffice.Each, backoffice.Value("key"))
			return err
		}
		accept(t, create(wrong))
		accept(t, create(wrong))
		expect(t, create(named), "IDEMPOTENCY_KEY_REUSED idempotencyKey")
	})
}

func TestARelationIsDeletedOnlyInTheVersionThatIsExpected(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, w *world) {
		w.twice(t)
		_, err := w.UpdateRelation(t.Context(), w.by, "later", backoffice.RelationFields{EndDate: text("2025-12-31")}, nil)
		accept(t, err)
		expect(t, w.DeleteRelation(t.Context(), w.by, "later", backoffice.Versions{1}), "STALE_VERSION expectedVersion")
		expect(t, w.DeleteRelation(t.Context(), w.by, "unknown", backoffice.Versions{1}), "NOT_FOUND id")
		accept(t, w.DeleteRelation(t.Context(), w.by, "later", backoffice.Versions{2}))
	})
}

func TestAChangeThatChangesNothingIsNoChange(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, w *world) {
		c := w.company(t, backoffice.CustomerFields{Name: text("A"), KboNumber: text("0200065765"), RegistrationNumber: text("85073003328")})
		ctx := w.request(t)
		same, err := w.UpdateCustomer(ctx, w.by, c.ID, backoffice.CustomerFields{Name: text("A"), KboNumber: text("0200.065.765"), RegistrationNumber: text("85073003328")}, nil)
		accept(t, err)
		if diff := cmp.Diff(c, same); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(c, w.customer(t, c.ID)); diff != "" || len(w.changes(t, 0)) != 1 {
			t.Error(diff)
		}
		accept(t, backoffice.CommitLedger(ctx))
		entered, err := w.Store.ListConsultations(t.Context(), backoffice.ConsultationPosition{}, 10)
		accept(t, err)
		if len(entered) != 1 || entered[0].Operation != backoffice.ConsultedBySearch || *entered[0].CustomerID != c.ID {
			t.Errorf("that the number is the stored one is entered as %v", entered)
		}
		_, err = w.UpdateCustomer(t.Context(), w.by, c.ID, backoffice.CustomerFields{RegistrationNumber: text("85073003328")}, nil)
		expect(t, err, "internal error") // where it cannot be entered, it is not told
	})
}

func TestACompanyBecomesAPersonOnlyWithoutItsNumberAndForm(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, w *world) {
		c := w.company(t, backoffice.CustomerFields{KboNumber: text("0200065765"), CompanyType: backoffice.Value(backoffice.LegalFormNV)})
		person := backoffice.CustomerFields{Type: backoffice.Value(backoffice.PrivatePerson)}
		_, err := w.UpdateCustomer(t.Context(), w.by, c.ID, person, nil)
		expect(t, err, "NOT_ALLOWED kboNumber, NOT_ALLOWED companyType")
		person.KboNumber, person.CompanyType = backoffice.Null[string](), backoffice.Null[backoffice.LegalForm]()
		_, err = w.UpdateCustomer(t.Context(), w.by, c.ID, person, nil)
		expect(t, err, "done")
	})
}

func TestWritesAskForTheirScopes(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, w *world) {
		c := w.company(t, backoffice.CustomerFields{RegistrationNumber: text("85073003328")})
		ctx, writer, nobody := t.Context(), viewer("writer", backoffice.CustomersWrite), viewer("nobody")
		person := backoffice.Value(backoffice.PrivatePerson)
		for name, call := range map[string]func() error{
			"customers.write to create": func() error {
				_, err := w.CreateCustomer(ctx, nobody, backoffice.CustomerFields{Type: person}, noKey)
				return err
			},
			"customers.write to update": func() error {
				_, err := w.UpdateCustomer(ctx, nobody, c.ID, backoffice.CustomerFields{Name: text("x")}, nil)
				return err
			},
			"customers.write to delete": func() error { return w.deleteCustomer(ctx, nobody, c.ID, nil) },
			"customers.write to relate": func() error { _, err := w.CreateRelation(ctx, nobody, backoffice.RelationDraft{}, noKey); return err },
			"customers.write to part":   func() error { return w.DeleteRelation(ctx, nobody, "x", nil) },
			"pti.write to assign":       func() error { _, err := w.AssignChecklist(ctx, writer, backoffice.Assignment{}, noKey); return err },
			"pti.write to generate":     func() error { _, err := w.GenerateTranscriptDocument(ctx, writer, "x"); return err },
			"settings.write to label": func() error {
				_, err := w.CreateLabel(ctx, writer, backoffice.LabelDraft{Name: "x"}, noKey)
				return err
			},
			"users.write to update": func() error { _, err := w.UpdateUser(ctx, writer, "an", backoffice.UserFields{}, nil); return err },
			"users.write to delete": func() error { return w.DeleteUser(ctx, writer, "an", nil) },
			"privacy.read for a number": func() error {
				_, err := w.CreateCustomer(ctx, writer, backoffice.CustomerFields{Type: person, RegistrationNumber: text("85073003328")}, noKey)
				return err
			},
			"privacy.read for a new number": func() error {
				_, err := w.UpdateCustomer(ctx, writer, c.ID, backoffice.CustomerFields{Name: text("x"), SpouseRegistrationNumber: text("85073003328")}, nil)
				return err
			},
			"privacy.read to clear a number": func() error {
				_, err := w.UpdateCustomer(ctx, writer, c.ID, backoffice.CustomerFields{Name: text("x"), RegistrationNumber: backoffice.Null[string]()}, nil)
				return err
			},
		} {
			scope, _, _ := strings.Cut(name, " ")
			if err := call(); outcome(err) != "this needs the scope "+scope {
				t.Errorf("%s: %s", name, outcome(err))
			}
		}
		if diff := cmp.Diff(c, w.customer(t, c.ID)); diff != "" || len(w.changes(t, 0)) != 1 {
			t.Errorf("something was written: %s", diff)
		}
	})
}

func TestOfFiftyUpdatesOfOneVersionExactlyOneWins(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, w *world) {
		c := w.company(t, backoffice.CustomerFields{})
		outcomes := fiftyTimes(func(i int) string {
			_, err := w.UpdateCustomer(t.Context(), w.by, c.ID, backoffice.CustomerFields{Name: text(fmt.Sprint("name ", i))}, backoffice.Versions{c.Version})
			return outcome(err)
		})
		if outcomes["done"] != 1 || outcomes["STALE_VERSION expectedVersion"] != 49 {
			t.Errorf("%v", outcomes)
		}
		if got := w.customer(t, c.ID); got.Version != 2 || len(w.changes(t, 0)) != 2 {
			t.Errorf("version %d, log %q", got.Version, w.changes(t, 0))
		}
	})
}

func TestFiftyUpdatesWithoutAVersionAllHappen(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, w *world) {
		c := w.company(t, backoffice.CustomerFields{})
		outcomes := fiftyTimes(func(i int) string {
			_, err := w.UpdateCustomer(t.Context(), w.by, c.ID, backoffice.CustomerFields{Name: text(fmt.Sprint("name ", i))}, nil)
			return outcome(err)
		})
		if outcomes["done"] != 50 || w.customer(t, c.ID).Version != 51 || len(w.changes(t, 0)) != 51 {
			t.Errorf("%v, version %d", outcomes, w.customer(t, c.ID).Version)
		}
	})
}

func TestADeletionOfAVersionAndItsUpdateCannotBothWin(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, w *world) {
		for range 10 {
			c := w.company(t, backoffice.CustomerFields{})
			outcomes := fiftyTimes(func(i int) string {
				if i%2 == 0 {
					return outcome(w.deleteCustomer(t.Context(), w.by, c.ID, backoffice.Versions{c.Version}))
				}
				_, err := w.UpdateCustomer(t.Context(), w.by, c.ID, backoffice.CustomerFields{Name: text("x")}, backoffice.Versions{c.Version})
				return outcome(err)
			})
			if outcomes["done"] != 1 || outcomes["done"]+outcomes["STALE_VERSION expectedVersion"]+outcomes["NOT_FOUND id"] != 50 {
				t.Errorf("%v", outcomes)
			}
		}
	})
}

// fiftyTimes calls at the same time and counts the outcomes.
func fiftyTimes(call func(i int) string) map[string]int {
	var mu sync.Mutex
	var all sync.WaitGroup
	outcomes := map[string]int{}
	for i := range 50 {
		all.Go(func() {
			one := call(i)
			mu.Lock()
			defer mu.Unlock()
			outcomes[one]++
		})
	}
	all.Wait()
	return outcomes
}

func TestErasingACustomerErasesAllThatIsItsOwn(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, w *world) {
		c, other := w.company(t, backoffice.CustomerFields{}), w.company(t, backoffice.CustomerFields{})
		w.fill(t, c.ID, "one")
		w.fill(t, other.ID, "two")
		expect(t, w.deleteCustomer(t.Context(), w.by, c.ID, backoffice.Versions{0}), "STALE_VERSION expectedVersion")
		expect(t, w.deleteCustomer(t.Context(), w.by, c.ID, backoffice.Versions{c.Version}), "done")
		expect(t, w.deleteCustomer(t.Context(), w.by, c.ID, nil), "NOT_FOUND id")
		nouns, err := backoffice.ReadNouns(t.Context(), w.Store, []string{c.ID, "rel-one", "tr-one", "calc-one", "doc-one", "min-one", other.ID, "rel-two", "tr-two", "calc-two", "doc-two", "min-two"})
		accept(t, err)
		if len(nouns) != 6 || nouns["tr-two"] == "" {
			t.Errorf("left: %v", nouns)
		}
		if left := w.storedFiles(t); left != 4 {
			t.Errorf("%d files are left, and 4 belong to the other customer", left)
		}
		if keys, err := w.Store.ForgottenFiles(t.Context(), 10); err != nil || len(keys) != 0 {
			t.Errorf("%v %v", keys, err)
		}
		if log := w.changes(t, 2); !slices.Equal(log, []string{"credential deleteCustomer customer"}) {
			t.Errorf("%q", log)
		}
	})
}

func TestFilesThatACrashLeftAreClearedByTheSweep(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, w *world) {
		c := w.company(t, backoffice.CustomerFields{})
		owned := w.Files.(files.Store)
		accept(t, files.Claim(t.Context(), w.Store, owned))
		w.fill(t, c.ID, "one")
		kept := w.Files
		w.Files = refusing{kept} // as if the process had died between the transaction and the removal
		expect(t, w.deleteCustomer(t.Context(), w.by, c.ID, nil), "done")
		if left := w.storedFiles(t); left != 4 {
			t.Fatalf("%d files are left", left)
		}
		removed, err := files.RemoveForgotten(t.Context(), w.Store, owned)
		if err != nil || removed != 4 || w.storedFiles(t) != 0 {
			t.Errorf("removed %d (%v), left %d", removed, err, w.storedFiles(t))
		}
		if removed, err := files.RemoveForgotten(t.Context(), w.Store, owned); err != nil || removed != 0 {
			t.Errorf("a second sweep removed %d (%v)", removed, err)
		}
	})
}

// refusing is a store of files that can remove nothing now.
type refusing struct{ backoffice.FileStore }

func (refusing) Delete(context.Context, ...string) error {
	return backoffice.Errorf(backoffice.Unavailable, "away")
}

// storedFiles counts what lies in the folder.
func (w *world) storedFiles(t testing.TB) int {
	t.Helper()
	count := 0
	accept(t, filepath.WalkDir(w.folder, func(_ string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && entry.Name() != ".owner" {
			count++
		}
		return err
	}))
	return count
}

// fill gives a customer one of everything, with a stored file where there can be one: a transcript of an archived year.
func (w *world) fill(t testing.TB, customer, name string) {
	t.Helper()
	file := func() *backoffice.File {
		file, err := w.Files.Put(t.Context(), backoffice.NewFileKey(backoffice.NewUploadID()), strings.NewReader("content"), "text/plain; charset=utf-8")
		accept(t, err)
		return &file
	}
	w.write(t, func(ctx context.Context, tx backoffice.Tx) error {
		return errors.Join(
			tx.Customers().Insert(ctx, &backoffice.Customer{ID: "friend-" + name, Type: backoffice.PrivatePerson, DisplayName: "friend", CreatedAt: 1, UpdatedAt: 1, Version: 1}),
			tx.Relations().Insert(ctx, &backoffice.CustomerRelation{ID: "rel-" + name, Kind: backoffice.Director, CustomerID: "friend-" + name, RelatedCustomerID: customer, CreatedAt: 1}),
			tx.Transcripts().Insert(ctx, &backoffice.Transcript{ID: "tr-" + name, OwnStatus: backoffice.Sent, OwnUpdatedAt: 1, IsCompleted: true, DocumentGenerated: true,
				CustomerID: customer, ChecklistID: "list2025", FinancialYearID: "y2025", Document: file()}),
			tx.Calculations().Insert(ctx, &backoffice.Calculation{ID: "calc-" + name, State: "LOCKED", UpdatedAt: 2, TranscriptID: "tr-" + name, CustomerID: customer, Proposal: file()}),
			tx.Documents().Insert(ctx, &backoffice.CustomerDocument{ID: "doc-" + name, Name: "x", CustomerID: customer, CreatedAt: 1, File: file()}),
			tx.MinfinDocuments().Insert(ctx, &backoffice.MinfinDocument{ID: "min-" + name, Name: "x", DocumentType: "y", CustomerID: customer, SynchronisedAt: 1, File: file()}),
		)
	})
}
