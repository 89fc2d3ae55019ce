package parity

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
)

// atOnce runs calls side by side, and returns how many succeeded. The others are refused.
func atOnce(t testing.TB, calls ...func(ctx context.Context) error) (done int) {
	t.Helper()
	results := make(chan error, len(calls))
	for _, call := range calls {
		go func() { results <- call(t.Context()) }()
	}
	for range calls {
		switch err := <-results; {
		case err == nil:
			done++
		case backoffice.KindOf(err) != backoffice.Refused:
			t.Error(err)
		}
	}
	return done
}

// racing runs a test on each engine, with a service that has a trash.
func racing(t *testing.T, test func(t *testing.T, o *gatewaytest.Office, service *backoffice.Service, by *backoffice.Principal)) {
	t.Helper()
	for engine, database := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o := openTrashing(t, database(t), time.Hour)
			service := o.Service()
			service.Trash = time.Hour
			test(t, o, service, &backoffice.Principal{ClientID: "racing", Scopes: backoffice.AllScopes})
		})
	}
}

func company(t testing.TB, service *backoffice.Service, by *backoffice.Principal) string {
	t.Helper()
	made, err := service.CreateCustomer(t.Context(), by, backoffice.CustomerFields{Type: backoffice.Value(backoffice.Company), Name: backoffice.Value("Twin")}, backoffice.Optional[string]{})
	if err != nil {
		t.Fatal(err)
	}
	return made.ID
}

func TestOfTwoCustomersThatAreMergedEachIntoTheOtherOneStays(t *testing.T) {
	t.Parallel()
	racing(t, func(t *testing.T, o *gatewaytest.Office, service *backoffice.Service, by *backoffice.Principal) {
		for range 10 {
			a, b := company(t, service, by), company(t, service, by)
			merge := func(keep, drop string) func(ctx context.Context) error {
				return func(ctx context.Context) error {
					_, _, err := service.MergeCustomers(ctx, by, keep, drop, backoffice.Optional[string]{})
					return err
				}
			}
			if n := atOnce(t, merge(a, b), merge(b, a)); n != 1 {
				t.Fatalf("%d merges are made", n)
			}
			found, err := backoffice.ReadByID(t.Context(), o.Store.Customers(), []string{a, b}, 0)
			if err != nil || len(found) != 1 {
				t.Fatalf("%d of the two are left: %v", len(found), err)
			}
		}
	})
}

func TestTwoCustomersThatComeBackAtOnceHaveTheirRelations(t *testing.T) {
	t.Parallel()
	racing(t, func(t *testing.T, o *gatewaytest.Office, service *backoffice.Service, by *backoffice.Principal) {
		credential := o.Credential(t, backoffice.AllScopes...)
		relations := o.Send(t, credential, http.MethodGet, "/relations", "").Body.String()
		for range 10 {
			for _, id := range []string{"acme", "els"} {
				if _, err := service.DeleteCustomer(t.Context(), by, id, nil); err != nil {
					t.Fatal(err)
				}
			}
			restore := func(id string) func(ctx context.Context) error {
				return func(ctx context.Context) error { _, err := service.RestoreTrashed(ctx, id); return err }
			}
			if n := atOnce(t, restore("acme"), restore("els")); n != 2 {
				t.Fatalf("%d came back", n)
			}
			if now := o.Send(t, credential, http.MethodGet, "/relations", "").Body.String(); now != relations {
				t.Fatalf("%s\nare not\n%s", now, relations)
			}
		}
	})
}

func TestWhatComesBackWhileTheTrashIsEmptiedHasItsFiles(t *testing.T) {
	t.Parallel()
	racing(t, func(t *testing.T, o *gatewaytest.Office, service *backoffice.Service, by *backoffice.Principal) {
		credential := o.Credential(t, backoffice.AllScopes...)
		for range 10 {
			id := company(t, service, by)
			_, document, _ := strings.Cut(o.Send(t, credential, http.MethodPost, "/customers/"+id+"/documents?name=a.txt", "a file").Body.String(), `"_id":"`)
			document, _, _ = strings.Cut(document, `"`)
			if _, err := service.DeleteCustomer(t.Context(), by, id, nil); err != nil {
				t.Fatal(err)
			}
			atOnce(t, func(ctx context.Context) error { _, err := service.EmptyTrash(ctx, id); return err },
				func(ctx context.Context) error { _, err := service.RestoreTrashed(ctx, id); return err })
			if o.Send(t, credential, http.MethodGet, "/customers/"+id, "").Code != http.StatusOK {
				continue // it was erased
			}
			if w := o.Send(t, credential, http.MethodGet, "/customers/documents/"+document+"/download", ""); w.Code != http.StatusOK {
				t.Fatalf("the file of what came back: %d", w.Code)
			}
		}
	})
}

func TestARestrictedCredentialDeletesNoCustomerThatHasJustLeftItsView(t *testing.T) {
	t.Parallel()
	racing(t, func(t *testing.T, o *gatewaytest.Office, service *backoffice.Service, by *backoffice.Principal) {
		all, an := o.Credential(t, backoffice.AllScopes...), o.RestrictedCredential(t, "an", backoffice.RestrictionFields{Responsible: []string{"user-an"}})
		for range 20 {
			id := company(t, service, by)
			o.Send(t, all, http.MethodPut, "/customers/"+id, `{"responsible":"user-an"}`)
			var deleted, moved int
			atOnce(t, func(context.Context) error {
				deleted = o.Send(t, an, http.MethodDelete, "/customers/"+id, "").Code
				return nil
			}, func(context.Context) error {
				moved = o.Send(t, all, http.MethodPut, "/customers/"+id, `{"responsible":"user-bruno"}`).Code
				return nil
			})
			if deleted == http.StatusNoContent && moved == http.StatusOK {
				t.Fatal("deleted after it had left the view")
			}
		}
	})
}
