package storetest

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"example.org/backoffice/backoffice"
)

func testView(t *testing.T, newStore func(t testing.TB) backoffice.Store) {
	SkipUnderRace(t)
	t.Run("beneath customers who are not in view is nothing, whoever names them and whatever was read before", func(t *testing.T) {
		t.Parallel()
		if differs := Beneath(t, newStore(t)); differs != "" {
			t.Error(differs)
		}
	})
}

// Beneath compares what an empty store, which it fills, tells restricted callers of what is beneath customers with
// what they may see. It gives the first difference, "" when there is none.
func Beneath(t testing.TB, store backoffice.Store) (differs string) {
	t.Helper()
	o := crowd()
	o.insert(t, store)
	for _, fields := range []backoffice.RestrictionFields{
		{Responsible: []string{o.users[0].ID}}, {Responsible: []string{o.users[0].ID, o.users[3].ID, o.users[5].ID}}, {Labels: o.users[0].LabelIDs, Customers: idsOf(o.customers[:60])},
		{Years: []string{"2024"}}, {Years: []string{"2024", "2025"}, Responsible: []string{o.users[1].ID, o.users[2].ID, o.users[4].ID}}, {Customers: idsOf(o.customers[30:])},
	} {
		r, err := backoffice.NewRestriction(fields)
		if err != nil {
			t.Fatal(err)
		}
		v := &beneath{store: store, o: o, of: fields}
		ctx := backoffice.WithRestriction(t.Context(), r)
		for _, way := range []string{"beside a snapshot", "in a snapshot", "when all have been named", "when each has been named"} {
			ctx, end := ctx, func() {}
			if way != "beside a snapshot" {
				ctx, end = backoffice.BeginSnapshot(ctx, store)
			}
			for _, c := range o.customers {
				if way == "when each has been named" {
					_, err = backoffice.ReadByID(ctx, store.Customers(), []string{c.ID}, 0)
				}
			}
			if way == "when all have been named" {
				_, err = backoffice.ReadByID(ctx, store.Customers(), idsOf(o.customers), 0)
			}
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // the second time with what the first has told
				v.compare(ctx, t, o.customers)
				v.compare(ctx, t, v.seen())
				for _, c := range o.customers[:20] {
					v.compare(ctx, t, []*backoffice.Customer{c})
				}
			}
			end()
			if v.differs != "" {
				return fmt.Sprintf("%+v, %s: %s", fields, way, v.differs)
			}
		}
	}
	return afterwards(t, store, o)
}

func idsOf(customers []*backoffice.Customer) (ids []string) {
	for _, c := range customers {
		ids = append(ids, c.ID)
	}
	return ids
}

type beneath struct {
	store   backoffice.Store
	o       *office
	of      backoffice.RestrictionFields
	differs string
}

func (v *beneath) ofYear(transcript *backoffice.Transcript) bool {
	return len(v.of.Years) == 0 || slices.ContainsFunc(v.o.years, func(y *backoffice.FinancialYear) bool {
		return y.ID == transcript.FinancialYearID && slices.Contains(v.of.Years, y.StartDate)
	})
}

func (v *beneath) sees(id string) bool {
	c := v.o.customer(id)
	labelled := func(u *backoffice.User) bool {
		return u.ID == c.ResponsibleID && slices.ContainsFunc(u.LabelIDs, func(label string) bool { return slices.Contains(v.of.Labels, label) })
	}
	return (len(v.of.Responsible) == 0 || slices.Contains(v.of.Responsible, c.ResponsibleID)) &&
		(len(v.of.Labels) == 0 || slices.ContainsFunc(v.o.users, labelled)) &&
		(len(v.of.Customers) == 0 || slices.Contains(v.of.Customers, c.ID)) &&
		(len(v.of.Years) == 0 || slices.ContainsFunc(v.o.transcripts, func(t *backoffice.Transcript) bool { return t.CustomerID == id && v.ofYear(t) }))
}

func (v *beneath) seen() (all []*backoffice.Customer) {
	for _, c := range v.o.customers {
		if v.sees(c.ID) {
			all = append(all, c)
		}
	}
	return all
}

