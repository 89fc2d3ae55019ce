package rest_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/privacy"
	"example.org/backoffice/rest"
)

// register tells what was entered in the register of consultations: operation, customer and number of fields.
func (o *office) register(t testing.TB) (entries []string, purposes []string) {
	t.Helper()
	all, err := o.store.ListConsultations(context.Background(), backoffice.ConsultationPosition{}, 1000)
	check(t, err)
	for _, e := range all {
		customer := "nobody"
		if e.CustomerID != nil {
			customer = *e.CustomerID
		}
		purpose := ""
		if e.Purpose != nil {
			purpose = *e.Purpose
		}
		entries, purposes = append(entries, string(e.Operation)+" "+customer+strings.Repeat("+", len(e.Fields))), append(purposes, purpose)
	}
	return entries, purposes
}

func TestEachDisclosureAndEachSearchIsEntered(t *testing.T) {
	t.Parallel()
	o := open(t)
	o.get(t, "/customers/acme").is(200)
	o.get(t, "/customers/nobody/privacy").problem(404)
	o.ask(t, o.none, "GET", "/customers", nil).is(200)
	o.ask(t, o.none, "GET", "/customers/els/privacy", nil).problem(403)
	entries, _ := o.register(t)
	equal(t, "entries for nothing", len(entries), 0)

	number := o.number(t, "els")
	o.ask(t, o.all, "POST", "/customers/search", map[string]any{"spouseRegistrationNumber": number}, "x-access-purpose", "a look").is(200)
	o.ask(t, o.all, "POST", "/customers/search?page=7", map[string]any{"registrationNumber": number}).is(200)
	entries, purposes := o.register(t)
	if len(entries) != 3 || !strings.HasPrefix(entries[0], "READ els+") || entries[1] != "SEARCH nobody+" || entries[2] != "SEARCH els+" {
		t.Errorf("%v", entries)
	}
	if len(purposes) == 3 && (purposes[1] != "a look" || purposes[0] != "") {
		t.Errorf("%v", purposes)
	}
	o.get(t, "/customers", "x-access-purpose", strings.Repeat("9", 9)).problem(400)
}

// deaf is a store whose register takes no entry.
type deaf struct{ backoffice.Store }

func (deaf) AppendConsultations(context.Context, backoffice.ConsultationHead, backoffice.ConsultationHead, []*backoffice.Consultation) error {
	return &backoffice.Error{Kind: backoffice.Unavailable, Message: "the register is away", Cause: errors.New("away")}
}

func TestWhatCannotBeEnteredIsNotDisclosed(t *testing.T) {
	t.Parallel()
	o := open(t)
	number := o.number(t, "els")
	authenticator := auth.NewAuthenticator(o.store)
	t.Cleanup(authenticator.Close)
	router := chi.NewRouter()
	rest.Mount(router, rest.Config{
		Store: o.store, Service: &backoffice.Service{Store: o.store, Files: o.files, Keys: o.keys}, Files: o.files, Keys: o.keys,
		Vault: privacy.NewVault(o.keys, deaf{o.store}), Authenticator: authenticator, Throttle: auth.NewThrottle(),
	})
	o.handler = identified(router)
	for _, a := range []*answer{
		o.get(t, "/customers/els"), o.get(t, "/customers/els/privacy"), o.get(t, "/customers"),
		o.ask(t, o.all, "POST", "/customers/search", map[string]any{"registrationNumber": number}),
	} {
		a.problem(503)
		if strings.Contains(string(a.body), number) || a.header.Get("Retry-After") == "" || a.header.Get("ETag") != "" {
			t.Errorf("%s %s", a.body, a.header)
		}
	}
	o.get(t, "/customers/acme").is(200)
}

func TestNoAnswerWithoutTheScopeDependsOnANumber(t *testing.T) {
	t.Parallel()
	o := open(t)
	look := func() (all string) {
		for _, path := range []string{"/customers", "/customers/fien", "/customers?type=Private+Person&pageSize=1", "/customers/fien/privacy", "/customers?registrationNumber=1"} {
			all += string(o.ask(t, o.none, "GET", path, nil).body)
		}
		return all
	}
	before := look()
	check(t, o.store.Write(context.Background(), func(ctx context.Context, tx backoffice.Tx) error {
		rows, err := backoffice.ReadByID(ctx, tx.Customers(), []string{"fien"}, 0)
		if err != nil {
			return err
		}
		rows["fien"].Registration, rows["fien"].SpouseRegistration = backoffice.Sealed{}, backoffice.Sealed{}
		return tx.Customers().Upsert(ctx, []*backoffice.Customer{rows["fien"]})
	}))
	equal(t, "what is seen without the number", look(), before)
}
