package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/demo"
	"example.org/backoffice/gateway"
	"example.org/backoffice/graphql/trusted"
	"example.org/backoffice/web/graphiql"
)

type demoCommand struct {
	serveCommand
	Customers int    `default:"1000" placeholder:"N" help:"How many customers to create in an empty store, up to 9999999 (${default})."`
	Open      bool   `help:"Open GraphiQL in the browser. Sign in with a credential that is printed."`
	Seed      uint64 `default:"1" placeholder:"NUMBER" help:"The random seed: the same one creates the same data (${default})."`
}

// Validate requires as many customers as identifiers have digits for.
func (c *demoCommand) Validate() error {
	if c.Customers < 1 || c.Customers > 9_999_999 {
		return errors.New("--customers must be 1 to 9999999")
	}
	return nil
}

// demoCredentials are the two credentials of a demo, found again by their names.
var demoCredentials = []struct {
	title, name string
	scopes      []backoffice.Scope
}{
	{"Every scope", "demo: every scope", backoffice.AllScopes},
	{"Without privacy.read", "demo: without privacy.read", slices.DeleteFunc(slices.Clone(backoffice.AllScopes),
		func(scope backoffice.Scope) bool { return scope == backoffice.PrivacyRead })},
}

// demoCredential is a credential with the secret of this start.
type demoCredential struct{ title, id, secret string }

// Run fills the store unless it is filled, creates or rotates the credentials, prints them and serves.
func (c *demoCommand) Run(ctx context.Context, s *settings, t terminal) error {
	if !s.Embedded() {
		return errors.New("demo needs an embedded store: pass --database sqlite:PATH")
	}
	listener, err := c.listen(t)
	if err != nil {
		return err
	}
	defer listener.Close()
	if s.OfficeName == "" {
		s.OfficeName = demo.Office
	}
	h, err := s.Open(ctx)
	if err != nil {
		return err
	}
	defer h.Close()
	credentials, err := c.prepare(ctx, h, t)
	if err != nil {
		return err
	}
	return c.serve(ctx, s, h, t, listener, func(base string) {
		for _, one := range credentials {
			fmt.Fprintf(t.out, "%s\n  x-client-id:     %s\n  x-client-secret: %s\n", one.title, one.id, one.secret)
		}
		fmt.Fprintf(t.out, "GraphiQL: %s%s\n", base, graphiql.FirstQuery)
		if c.Open {
			if err := browse(ctx, base+graphiql.FirstQuery); err != nil {
				fmt.Fprintln(t.err, "Cannot open a browser: open the address above.")
			}
		}
	})
}

// prepare creates the credentials before the data: they mark an interrupted demo, which is then completed.
func (c *demoCommand) prepare(ctx context.Context, h *gateway.Backend, t terminal) ([]demoCredential, error) {
	known, err := h.Store.Credentials(ctx)
	if err != nil {
		return nil, err
	}
	finished, err := demo.Finished(ctx, h.Store)
	if err != nil {
		return nil, err
	}
	ours := slices.ContainsFunc(known, func(c *backoffice.Credential) bool { return c.Name == demoCredentials[0].name })
	if !finished && !ours {
		if empty, err := isEmpty(ctx, h.Store); err != nil {
			return nil, err
		} else if !empty {
			return nil, errors.New("the store has data that are not a demo's; " +
				"pass another one with --database, --files and --keyset")
		}
	}
	if others, err := imported(ctx, h.Store); err != nil {
		return nil, err
	} else if others {
		return nil, errors.New("the store has imported data; run it with backoffice serve, " +
			"or pass another one for the demo with --database, --files and --keyset")
	}
	credentials, err := makeCredentials(ctx, h.Store, known)
	if err == nil {
		err = c.saveQueries(ctx, h.Store)
	}
	if err != nil || finished {
		return credentials, err
	}
	bar := newProgress(t.err, false)
	filler := &demo.Demo{
		Store: h.Store, Files: h.Files, Keys: h.Keys, Customers: c.Customers, Seed: c.Seed, Now: time.Now(),
		Progress: func(done, all int) { bar.at("customers", int64(done), int64(all)) },
	}
	err = filler.Fill(ctx)
	bar.end()
	return credentials, err
}

// imported reports whether records were imported, even after a demo. Such a store has real data, and must not get a
// credential with every scope. The log is short: a demo's own records are not in it, and users try few changes.
func imported(ctx context.Context, store backoffice.Store) (bool, error) {
	for after := int64(0); ; {
		page, err := store.Changes(ctx, after, listPage)
		if err != nil || len(page) == 0 {
			return false, err
		}
		for _, change := range page {
			after = change.Sequence
			if change.Noun != backoffice.NounAdministration && (change.Action == "import" || change.Action == "pull") {
				return true, nil
			}
		}
	}
}

// saveQueries trusts the demo's queries, like documents trust with a folder. A second time it changes nothing.
func (c *demoCommand) saveQueries(ctx context.Context, store backoffice.Store) error {
	documents, err := trusted.ReadFolder(demo.Queries(), "queries")
	if err != nil {
		return err
	}
	checked, err := trusted.Check(gateway.NewDocumentChecker(c.Limits), documents)
	if err != nil {
		return err
	}
	act := backoffice.Trusting{Set: "demo", Documents: checked, Now: backoffice.InstantOf(time.Now())}
	_, err = act.Trust(ctx, store)
	return err
}

// demoOverlap is how long the previous demo's secrets stay valid: it can still run, at another address.
const demoOverlap = 24 * time.Hour

// makeCredentials rotates the live credentials and creates the others.
func makeCredentials(
	ctx context.Context, store backoffice.CredentialStore, known []*backoffice.Credential,
) ([]demoCredential, error) {
	now := backoffice.InstantOf(time.Now())
	made := make([]demoCredential, len(demoCredentials))
	for i, wanted := range demoCredentials {
		made[i].title = wanted.title
		live := func(c *backoffice.Credential) bool { return c.Name == wanted.name && c.Live(now) }
		at := slices.IndexFunc(known, live)
		var err error
		if at >= 0 {
			made[i].id = known[at].ID
			made[i].secret, err = auth.Rotate(ctx, store, known[at].ID, demoOverlap)
		} else {
			var issued *backoffice.Credential
			if issued, made[i].secret, err = auth.Issue(ctx, store, wanted.name, wanted.scopes, 0); err == nil {
				made[i].id = issued.ID
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return made, nil
}

// isEmpty reports whether a store has no records of the kinds that a demo makes.
func isEmpty(ctx context.Context, store backoffice.Store) (bool, error) {
	customers, noCustomers := backoffice.CountAll(ctx, store.Customers(), backoffice.CustomerCriteria{})
	years, noYears := backoffice.CountAll(ctx, store.FinancialYears(), backoffice.FinancialYearCriteria{})
	users, noUsers := backoffice.CountAll(ctx, store.Users(), backoffice.UserCriteria{})
	labels, noLabels := backoffice.CountAll(ctx, store.Labels(), backoffice.LabelCriteria{})
	return customers+years+users+labels == 0, errors.Join(noCustomers, noYears, noUsers, noLabels)
}
