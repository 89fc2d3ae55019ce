package gateway_test

import (
	"net/netip"
	"testing"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway"
	"example.org/backoffice/gateway/gatewaytest"
	"example.org/backoffice/graphql/graphqlhttp"
)

// What asks again who a caller is does it in one place: architecture_test.go holds that there is no other.
func TestAPartOfARequestAsksAgainWhoItsCallerIs(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	credential := o.Credential(t, backoffice.AllScopes...)
	s, end, err := gateway.NewServer(o.Backend, gatewaytest.Config(gatewaytest.Limits()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(end)
	caller, err := s.Authenticator().Authenticate(t.Context(), netip.Addr{}, credential[0], credential[1])
	if err != nil {
		t.Fatal(err)
	}
	began := o.Vault.WithLedger(auth.WithPrincipal(t.Context(), caller), caller, nil)
	run := func(s *gateway.Server, e graphqlhttp.Entry) (*backoffice.Request, error) {
		within, run, err := s.Begin()(began, e)
		if run != nil {
			run.End(graphqlhttp.Outcome{})
		}
		return backoffice.RequestOf(within), err
	}
	whole, err := run(s, graphqlhttp.Entry{Cost: 1})
	if err != nil {
		t.Fatal(err)
	}
	part, err := run(s, graphqlhttp.Entry{Cost: 1, Part: true})
	if err != nil || part.Principal.ClientID != credential[0] || part.Statements == nil || part.Statements == whole.Statements ||
		part.Session == whole.Session || part.Ledger == whole.Ledger || part.Snapshot == whole.Snapshot || part.Budget == whole.Budget {
		t.Errorf("a part has of the whole what it should not: %v", err)
	}
	if err := auth.Revoke(t.Context(), o.Store, credential[0]); err != nil {
		t.Fatal(err)
	}
	later, end, err := gateway.NewServer(o.Backend, gatewaytest.Config(gatewaytest.Limits())) // which knows that at once
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(end)
	if _, err := run(later, graphqlhttp.Entry{Cost: 1}); err != nil {
		t.Error(err)
	}
	if _, err := run(later, graphqlhttp.Entry{Cost: 1, Part: true}); backoffice.KindOf(err) != backoffice.Unauthenticated {
		t.Errorf("a part of a revoked credential: %v", err)
	}
}
