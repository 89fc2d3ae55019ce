package postgres_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"example.org/backoffice/backoffice"
)

func TestAFeedTellsThatACustomerLeftTheViewWhenTwoWritesOverlapped(t *testing.T) {
	t.Parallel()
	store, conn := open(t)
	write := func(ctx context.Context, do func(ctx context.Context, tx backoffice.Tx) error) {
		t.Helper()
		if err := store.Write(ctx, do); err != nil {
			t.Fatal(err, errors.Unwrap(err))
		}
	}
	customer := func(responsible string) []*backoffice.Customer {
		return []*backoffice.Customer{{ID: "c", Type: backoffice.Company, OwnName: "Peeters", ResponsibleID: responsible}}
	}
	write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
		return errors.Join(
			tx.Users().Upsert(ctx, []*backoffice.User{{ID: "an", FirstName: "An", LastName: "Maes", Email: "an@office.example"}, {ID: "bo", FirstName: "Bo", LastName: "Maes", Email: "bo@office.example"}}),
			tx.FinancialYears().Upsert(ctx, []*backoffice.FinancialYear{{ID: "y", StartDate: "2026", EndDate: "2026", IsCurrentYear: true}}),
			tx.Checklists().Upsert(ctx, []*backoffice.Checklist{{ID: "k", Name: "WWFT", FinancialYearID: "y"}}),
			tx.Customers().Upsert(ctx, customer("an")),
		)
	})
	kinds := backoffice.ChangesVisibleTo(&backoffice.Principal{Scopes: backoffice.AllScopes}, nil)
	read := func(fields backoffice.RestrictionFields, after int64) *backoffice.ChangePage {
		t.Helper()
		r, err := backoffice.NewRestriction(fields)
		if err != nil {
			t.Fatal(err)
		}
		page, err := backoffice.ReadChangePage(backoffice.WithRestriction(t.Context(), r), store, backoffice.ChangeQuery{After: after, First: 100, Kinds: kinds, Seeing: kinds})
		if err != nil {
			t.Fatal(err)
		}
		return page
	}
	left := func(of backoffice.RestrictionFields, after int64) bool {
		t.Helper()
		return slices.ContainsFunc(read(of, after).Changes, func(c *backoffice.Change) bool {
			return c.Noun == backoffice.NounCustomer && c.ObjectID == "c" && c.Done == backoffice.Deleted
		})
	}
	ofAn, ofBo := backoffice.RestrictionFields{Responsible: []string{"an"}, Years: []string{"2026"}}, backoffice.RestrictionFields{Responsible: []string{"bo"}}
	var entered *backoffice.ChangePage
	write(t.Context(), func(outer context.Context, tx backoffice.Tx) error { // as an import would
		if err := tx.Customers().Upsert(outer, customer("bo")); err != nil {
			return err
		}
		write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error { // as an assignment would
			return tx.Transcripts().Insert(ctx, &backoffice.Transcript{
				ID: "t", OwnStatus: backoffice.ToProcess, CustomerID: "c", ChecklistID: "k", FinancialYearID: "y",
			})
		})
		entered = read(ofAn, backoffice.FromOldest)
		return nil
	})
	if n := len(entered.Changes); n == 0 {
		t.Fatal("the customer with a transcript of the year is not in view")
	}
	if !left(ofAn, entered.Latest) {
		t.Error("the customer left the view, and the feed does not say so")
	}

	// What psql changes is in no entry, but the next one begins where it ended.
	move := func(responsible string) {
		t.Helper()
		write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
			return tx.Customers().Upsert(ctx, customer(responsible))
		})
	}
	move("an")
	if _, err := conn.Exec(t.Context(), "UPDATE customers SET responsible_id = 'bo'"); err != nil {
		t.Fatal(err)
	}
	before := read(ofBo, backoffice.FromOldest).Latest
	if move("an"); !left(ofBo, before) {
		t.Error("the customer left the view that psql had put it into, and the feed does not say so")
	}
}
