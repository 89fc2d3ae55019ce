package gateway

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/changes"
)

// comparing counts how often the open discrepancies of companies are read, which each comparison does once.
type comparing struct {
	backoffice.Store
	times atomic.Int64
}

func (c *comparing) Records(noun backoffice.Noun) any {
	if noun == backoffice.NounDiscrepancy {
		c.times.Add(1)
	}
	return c.Store.Records(noun)
}

func TestChangesOfAHubsHoldersAreComparedOnce(t *testing.T) {
	t.Parallel()
	store := embedded(t)
	const holders, held = 60, 5
	counted := &comparing{Store: store}
	feed := changes.New(counted, changes.Options{})
	t.Cleanup(feed.Close)
	r := &recorder{service: &backoffice.Service{Store: counted}, feed: feed, log: slog.New(slog.DiscardHandler), holder: "one", now: time.Now}
	reader, err := feed.Follow(t.Context(), "", backoffice.FromOldest, backoffice.ChangesVisibleTo(nil, []backoffice.Noun{backoffice.NounRelation}))
	if err != nil {
		t.Fatal(err)
	}
	company := func(id string) *backoffice.Customer {
		return &backoffice.Customer{ID: id, Type: backoffice.Company, Version: 1}
	}
	var customers []*backoffice.Customer
	var relations []*backoffice.CustomerRelation
	hold := func(holder, of, share string) {
		relations = append(relations, &backoffice.CustomerRelation{ID: holder + "-" + of, CustomerID: of, RelatedCustomerID: holder,
			Kind: backoffice.Shareholder, SharePercent: backoffice.Text(share), Version: 1})
	}
	for i := range holders {
		customers = append(customers, company(fmt.Sprint("holder", i)))
		hold(fmt.Sprint("holder", i), "hub", "1")
	}
	for i := range held {
		customers = append(customers, company(fmt.Sprint("held", i)))
		hold("hub", fmt.Sprint("held", i), "100")
	}
	err = store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
		if err := tx.Customers().Insert(ctx, append(customers, company("hub"))...); err != nil {
			return err
		}
		if err := tx.Relations().Insert(ctx, relations...); err != nil {
			return err
		}
		return tx.LogChanges(ctx, backoffice.Map(relations, func(r *backoffice.CustomerRelation) *backoffice.Change {
			return &backoffice.Change{At: 1, Action: "test", Noun: backoffice.NounRelation, ObjectID: r.ID}
		})...)
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.follow(t.Context(), reader, "2026-03-31", time.Minute); err != nil {
		t.Fatal(err)
	}
	if want := int64((holders + held + 1 + recordBatch - 1) / recordBatch); counted.times.Load() != want {
		t.Errorf("%d comparisons, not %d", counted.times.Load(), want)
	}
}

func TestWhatAnOfficerNotesOfADiscrepancyConcernsNobodysOwners(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		action backoffice.ChangeAction
		fields []string
		want   bool
	}{
		{backoffice.Updated, []string{"reportedAt"}, false},
		{backoffice.Updated, []string{"note", "reportedAt"}, false},
		{backoffice.Updated, []string{"closedAt", "note"}, true},
		{backoffice.Updated, nil, true},
		{backoffice.Created, nil, true},
	} {
		got := concerned([]*backoffice.VisibleChange{{Noun: backoffice.NounDiscrepancy, Action: c.action, Fields: c.fields,
			Parents: []backoffice.ChangeParent{{Noun: backoffice.NounCustomer, ID: "company"}}}})
		if slices.Contains(got, "company") != c.want {
			t.Errorf("%s %q concerns %q", c.action, c.fields, got)
		}
	}
}
