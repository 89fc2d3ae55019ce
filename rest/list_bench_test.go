package rest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/rest"
)

// hundred is the office with at least a hundred customers more.
func hundred(t testing.TB) *office {
	t.Helper()
	o := open(t)
	check(t, o.store.Write(context.Background(), func(ctx context.Context, tx backoffice.Tx) error {
		rows := make([]*backoffice.Customer, 150)
		for i := range rows {
			id := fmt.Sprintf("bench-%03d", i)
			number, err := o.keys.Seal(id, backoffice.RegistrationNumber, "91042112345")
			if err != nil {
				return err
			}
			rows[i] = &backoffice.Customer{
				ID: id, Type: backoffice.PrivatePerson, FirstName: "Els", LastName: "Van Damme", DisplayName: "Els Van Damme", Scopes: []string{"checklist", "annual-accounts"},
				Address:      backoffice.Address{Street: "Kerkstraat", HouseNumber: "12", PostalCode: "9000", City: "Gent", Country: "België"},
				CustomerCode: backoffice.Text(id), Registration: number, Language: "dutch", Email: "els@example.org", Phone: "+3291234567",
				CreatedAt: backoffice.InstantAt(1_700_000_000_000), UpdatedAt: backoffice.InstantAt(1_700_000_000_000), Version: 1,
			}
		}
		return tx.Customers().Upsert(ctx, rows)
	}))
	return o
}

func TestAPageOfAHundredCustomersTakesAtMostThreeStoreCalls(t *testing.T) {
	t.Parallel()
	o := hundred(t)
	for name, by := range map[string]credential{"with privacy.read": o.all, "without": o.none} {
		a := o.ask(t, by, http.MethodGet, "/customers", nil)
		if count := a.is(200)["count"]; count != 100.0 {
			t.Errorf("%s: %v customers", name, count)
		}
		if most := 2; by == o.none && a.calls > most {
			t.Errorf("%s: %d store calls", name, a.calls)
		} else if a.calls > 3 {
			t.Errorf("%s: %d store calls", name, a.calls)
		}
	}
	equal(t, "calls of a page that tells its total", o.get(t, "/users").calls, 1)
}

// The whole way of GET /customers with a hundred of them, beside the same page read from the store and encoded with
// nothing around: the interface is to cost at most twice that.
func BenchmarkAHundredCustomers(b *testing.B) {
	o := hundred(b)
	b.Run("bare", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			ctx := context.Background()
			ask := backoffice.ListQuery[backoffice.CustomerCriteria]{Window: backoffice.Window{Limit: 100}}
			pages, err := backoffice.ReadPages(ctx, o.store.Customers(), ask, []string{backoffice.NoParent}, 0)
			check(b, err)
			counts, err := backoffice.ReadCounts(ctx, o.store.Customers(), backoffice.Root, backoffice.CustomerCriteria{}, []string{backoffice.NoParent})
			check(b, err)
			list := rest.List[rest.Customer]{Total: counts[backoffice.NoParent]}
			for _, c := range pages[backoffice.NoParent].Items {
				list.Data = append(list.Data, rest.ShowCustomer(c))
			}
			check(b, json.NewEncoder(&bytes.Buffer{}).Encode(list))
		}
	})
	for name, by := range map[string]credential{"REST": o.none, "REST with privacy.read": o.all} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r := httptest.NewRequest(http.MethodGet, "/customers", nil)
				r.Header.Set("x-client-id", by.id)
				r.Header.Set("x-client-secret", by.secret)
				w := httptest.NewRecorder()
				o.handler.ServeHTTP(w, r)
				if w.Code != 200 {
					b.Fatal(w.Code)
				}
			}
		})
	}
}
