package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
)

type credentialsCommand struct {
	Create   credentialsCreateCommand   `cmd:"" help:"Create a credential pair and print its secret, which cannot be seen again."`
	List     credentialsListCommand     `cmd:"" help:"List the credential pairs, without their secrets."`
	Rotate   credentialsRotateCommand   `cmd:"" help:"Give a pair a new secret and print it; the old one stays live for a while."`
	Scopes   credentialsScopesCommand   `cmd:"" help:"Give a living pair scopes, and take scopes from it."`
	Networks credentialsNetworksCommand `cmd:"" help:"Add or remove networks that a live credential may sign in from."`
	Extend   credentialsExtendCommand   `cmd:"" help:"Give a living pair another end."`
	Revoke   credentialsRevokeCommand   `cmd:"" help:"End a pair and its secrets for good."`
}

type credentialsCreateCommand struct {
	Name        string   `required:"" placeholder:"NAME" help:"What the pair is for; its holder and the register see it."`
	Scope       []string `placeholder:"SCOPE" predictor:"scope" help:"A scope; may be repeated. One of ${scopes}."`
	FromNetwork []string `placeholder:"NETWORK" help:"The pair works from this network alone, such as 192.0.2.0/24, 2001:db8::/32 or an address; may be repeated."`
	Documents   string   `enum:"trusted,any" default:"any" help:"Which GraphQL documents the pair may send: any, or trusted for those alone that documents trust has stored (${default})."`
	NoDeletes   bool     `help:"The pair may delete nothing, whatever its scopes: for a portal that uploads and reads."`
	lifeFlags
	restrictionFlags
	JSON        bool `name:"json" help:"Print one JSON object with clientId and clientSecret, and nothing else."`
	scopes      []backoffice.Scope
	expires     backoffice.Instant
	networks    backoffice.Networks
	made        string
	restriction backoffice.Restriction
}

func (c *credentialsCreateCommand) Validate() (err error) {
	if c.scopes, err = parseAll("--scope", c.Scope, backoffice.ParseScope); err == nil {
		c.expires, err = c.end(time.Now())
	}
	if err == nil {
		if c.networks, err = backoffice.NewNetworks(c.FromNetwork); err != nil {
			err = fmt.Errorf("--from-network: %w", err)
		}
	}
	if err == nil {
		c.restriction, err = c.read()
	}
	return err
}

// parseAll parses the values of a flag.
func parseAll[T any](flag string, names []string, parse func(string) (T, error)) (all []T, err error) {
	for _, name := range names {
		one, err := parse(name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", flag, err)
		}
		all = append(all, one)
	}
	return all, nil
}

func (c *credentialsCreateCommand) Run(ctx context.Context, store backoffice.Store, t terminal) error {
	now := backoffice.InstantOf(time.Now())
	pair, err := backoffice.NewCredential(backoffice.NewID(), c.Name, c.scopes, now, c.expires)
	if err != nil {
		return err
	}
	c.made = pair.ID
	pair.TrustedOnly, pair.Restriction, pair.Networks = c.Documents == "trusted", c.restriction, c.networks
	pair.NoDeletes = c.NoDeletes
	if err := c.restriction.CheckNamed(ctx, store); err != nil {
		return flagged(err)
	}
	secret, err := auth.IssuePair(ctx, store, pair, now)
	if err != nil {
		return err
	}
	if err := printPair(t, c.JSON, pair.ID, secret); err != nil || c.JSON {
		return err
	}
	return printEnd(t, c.expires)
}

func printPair(t terminal, asJSON bool, id, secret string) error {
	if asJSON {
		return json.NewEncoder(t.out).Encode(struct {
			ClientID     string `json:"clientId"`
			ClientSecret string `json:"clientSecret"`
		}{id, secret})
	}
	return printed(fmt.Fprintf(t.out, "x-client-id:     %s\nx-client-secret: %s\n"+
		"The secret cannot be shown again; keep it now.\n", id, secret))
}

type credentialsListCommand struct{ formatFlag }

func (c *credentialsListCommand) Run(ctx context.Context, store backoffice.Store, t terminal) error {
	pairs, err := store.Credentials(ctx)
	if err != nil {
		return err
	}
	now := backoffice.InstantOf(time.Now())
	columns := []string{"clientId", "name", "state", "scopes", "liveSecrets", "createdAt", "expiresAt", "revokedAt",
		"documents", "deletes", "sees", "networks", "lastUsedAt", "warning"}
	return listAll(c.formatFlag, t.out, columns, pairs, func(pair *backoffice.Credential) []any {
		live := 0
		for _, secret := range pair.Secrets {
			if pair.Live(now) && secret.Live(now) {
				live++
			}
		}
		return []any{pair.ID, pair.Name, stateOf(pair, now), backoffice.NamesOf(pair.Scopes), live,
			moment(pair.CreatedAt), moment(pair.ExpiresAt), moment(pair.RevokedAt),
			map[bool]string{true: "trusted", false: "any"}[pair.TrustedOnly],
			map[bool]string{true: "none", false: "any"}[pair.NoDeletes],
			seenBy(pair), pair.Networks.Texts(), dayOf(pair.LastUsedAt), warningOf(pair, now)}
	})
}

