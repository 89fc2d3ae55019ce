package backoffice_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/files"
	"example.org/backoffice/pdf"
	"example.org/backoffice/privacy"
	"example.org/backoffice/store/postgres"
	"example.org/backoffice/store/postgres/pgtest"
	"example.org/backoffice/store/sqlite"
	"example.org/backoffice/store/sqlite/sqlitetest"
)

// world is an office over a fresh store: two years (the second is current), a checklist of each, a user and two labels.
type world struct {
	*backoffice.Service
	by     *backoffice.Principal // may do everything
	vault  *privacy.Vault
	folder string // of the stored files
}

// request is the context of a request of the world's own credential.
func (w *world) request(t testing.TB) context.Context {
	return w.vault.WithLedger(t.Context(), w.by, nil)
}

// onBothEngines runs a test in a world on each engine.
func onBothEngines(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	for name, open := range map[string]func(testing.TB) backoffice.Store{"SQLite": openSQLite, "PostgreSQL": openPostgres} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, newWorld(t, open(t)))
		})
	}
}

func openSQLite(t testing.TB) backoffice.Store {
	store, err := sqlite.Open(t.Context(), sqlitetest.URL(t), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func openPostgres(t testing.TB) backoffice.Store {
	url := pgtest.Migrated(t, postgres.Migrate)
	store, err := postgres.Open(t.Context(), url, postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func newWorld(t testing.TB, store backoffice.Store) *world {
	t.Helper()
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	folder := t.TempDir()
	stored, err := files.OpenFolder(folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = stored.Close() })
	keys, err := privacy.NewKeyset()
	if err != nil {
		t.Fatal(err)
	}
	w := &world{
		Service: &backoffice.Service{Store: store, Files: stored, Keys: keys, Documents: pdf.NewDocuments(pdf.Letterhead{Name: "Office"}, nil)},
		by:      viewer("credential", backoffice.AllScopes...),
		vault:   privacy.NewVault(keys, store),
		folder:  folder,
	}
	w.write(t, func(ctx context.Context, tx backoffice.Tx) error {
		return errors.Join(
			tx.Labels().Insert(ctx, &backoffice.Label{ID: "audit", Name: "Audit", CreatedAt: 1}, &backoffice.Label{ID: "tax", Name: "Tax", CreatedAt: 1}),
			tx.Users().Insert(ctx, &backoffice.User{ID: "an", FirstName: "An", LastName: "Peeters", Email: "an@office.example", LabelIDs: []string{"audit"}, Version: 1}),
			tx.FinancialYears().Insert(ctx, &backoffice.FinancialYear{ID: "y2025", StartDate: "2025", EndDate: "2025", ArchivedAt: 1},
				&backoffice.FinancialYear{ID: "y2026", StartDate: "2026", EndDate: "2026", IsCurrentYear: true}),
			tx.Checklists().Insert(ctx, &backoffice.Checklist{ID: "list2025", Name: "Old", Language: "dutch", FinancialYearID: "y2025"},
				&backoffice.Checklist{ID: "list2026", Name: "New", Language: "dutch", FinancialYearID: "y2026"}),
		)
	})
	return w
}

func viewer(id string, scopes ...backoffice.Scope) *backoffice.Principal {
	return &backoffice.Principal{ClientID: id, Name: id, Scopes: scopes}
}

func (w *world) write(t testing.TB, do func(ctx context.Context, tx backoffice.Tx) error) {
	t.Helper()
	if err := w.Store.Write(t.Context(), do); err != nil {
		t.Fatal(err)
	}
}

// company makes a customer that must be accepted.
func (w *world) company(t testing.TB, fields backoffice.CustomerFields) *backoffice.Customer {
	t.Helper()
	if !fields.Type.IsSent() {
		fields.Type = backoffice.Value(backoffice.Company)
	}
	c, err := w.CreateCustomer(t.Context(), w.by, fields, backoffice.Optional[string]{})
	accept(t, err)
	return c
}

// customer reads what is stored; nil when it is not there.
func (w *world) customer(t testing.TB, id string) *backoffice.Customer {
	t.Helper()
	found, err := backoffice.ReadByID(t.Context(), w.Store.Customers(), []string{id}, 0)
	accept(t, err)
	return found[id]
}

// deleteCustomer is DeleteCustomer for those who do not count what goes with it.
func (w *world) deleteCustomer(ctx context.Context, by *backoffice.Principal, id string, expected backoffice.Versions) error {
	_, err := w.DeleteCustomer(ctx, by, id, expected)
	return err
}

// changes reads the change log but for the first lines of it: what was asked for, without what went with it, and
// without what the tests put into the store.
func (w *world) changes(t testing.TB, but int) []string {
	t.Helper()
	var lines []string
	var after int64
	for {
		page, err := w.Store.Changes(t.Context(), after, 100)
		accept(t, err)
		if len(page) == 0 {
			return lines[min(but, len(lines)):]
		}
		for _, c := range page {
			if c.Sequence != after+1 {
				t.Errorf("entry %d follows %d", c.Sequence, after)
			}
			after = c.Sequence
			if c.Action == "write" || slices.Contains([]string{"deleteCustomer", "deleteCustomers"}, c.Action) && c.Noun != backoffice.NounCustomer {
				continue
			}
			lines = append(lines, strings.TrimSpace(c.ClientID+" "+c.Action+" "+string(c.Noun)+" "+strings.Join(c.Fields, " ")))
		}
	}
}

func accept(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%v: %v", outcome(err), errors.Unwrap(err))
	}
}

// outcome writes what came of a call: "done", the user errors, or the kind of error and its scope.
func outcome(err error) string {
	if err == nil {
		return "done"
	}
	var known *backoffice.Error
	if !errors.As(err, &known) {
		return err.Error()
	}
	if known.Kind != backoffice.Refused {
		return known.Message
	}
	var list []string
	for _, one := range known.UserErrors {
		list = append(list, string(one.Code)+" "+strings.Join(one.Field, "."))
	}
	return strings.Join(list, ", ")
}

func expect(t testing.TB, err error, want string) {
	t.Helper()
	if got := outcome(err); got != want {
		t.Errorf("came out as %q, not %q (%v)", got, want, errors.Unwrap(err))
	}
}
