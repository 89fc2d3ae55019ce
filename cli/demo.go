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
	Customers int    `default:"1000" placeholder:"N" help:"How many customers to make in an empty store (${default}); a million works too."`
	Open      bool   `help:"Open GraphiQL in the browser. Sign in there by what is printed."`
	Seed      uint64 `default:"1" placeholder:"NUMBER" help:"The same seed makes the same data (${default})."`
}

// Validate requires as many customers as identifiers have digits for.
func (c *demoCommand) Validate() error {
	if c.Customers < 1 || c.Customers > 9_999_999 {
		return errors.New("--customers is 1 to 9999999")
	}
	return nil
}

// demoPairs are the two pairs of a demo, found again by their names.
var demoPairs = []struct {
	title, name string
	scopes      []backoffice.Scope
}{
	{"Every scope", "demo: every scope", backoffice.AllScopes},
	{"Without privacy.read", "demo: without privacy.read", slices.DeleteFunc(slices.Clone(backoffice.AllScopes),
		func(scope backoffice.Scope) bool { return scope == backoffice.PrivacyRead })},
}

// demoPair is a pair with the secret of this start.
type demoPair struct{ title, id, secret string }

// Run fills the store unless it is filled, makes or rotates the pairs, prints them and serves.
func (c *demoCommand) Run(ctx context.Context, s *settings, t terminal) error {
	if !s.Embedded() {
		return errors.New("demo fills an embedded store: --database sqlite:PATH")
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
	pairs, err := c.prepare(ctx, h, t)
	if err != nil {
		return err
	}
	return c.serve(ctx, s, h, t, listener, func(base string) {
		for _, pair := range pairs {
			fmt.Fprintf(t.out, "%s\n  x-client-id:     %s\n  x-client-secret: %s\n", pair.title, pair.id, pair.secret)
		}
		fmt.Fprintf(t.out, "GraphiQL: %s%s\n", base, graphiql.FirstQuery)
		if c.Open {
			if err := browse(ctx, base+graphiql.FirstQuery); err != nil {
				fmt.Fprintln(t.err, "No browser could be opened: open the address above.")
			}
		}
	})
}

// prepare makes the pairs before the data: they mark an interrupted demo, which is then filled to the end.
func (c *demoCommand) prepare(ctx context.Context, h *gateway.Backend, t terminal) ([]demoPair, error) {
	known, err := h.Store.Credentials(ctx)
	if err != nil {
		return nil, err
	}
	finished, err := demo.Finished(ctx, h.Store)
	if err != nil {
		return nil, err
	}
	ours := slices.ContainsFunc(known, func(pair *backoffice.Credential) bool { return pair.Name == demoPairs[0].name })
	if !finished && !ours {
		if empty, err := isEmpty(ctx, h.Store); err != nil {
			return nil, err
		} else if !empty {
			return nil, errors.New("the store holds data that are no demo's; " +
				"name another file with --database, --files and --keyset")
		}
	}
	if others, err := broughtIn(ctx, h.Store); err != nil {
		return nil, err
	} else if others {
		return nil, errors.New("data were imported into the store, which is no demo's any more; serve it with " +
			"backoffice serve, or name another folder for a demo with --database, --files and --keyset")
	}
	pairs, err := makePairs(ctx, h.Store, known)
	if err == nil {
		err = c.saveQueries(ctx, h.Store)
	}
	if err != nil || finished {
		return pairs, err
	}
	bar := newProgress(t.err, false)
	filler := &demo.Demo{
		Store: h.Store, Files: h.Files, Keys: h.Keys, Customers: c.Customers, Seed: c.Seed, Now: time.Now(),
		Progress: func(done, all int) { bar.at("customers", int64(done), int64(all)) },
	}
	err = filler.Fill(ctx)
	bar.end()
	return pairs, err
}

// broughtIn reports whether records were imported, even after a demo. Such a store has real data, and must not get a
// pair with every scope. The log is short: a demo's own records are not in it, and users try few changes.
func broughtIn(ctx context.Context, store backoffice.Store) (bool, error) {
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

// demoOverlap is for how long the secrets of the demo before work: it may still run, at another address.
const demoOverlap = 24 * time.Hour

// makePairs rotates the live pairs and makes the others.
func makePairs(
	ctx context.Context, store backoffice.CredentialStore, known []*backoffice.Credential,
) ([]demoPair, error) {
	now := backoffice.InstantOf(time.Now())
	pairs := make([]demoPair, len(demoPairs))
	for i, wanted := range demoPairs {
		pairs[i].title = wanted.title
		live := func(pair *backoffice.Credential) bool { return pair.Name == wanted.name && pair.Live(now) }
		at := slices.IndexFunc(known, live)
		var err error
		if at >= 0 {
			pairs[i].id = known[at].ID
			pairs[i].secret, err = auth.Rotate(ctx, store, known[at].ID, demoOverlap)
		} else {
			var pair *backoffice.Credential
			if pair, pairs[i].secret, err = auth.Issue(ctx, store, wanted.name, wanted.scopes, 0); err == nil {
				pairs[i].id = pair.ID
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return pairs, nil
}

// isEmpty reports whether a store has no records of the kinds that a demo makes.
func isEmpty(ctx context.Context, store backoffice.Store) (bool, error) {
	customers, noCustomers := count(ctx, store.Customers(), backoffice.CustomerCriteria{})
	years, noYears := count(ctx, store.FinancialYears(), backoffice.FinancialYearCriteria{})
	users, noUsers := count(ctx, store.Users(), backoffice.UserCriteria{})
	labels, noLabels := count(ctx, store.Labels(), backoffice.LabelCriteria{})
	return customers+years+users+labels == 0, errors.Join(noCustomers, noYears, noUsers, noLabels)
}

func count[T any, C comparable](ctx context.Context, rows backoffice.Reader[T, C], criteria C) (int, error) {
	counts, err := backoffice.ReadCounts(ctx, rows, backoffice.Root, criteria, []string{backoffice.NoParent})
	return counts[backoffice.NoParent], err
}
