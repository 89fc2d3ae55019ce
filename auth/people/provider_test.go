package people_test

import (
	"errors"
	"testing"
	"time"

	"example.org/backoffice/auth"
	"example.org/backoffice/auth/people"
	"example.org/backoffice/auth/people/peopletest"
	"example.org/backoffice/backoffice"
)

func TestAPersonSignsInAtAProviderAsOthersRunIt(t *testing.T) {
	t.Parallel()
	p := peopletest.NewProvider(t, "http://localhost/auth/callback")
	desk, err := people.New(people.Options{Issuer: p.URL, Audience: peopletest.Client, Map: peopletest.Map(t, usual), Links: open{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(desk.Close)
	if n, err := desk.Reach(t.Context()); n != 1 || err != nil {
		t.Errorf("%d keys, %v", n, err)
	}
	if at := desk.TokenEndpoint(t.Context()); at != p.URL+"/oauth/token" {
		t.Errorf("it gives tokens at %q", at)
	}
	access, identity := p.SignIn(t)
	principal, err := desk.Authenticate(t.Context(), access)
	if err != nil || principal.Person.Subject != "id2" || principal.Name != "Test User" || !principal.Has(backoffice.PrivacyRead) {
		t.Fatalf("%+v, %v", principal, err)
	}
	if _, err := desk.Authenticate(t.Context(), identity); backoffice.KindOf(err) != backoffice.Unauthenticated {
		t.Errorf("an ID token, which lives for an hour: %v", err)
	}
	other, err := people.New(people.Options{Issuer: p.URL, Audience: "another", Map: peopletest.Map(t, usual), Links: open{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(other.Close)
	if _, err := other.Authenticate(t.Context(), access); backoffice.KindOf(err) != backoffice.Unauthenticated {
		t.Errorf("another audience: %v", err)
	}
	if _, err := desk.Authenticate(t.Context(), p.Ended(t)); !errors.Is(err, auth.ErrTokenEnded) {
		t.Errorf("a token of an hour ago: %v", err)
	}
	p.Life = time.Hour
	if long, _ := p.SignIn(t); long == "" || second(desk.Authenticate(t.Context(), long)) == nil {
		t.Error("a token of an hour is taken")
	}
	p.Life, p.Groups = 0, nil
	nobody, _ := p.SignIn(t)
	if _, err := desk.Authenticate(t.Context(), nobody); backoffice.KindOf(err) != backoffice.Forbidden {
		t.Errorf("no group: %v", err)
	}
}
