package gateway

import (
	"context"
	"fmt"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
)

func TestAPlanTellsAPriceThatGrowsWithTheOfficeAndWithNothingOutOfView(t *testing.T) {
	t.Parallel()
	const filtered = `{ customers(first: 0, filter: {city: "Gent"}) { totalCount } users(first: 1) { nodes { customers(first: 0) { totalCount } } } }`
	for engine, database := range engines {
		t.Run("on "+engine, func(t *testing.T) {
			t.Parallel()
			settings := officeSettings(t, database(t))
			h, err := settings.Open(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = h.Close() })
			s, end, err := NewServer(h, quiet(unhurried()))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(end)
			s.KeepSizes(0)
			o := &office{Backend: h, before: h.Store, handler: s.Handler()}
			o.fill(t)
			all, view := o.pair(t), o.restrictedPair(t, "view", backoffice.RestrictionFields{Customers: []string{"acme"}})
			prices := func(query string) (unrestricted, restricted int) {
				_, plan, _ := o.plan(t, all, query, "{}")
				_, inView, _ := o.plan(t, view, query, "{}")
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
				t.Errorf("a restricted pair is told %d, and %d when there are others outside its view", before, after)
			}
			_, _, calls := o.ask(t, all, filtered, nil, nil)
			s.KeepSizes(time.Hour)
			if _, _, without := o.ask(t, all, filtered, nil, nil); calls != without {
				t.Errorf("%d statements, %d without looking how many records there are", calls, without)
			}
		})
	}
}