func stateOf(pair *backoffice.Credential, now backoffice.Instant) string {
	switch {
	case !pair.RevokedAt.IsZero():
		return "revoked"
	case !pair.Live(now):
		return "expired"
	}
	return "live"
}

func moment(at backoffice.Instant) any {
	if at.IsZero() {
		return nil
	}
	return at.String()
}

type credentialsRotateCommand struct {
	ID      string        `arg:"" help:"The pair's client id."`
	Overlap time.Duration `default:"168h" help:"How long the old secret stays live (${default})."`
	JSON    bool          `name:"json" help:"Print one JSON object with clientId and clientSecret, and nothing else."`
}

func (c *credentialsRotateCommand) Validate() error {
	return notNegative("--overlap", c.Overlap, "168h")
}

func (c *credentialsRotateCommand) Run(ctx context.Context, store backoffice.Store, t terminal) error {
	secret, err := auth.Rotate(ctx, store, c.ID, c.Overlap)
	if err != nil {
		return orUnknown(err, unknownPair)
	}
	return printPair(t, c.JSON, c.ID, secret)
}

type credentialsScopesCommand struct {
	ID          string   `arg:"" help:"The pair's client id."`
	Add         []string `placeholder:"SCOPE" predictor:"scope" help:"A scope to give to the pair; may be repeated."`
	Remove      []string `placeholder:"SCOPE" predictor:"scope" help:"A scope to take from the pair; may be repeated."`
	add, remove []backoffice.Scope
}

func (c *credentialsScopesCommand) Validate() (err error) {
	if c.add, err = parseAll("--add", c.Add, backoffice.ParseScope); err == nil {
		c.remove, err = parseAll("--remove", c.Remove, backoffice.ParseScope)
	}
	if err == nil && len(c.Add)+len(c.Remove) == 0 {
		err = errors.New("--add or --remove says which scope")
	}
	return err
}

func (c *credentialsScopesCommand) Run(ctx context.Context, store backoffice.Store, t terminal) error {
	has, err := auth.ChangeScopes(ctx, store, c.ID, c.add, c.remove)
	if err != nil {
		return orUnknown(err, unknownPair)
	}
	names := cmp.Or(strings.Join(backoffice.NamesOf(has), " "), "none")
	return printed(fmt.Fprintf(t.out, "The pair's scopes: %s\nRunning servers obey within 5 seconds.\n", names))
}

type credentialsNetworksCommand struct {
	ID          string   `arg:"" help:"The pair's client id."`
	Add         []string `placeholder:"NETWORK" help:"A network from which the pair works, such as 192.0.2.0/24; may be repeated."`
	Remove      []string `placeholder:"NETWORK" help:"A network from which it does not work any more; may be repeated."`
	add, remove backoffice.Networks
}

func (c *credentialsNetworksCommand) Validate() (err error) {
	if c.add, err = backoffice.NewNetworks(c.Add); err != nil {
		return fmt.Errorf("--add: %w", err)
	}
	if c.remove, err = backoffice.NewNetworks(c.Remove); err != nil {
		return fmt.Errorf("--remove: %w", err)
	}
	if len(c.Add)+len(c.Remove) == 0 {
		err = errors.New("--add or --remove says which network")
	}
	return err
}

func (c *credentialsNetworksCommand) Run(ctx context.Context, store backoffice.Store, t terminal) error {
	has, err := auth.ChangeNetworks(ctx, store, c.ID, c.add, c.remove)
	if err != nil {
		return orUnknown(err, unknownPair)
	}
	from := cmp.Or(has.String(), "everywhere")
	return printed(fmt.Fprintf(t.out, "The pair works from: %s\nRunning servers obey within 5 seconds.\n", from))
}

type credentialsRevokeCommand struct {
	ID string `arg:"" help:"The pair's client id."`
}

func (c *credentialsRevokeCommand) Run(ctx context.Context, store backoffice.Store, t terminal) error {
	if err := auth.Revoke(ctx, store, c.ID); err != nil {
		return orUnknown(err, unknownPair)
	}
	return printed(fmt.Fprintln(t.out, "The pair is revoked; running servers refuse it within 5 seconds."))
}

const unknownPair = "there is no credential pair with this client id; backoffice credentials list shows them"

// orUnknown says why what a command names was not found, and keeps any other error.
func orUnknown(err error, why string) error {
	if backoffice.KindOf(err) == backoffice.NotFound {
		return errors.New(why)
	}
	return err
}
