package numbers

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway"
	"example.org/backoffice/gateway/gatewaytest"
)

// changing is a store in which a query's rows change before one of its reads.
type changing struct {
	backoffice.Store
	left atomic.Int64 // reads until then; the last one fails
}

func (c *changing) fails() error {
	if c.left.Add(-1) == 0 {
		return backoffice.SnapshotChanged()
	}
	return nil
}

func (c *changing) Send(ctx context.Context, b *backoffice.Batch) error {
	if err := c.fails(); err != nil {
		return err
	}
	return c.Store.Send(ctx, b)
}

func (c *changing) Customers() backoffice.Reader[*backoffice.Customer, backoffice.CustomerCriteria] {
	return changingCustomers{c.Store.Customers(), c}
}

type changingCustomers struct {
	backoffice.Reader[*backoffice.Customer, backoffice.CustomerCriteria]
	of *changing
}

func (c changingCustomers) Send(ctx context.Context, b *backoffice.Batch) error {
	if err := c.of.fails(); err != nil {
		return err
	}
	return c.Reader.Send(ctx, b)
}

func TestAQueryThatReadsAgainIsEnteredOnce(t *testing.T) {
	t.Parallel()
	settings := gatewaytest.Settings(t, gatewaytest.Engines["SQLite"](t))
	b, err := settings.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	store := &changing{Store: b.Store}
	b.Store = store
	config := gatewaytest.Config(gatewaytest.Limits())
	config.Cache = gateway.CacheSettings{}
	o := gatewaytest.ServeConfig(t, b, config)
	o.Fill(t)
	shareNumber(t, o, 1, "17073003384")
	all := o.Credential(t, backoffice.AllScopes...)
	const filter = `(filter: {registrationNumber: "17073003384"})`
	graphQL := func(query string) func() string { return func() string { return o.Answers(t, all, query) } }
	rest := func(method, path, body string) func() string {
		return func() string { return o.Send(t, all, method, path, body).Body.String() }
	}
	search, read := "SEARCH shared-00000 [REGISTRATION_NUMBER]", "READ shared-00000 [REGISTRATION_NUMBER]"
	for name, c := range map[string]struct {
		ask     func() string
		entered []string
	}{
		"GraphQL": {graphQL(`{ customers` + filter + ` { nodes { id registrationNumber relations { nodes { id
			relatedCustomer { displayName } } } responsible { email } } } }`), []string{search, read}},
		"two searches": {graphQL(`{ a: customers` + filter + ` { nodes { id relations { totalCount } } }
			b: customers` + filter + ` { totalCount } }`), []string{search, search}},
		"REST": {rest("GET", "/customers?registrationNumber=17073003384", ""), []string{search, read}},
		"a partner's": {rest("GET", "/customers?spouseRegistrationNumber=17073003384", ""),
			[]string{"SEARCH els [SPOUSE_REGISTRATION_NUMBER]",
				"READ els [REGISTRATION_NUMBER SPOUSE_REGISTRATION_NUMBER]"}},
		"a body": {rest("POST", "/customers/search", `{"registrationNumber": "17073003384"}`), []string{search, read}},
	} {
		reads := int64(0)
		for n := int64(0); n == 0 || n <= reads; n++ {
			before := len(o.RegisterEntries(t))
			store.left.Store(n)
			body := c.ask()
			if n == 0 { // nothing changes: how much it reads
				reads = -store.left.Load()
			}
			got := o.RegisterEntries(t)[before:]
			if !slices.Equal(got, c.entered) || !json.Valid([]byte(body)) || strings.Contains(body, "errors") {
				t.Errorf("%s, changed before read %d of %d: entered %q, answered %.300s", name, n, reads, got, body)
			}
		}
		if reads == 0 {
			t.Errorf("%s reads nothing", name)
		}
	}
}
