package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway"
	"example.org/backoffice/gateway/gatewaytest"
)

func TestAPlanTellsAPriceThatGrowsWithTheOfficeAndWithNothingOutOfView(t *testing.T) {
	t.Parallel()
	const filtered = `{ customers(first: 0, filter: {city: "Gent"}) { totalCount } users(first: 1) { nodes { customers(first: 0) { totalCount } } } }`
	for engine, database := range gatewaytest.Engines {
		t.Run("on "+engine, func(t *testing.T) {
			t.Parallel()
			settings := gatewaytest.Settings(t, database(t))
			h, err := settings.Open(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = h.Close() })
			s, end, err := gateway.NewServer(h, gatewaytest.Config(gatewaytest.Limits()))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(end)
			s.KeepSizes(0)
			o := &gatewaytest.Office{Backend: h, Before: h.Store, Handler: s.Handler()}
			o.Fill(t)
			all, view := o.Credential(t), o.RestrictedCredential(t, "view", backoffice.RestrictionFields{Customers: []string{"acme"}})
			prices := func(query string) (unrestricted, restricted int) {
				_, plan, _ := o.Plan(t, all, query, "{}")
				_, inView, _ := o.Plan(t, view, query, "{}")
				if plan == nil || inView == nil {
					t.Fatal("there is no plan")
				}
				return plan.Cost, inView.Cost
			}
			small, before := prices(filtered)
			counted, _ := prices(`{ customers(first: 0) { totalCount } }`)
			err = h.Store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
				made := make([]*backoffice.Customer, 2_500)
				for i := range made {
					name := fmt.Sprintf("made-%04d", i)
					made[i] = &backoffice.Customer{
						ID: name, Type: backoffice.Company, OwnName: backoffice.Text(name), DisplayName: name, Version: 1}
				}
				return tx.Customers().Insert(ctx, made...)
			})
			if err != nil {
				t.Fatal(err)
			}
			large, after := prices(filtered)
			again, _ := prices(`{ customers(first: 0) { totalCount } }`)
			if large < small+1_500/20 || again != counted {
				t.Errorf("a filtered count costs %d, then %d; one from counters %d, then %d", small, large, counted, again)
			}
			if before != after {
				t.Errorf("a restricted credential is told %d, and %d when there are others outside its view", before, after)
			}
			_, _, calls := o.Ask(t, all, filtered, nil, nil)
			s.KeepSizes(time.Hour)
			if _, _, without := o.Ask(t, all, filtered, nil, nil); calls != without {
				t.Errorf("%d statements, %d without looking how many records there are", calls, without)
			}
		})
	}
}

// uncounted is a store that cannot count its rows.
type uncounted struct{ backoffice.Store }

func (uncounted) Rows(context.Context) (map[backoffice.Noun]int, error) {
	return nil, errors.New("it is busy")
}

func TestWhoCannotBeToldHowMuchThereIsPaysForAnOrdinaryOffice(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	all := o.Credential(t)
	view := o.RestrictedCredential(t, "view", backoffice.RestrictionFields{Years: []string{"2026"}})
	busy := *o.Backend
	busy.Store = uncounted{o.Store}
	s, end, err := gateway.NewServer(&busy, gatewaytest.Config(gatewaytest.Limits()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(end)
	unknown := &gatewaytest.Office{Backend: &busy, Before: o.Store, Handler: s.Handler()}
	for _, c := range []struct {
		query string
		costs [3]int
	}{
		{`{ customers(first: 0) { totalCount } }`, [...]int{2, 2 + 24_000/20, 2}},
		{`{ customers(first: 0, filter: {city: "Gent"}) { totalCount } }`, [...]int{2, 2 + 24_000/20, 2 + 24_000/20}},
		{`{ transcripts(first: 0, filter: {isCompleted: true}) { statusCounts { count } } }`,
			[...]int{2, 2 + 24_000/6, 2}},
		{`{ transcriptsAggregate(groupBy: STATUS, filter: {financialYearId: "a"}) { totalCount } }`,
			[...]int{1, 1 + 2_400/6, 1 + 2_400/6}},
	} {
		for i, asked := range []struct {
			of         *gatewaytest.Office
			credential [2]string
		}{{o, all}, {o, view}, {unknown, all}} {
			_, plan, codes := asked.of.Plan(t, asked.credential, c.query, "{}")
			if plan == nil || plan.Cost != c.costs[i] {
				t.Errorf("%s is %+v for %s, not %d: %v", c.query, plan, asked.credential[0], c.costs[i], codes)
			}
		}
	}
}
