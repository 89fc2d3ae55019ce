package cache_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/cache"
	"example.org/backoffice/store/storetest"
)

// seen are restrictions by all kinds of conditions.
func seen(t *testing.T) map[string]backoffice.Restriction {
	t.Helper()
	all := map[string]backoffice.Restriction{"everything": {}}
	for name, f := range map[string]backoffice.RestrictionFields{
		"of a user": {Responsible: []string{"user-1"}}, "of a label": {Labels: []string{"label-1"}}, "two customers": {Customers: []string{"customer-1", "customer-2"}},
		"of a year": {Years: []string{"2026"}},
	} {
		r, err := backoffice.NewRestriction(f)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = r
	}
	all["of a user, or of a year"] = backoffice.AnyOf(all["of a user"], all["of a year"])
	return all
}

// moving are changes after which others see other things.
func moving(ctx context.Context, tx backoffice.Tx) []func() error {
	customer := func(no int, responsible string) *backoffice.Customer {
		name := fmt.Sprint("name ", no)
		return &backoffice.Customer{ID: fmt.Sprint("customer-", no), Type: backoffice.Company, OwnName: backoffice.Text(name), DisplayName: name, ResponsibleID: responsible, Version: 1}
	}
	customers := func(rows ...*backoffice.Customer) error { return tx.Customers().Upsert(ctx, rows) }
	transcript := func(no, of int, year string) *backoffice.Transcript {
		return &backoffice.Transcript{ID: fmt.Sprint("transcript-", no), OwnStatus: backoffice.ToProcess, CustomerID: fmt.Sprint("customer-", of), ChecklistID: "list-" + year, FinancialYearID: year}
	}
	transcripts := func(rows ...*backoffice.Transcript) error { return tx.Transcripts().Upsert(ctx, rows) }
	user := func(no int, labels ...string) *backoffice.User {
		return &backoffice.User{ID: fmt.Sprint("user-", no), FirstName: "A", LastName: "B", Email: fmt.Sprint(no, "@example.org"), LabelIDs: labels, Version: 1}
	}
	year := func(id, of string) *backoffice.FinancialYear {
		return &backoffice.FinancialYear{ID: id, StartDate: of, EndDate: of, IsCurrentYear: id == "this"}
	}
	return []func() error{
		func() error {
			for _, write := range []func() error{
				func() error {
					return tx.Labels().Upsert(ctx, []*backoffice.Label{{ID: "label-1", Name: "1"}, {ID: "label-2", Name: "2"}})
				},
				func() error {
					return tx.Users().Upsert(ctx, []*backoffice.User{user(1, "label-2"), user(2, "label-1")})
				},
				func() error {
					return tx.FinancialYears().Upsert(ctx, []*backoffice.FinancialYear{year("last", "2025"), year("this", "2026")})
				},
				func() error {
					return tx.Checklists().Upsert(ctx, []*backoffice.Checklist{{ID: "list-last", Name: "x", Language: "dutch", FinancialYearID: "last"}, {ID: "list-this", Name: "x", Language: "dutch", FinancialYearID: "this"}})
				},
				func() error { return customers(customer(0, "user-1"), customer(1, "user-2"), customer(2, "")) },
				func() error {
					return transcripts(transcript(0, 0, "last"), transcript(1, 1, "last"), transcript(2, 2, "this"), transcript(3, 0, "this"))
				},
				func() error {
					return tx.Relations().Upsert(ctx, []*backoffice.CustomerRelation{
						{ID: "relation-0", Kind: backoffice.RelationKinds[0], CustomerID: "customer-0", RelatedCustomerID: "customer-1", CreatedAt: 1},
						{ID: "relation-1", Kind: backoffice.RelationKinds[0], CustomerID: "customer-1", RelatedCustomerID: "customer-2", CreatedAt: 1},
					})
				},
			} {
				if err := write(); err != nil {
					return err
				}
			}
			return nil
		},
		func() error { return customers(customer(1, "user-1")) },
		func() error { return customers(customer(0, "user-2")) },
		func() error { return tx.Users().Upsert(ctx, []*backoffice.User{user(1, "label-1", "label-2")}) },
		func() error { return tx.Users().Upsert(ctx, []*backoffice.User{user(2)}) },
		func() error { return transcripts(transcript(4, 1, "this")) },
		func() error { return transcripts(transcript(1, 1, "this"), transcript(2, 2, "last")) },
		func() error { _, err := tx.Transcripts().Delete(ctx, "transcript-1", "transcript-4"); return err },
		func() error { return transcripts(transcript(1, 0, "last")) }, // of another customer
		func() error {
			return tx.FinancialYears().Upsert(ctx, []*backoffice.FinancialYear{year("this", "2027")})
		},
		func() error {
			return tx.FinancialYears().Upsert(ctx, []*backoffice.FinancialYear{year("last", "2026")})
		},
		func() error { _, err := tx.Labels().Delete(ctx, "label-1"); return err },
		func() error { _, err := tx.Customers().Delete(ctx, "customer-1"); return err },
		func() error { return customers(customer(1, "user-1"), customer(3, "user-1")) },
	}
}