// compare compares the lists and the totals beneath some customers.
func (v *beneath) compare(ctx context.Context, t testing.TB, customers []*backoffice.Customer) {
	t.Helper()
	ids := idsOf(customers)
	relations := beneathOf(ctx, t, v.store.Relations(), ids, func(r *backoffice.CustomerRelation) string { return r.ID })
	transcripts := beneathOf(ctx, t, v.store.Transcripts(), ids, func(r *backoffice.Transcript) string { return r.ID })
	found, err := backoffice.ReadByID(ctx, v.store.Customers(), ids, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		var there, of []string
		for _, r := range v.o.relations {
			if (r.CustomerID == id || r.RelatedCustomerID == id) && v.sees(r.CustomerID) && v.sees(r.RelatedCustomerID) {
				there = append(there, r.ID)
			}
		}
		for _, r := range v.o.transcripts {
			if r.CustomerID == id && v.sees(id) && v.ofYear(r) {
				of = append(of, r.ID)
			}
		}
		slices.Sort(there)
		slices.Sort(of)
		if (found[id] != nil) != v.sees(id) || !slices.Equal(relations[id], there) || !slices.Equal(transcripts[id], of) {
			v.differs = fmt.Sprintf("beneath %s, of %d customers, are the relations %v and not %v, the transcripts %v and not %v", id, len(ids), relations[id], there, transcripts[id], of)
			return
		}
	}
}

// beneathOf are the identifiers of the rows beneath each of some customers, which have to be as many as are counted.
func beneathOf[T any, C comparable](ctx context.Context, t testing.TB, reader backoffice.Reader[T, C], customers []string, id func(T) string) map[string][]string {
	t.Helper()
	var none C
	pages, err := backoffice.ReadPages(ctx, reader, backoffice.ListQuery[C]{Parent: backoffice.OfCustomer, Window: backoffice.Window{Limit: 200}}, customers, 0)
	if err != nil {
		t.Fatal(err)
	}
	counts, err := backoffice.ReadCounts(ctx, reader, backoffice.OfCustomer, none, customers)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	for customer, page := range pages {
		for _, row := range page.Items {
			all[customer] = append(all[customer], id(row))
		}
		slices.Sort(all[customer])
		if counts[customer] != len(slices.Compact(slices.Clone(all[customer]))) {
			all[customer] = append(all[customer], fmt.Sprint(counts[customer], " are counted"))
		}
	}
	return all
}

// afterwards reads a customer in view, whom a write then takes out of it: when a write in the context begins another
// snapshot there is nothing beneath.
func afterwards(t testing.TB, store backoffice.Store, o *office) string {
	t.Helper()
	at := slices.IndexFunc(o.customers, func(c *backoffice.Customer) bool {
		return c.ResponsibleID != "" && slices.ContainsFunc(o.transcripts, func(t *backoffice.Transcript) bool { return t.CustomerID == c.ID })
	})
	c := readOne(t, store.Customers(), o.customers[at].ID)
	r, err := backoffice.NewRestriction(backoffice.RestrictionFields{Responsible: []string{c.ResponsibleID}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := backoffice.BeginSnapshot(backoffice.WithRestriction(t.Context(), r), store)
	defer end()
	see := func() (found bool, transcripts int) {
		rows, err := backoffice.ReadByID(ctx, store.Customers(), []string{c.ID}, 0)
		if err != nil {
			t.Fatal(err)
		}
		return rows[c.ID] != nil, len(beneathOf(ctx, t, store.Transcripts(), []string{c.ID}, func(r *backoffice.Transcript) string { return r.ID })[c.ID])
	}
	if found, n := see(); !found || n == 0 {
		t.Fatal(found, n)
	}
	before := *c
	c.ResponsibleID, c.Version = "", c.Version+1
	write(t, store, func(ctx context.Context, tx backoffice.Tx) error { return tx.Customers().Update(ctx, c) })
	if found, n := see(); !found || n == 0 {
		return fmt.Sprintf("in the same snapshot the customer %s is there no more: %v, %d transcripts", before.ID, found, n)
	}
	c.Version++
	whole := backoffice.WithRestriction(ctx, backoffice.Restriction{}) // for what is written is not in view
	if err := store.Write(whole, func(ctx context.Context, tx backoffice.Tx) error { return tx.Customers().Update(ctx, c) }); err != nil {
		t.Fatal(err)
	}
	if found, n := see(); found || n > 0 {
		return fmt.Sprintf("the customer %s left the view, and there are %v and %d transcripts", c.ID, found, n)
	}
	return ""
}