const movingSteps = 14

// toldOf is what a reader answers of its noun: who is there, in lists, totals and by identifier.
func toldOf[T backoffice.Entity, C comparable](ctx context.Context, t *testing.T, told map[string]string, noun string, r backoffice.Reader[T, C], ids ...string) {
	t.Helper()
	for _, under := range []struct {
		parent backoffice.Parent
		ids    []string
	}{{backoffice.Root, []string{backoffice.NoParent}}, {backoffice.OfCustomer, []string{"customer-0", "customer-1", "customer-2"}}} {
		if under.parent == backoffice.OfCustomer && noun == "customer" {
			continue
		}
		var all C
		list := backoffice.ListQuery[C]{Parent: under.parent, Window: backoffice.Window{Limit: 10}}
		pages, err := backoffice.ReadPages(ctx, r, list, under.ids, 0)
		if err != nil {
			t.Fatal(err)
		}
		counts, err := backoffice.ReadCounts(ctx, r, under.parent, all, under.ids)
		if err != nil {
			t.Fatal(err)
		}
		for _, parent := range under.ids {
			for _, row := range pages[parent].Items {
				told[noun+" of "+parent] += row.Identity() + " "
			}
			told[noun+" of "+parent] += fmt.Sprint(counts[parent])
		}
	}
	rows, err := backoffice.ReadByID(ctx, r, ids, 0)
	if err != nil {
		t.Fatal(err)
	}
	told[noun] = fmt.Sprint(slices.Sorted(maps.Keys(rows)))
}

func told(ctx context.Context, t *testing.T, s backoffice.Store) map[string]string {
	t.Helper()
	all := map[string]string{}
	toldOf(ctx, t, all, "customer", s.CustomersWithoutNumbers(), "customer-0", "customer-1", "customer-2", "customer-3")
	toldOf(ctx, t, all, "relation", s.Relations(), "relation-0", "relation-1")
	toldOf(ctx, t, all, "transcript", s.Transcripts(), "transcript-0", "transcript-1", "transcript-2", "transcript-3", "transcript-4")
	return all
}

// wrongInView asks after each change, which another store makes, what each restricted caller sees, twice, and gives
// what a store with a cache answers otherwise than the other.
func wrongInView(t *testing.T, s *cache.Store, other cache.Source) (wrong []string) {
	t.Helper()
	w := &watch{Context: t.Context(), found: t.Errorf}
	restrictions := seen(t)
	for step := range movingSteps {
		write(w, other, func(ctx context.Context, tx backoffice.Tx) error { return moving(ctx, tx)[step]() })
		for range 2 {
			for name, r := range restrictions {
				ctx := backoffice.WithRestriction(t.Context(), r)
				want := told(ctx, t, other)
				for what, got := range told(ctx, t, s) {
					if got != want[what] {
						wrong = append(wrong, fmt.Sprintf("after change %d, who sees %s: %s is %q and not %q", step, name, what, got, want[what]))
					}
				}
			}
		}
	}
	return wrong
}

func TestWhatRestrictedCallersAreAnsweredFromMemoryIsWhatIsInTheirView(t *testing.T) {
	storetest.SkipUnderRace(t)
	t.Parallel()
	for engine, openIn := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			open := openIn(t)
			s := before(t, open(), cache.Options{Bytes: 4 << 20})
			if wrong := wrongInView(t, s, open()); len(wrong) > 0 {
				t.Errorf("%q", wrong)
			}
			misses := gauge(s, "cache_misses_total")
			for _, r := range seen(t) {
				told(backoffice.WithRestriction(t.Context(), r), t, s)
			}
			if n := gauge(s, "cache_misses_total") - misses; n > 0 {
				t.Errorf("%d things were read again that nobody has changed", n)
			}
		})
		for name, broken := range map[string]func(*cache.Store){
			"forgets whose customers are":  func(s *cache.Store) { s.ForgettingInView(backoffice.NounCustomer) },
			"forgets labels":               func(s *cache.Store) { s.ForgettingInView(backoffice.NounUser, backoffice.NounLabel) },
			"forgets years":                func(s *cache.Store) { s.ForgettingInView(backoffice.NounFinancialYear) },
			"forgets transcripts":          func(s *cache.Store) { s.ForgettingInView(backoffice.NounTranscript) },
			"shares what one of them sees": (*cache.Store).SharingAnswers,
		} {
			if engine != "SQLite" { // what it is that memory forgets is no matter of the engine
				break
			}
			t.Run("a copy that "+name+" is found out", func(t *testing.T) {
				t.Parallel()
				open := openIn(t)
				s := before(t, open(), cache.Options{Bytes: 4 << 20})
				broken(s)
				if wrong := wrongInView(t, s, open()); len(wrong) == 0 {
					t.Error("nothing was wrong")
				}
			})
		}
	}
}
