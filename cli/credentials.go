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
	Create   credentialsCreateCommand   `cmd:"" help:"Create a credential and print its secret, which is not shown again."`
	List     credentialsListCommand     `cmd:"" help:"List credentials, without their secrets."`
	Rotate   credentialsRotateCommand   `cmd:"" help:"Create a new secret for a credential and print it. The old one stays valid for a while."`
	Scopes   credentialsScopesCommand   `cmd:"" help:"Add or remove scopes of an active credential."`
	Networks credentialsNetworksCommand `cmd:"" help:"Add or remove networks that an active credential may sign in from."`
	Extend   credentialsExtendCommand   `cmd:"" help:"Change when an active credential expires."`
	Revoke   credentialsRevokeCommand   `cmd:"" help:"Revoke a credential and its secrets permanently."`
}

type credentialsCreateCommand struct {
	Name        string   `required:"" placeholder:"NAME" help:"What the credential is for. Its holder sees this, and the register records it."`
	Scope       []string `placeholder:"SCOPE" predictor:"scope" help:"A scope. Can be repeated. One of ${scopes}."`
	FromNetwork []string `placeholder:"NETWORK" help:"Allow sign-ins only from this network, such as 192.0.2.0/24, 2001:db8::/32 or an address. Can be repeated."`
	Documents   string   `enum:"trusted,any" default:"any" help:"Which GraphQL documents it may send: any, or trusted for only those that documents trust has stored (${default})."`
	NoDeletes   bool     `help:"Deny all deletions, whatever its scopes: for a portal that uploads and reads."`
	lifeFlags
	restrictionFlags
	JSON        bool `name:"json" help:"Print only a JSON object with clientId and clientSecret."`
	scopes      []backoffice.Scope
	expires     backoffice.Instant
	networks    backoffice.Networks
	made        string
	restriction backoffice.Restriction
}

func (c *credentialsCreateCommand) Validate() (err error) {
	if c.scopes, err = parseAll("--scope", c.Scope, backoffice.ParseScope); err == nil {
		c.expires, err = c.expiry(time.Now())
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
	credential, err := backoffice.NewCredential(backoffice.NewID(), c.Name, c.scopes, now, c.expires)
	if err != nil {
		return err
	}
	c.made = credential.ID
	credential.TrustedOnly, credential.NoDeletes = c.Documents == "trusted", c.NoDeletes
	credential.Restriction, credential.Networks = c.restriction, c.networks
	if err := c.restriction.CheckNamed(ctx, store); err != nil {
		return flagged(err)
	}
	secret, err := auth.Create(ctx, store, credential, now)
	if err != nil {
		return err
	}
	if err := printSecret(t, c.JSON, credential.ID, secret); err != nil || c.JSON {
		return err
	}
	return printExpiry(t, c.expires)
}

func printSecret(t terminal, asJSON bool, id, secret string) error {
	if asJSON {
		return json.NewEncoder(t.out).Encode(struct {
			ClientID     string `json:"clientId"`
			ClientSecret string `json:"clientSecret"`
		}{id, secret})
	}
	return printed(fmt.Fprintf(t.out, "x-client-id:     %s\nx-client-secret: %s\n"+
		"Save the secret now: it is not shown again.\n", id, secret))
}

type credentialsListCommand struct{ formatFlag }

func (c *credentialsListCommand) Run(ctx context.Context, store backoffice.Store, t terminal) error {
	credentials, err := store.Credentials(ctx)
	if err != nil {
		return err
	}
	now := backoffice.InstantOf(time.Now())
	columns := []string{"clientId", "name", "state", "scopes", "liveSecrets", "createdAt", "expiresAt", "revokedAt",
		"documents", "deletes", "sees", "networks", "lastUsedAt", "warning"}
	return listAll(c.formatFlag, t.out, columns, credentials, func(one *backoffice.Credential) []any {
		live := 0
		for _, secret := range one.Secrets {
			if one.Live(now) && secret.Live(now) {
				live++
			}
		}
		return []any{one.ID, one.Name, stateOf(one, now), backoffice.NamesOf(one.Scopes), live,
			given(one.CreatedAt), given(one.ExpiresAt), given(one.RevokedAt),
			map[bool]string{true: "trusted", false: "any"}[one.TrustedOnly],
			map[bool]string{true: "none", false: "any"}[one.NoDeletes],
			seenBy(one), one.Networks.Texts(), dayOf(one.LastUsedAt), warningOf(one, now)}
	})
}

func stateOf(credential *backoffice.Credential, now backoffice.Instant) string {
	switch {
	case !credential.RevokedAt.IsZero():
		return "revoked"
	case !credential.Live(now):
		return "expired"
	}
	return "live"
}

type credentialsRotateCommand struct {
	ID      string        `arg:"" help:"The credential's client id."`
	Overlap time.Duration `default:"168h" help:"How long the old secret stays valid (${default})."`
	JSON    bool          `name:"json" help:"Print only a JSON object with clientId and clientSecret."`
}

func (c *credentialsRotateCommand) Validate() error {
	return notNegative("--overlap", c.Overlap, "168h")
}

func (c *credentialsRotateCommand) Run(ctx context.Context, store backoffice.Store, t terminal) error {
	secret, err := auth.Rotate(ctx, store, c.ID, c.Overlap)
	if err != nil {
		return orUnknown(err, unknownCredential)
	}
	return printSecret(t, c.JSON, c.ID, secret)
}

type credentialsScopesCommand struct {
	ID          string   `arg:"" help:"The credential's client id."`
	Add         []string `placeholder:"SCOPE" predictor:"scope" help:"A scope to add. Can be repeated."`
	Remove      []string `placeholder:"SCOPE" predictor:"scope" help:"A scope to remove. Can be repeated."`
	add, remove []backoffice.Scope
}

func (c *credentialsScopesCommand) Validate() (err error) {
	if c.add, err = parseAll("--add", c.Add, backoffice.ParseScope); err == nil {
		c.remove, err = parseAll("--remove", c.Remove, backoffice.ParseScope)
	}
	if err == nil && len(c.Add)+len(c.Remove) == 0 {
		err = errors.New("pass a scope with --add or --remove")
	}
	return err
}

func (c *credentialsScopesCommand) Run(ctx context.Context, store backoffice.Store, t terminal) error {
	var has []backoffice.Scope
	err := auth.Change(ctx, store, c.ID, func(of *backoffice.Credential, now backoffice.Instant) error {
		err := of.ChangeScopes(c.add, c.remove, now)
		has = of.Scopes
		return err
	})
	if err != nil {
		return orUnknown(err, unknownCredential)
	}
	names := cmp.Or(strings.Join(backoffice.NamesOf(has), " "), "none")
	return printed(fmt.Fprintf(t.out, "Scopes: %s\nServers apply this within 5 seconds.\n", names))
}

type credentialsNetworksCommand struct {
	ID          string   `arg:"" help:"The credential's client id."`
	Add         []string `placeholder:"NETWORK" help:"A network to allow, such as 192.0.2.0/24. Can be repeated."`
	Remove      []string `placeholder:"NETWORK" help:"A network to remove. Can be repeated."`
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
		err = errors.New("pass a network with --add or --remove")
	}
	return err
}

func (c *credentialsNetworksCommand) Run(ctx context.Context, store backoffice.Store, t terminal) error {
	var has backoffice.Networks
	err := auth.Change(ctx, store, c.ID, func(of *backoffice.Credential, now backoffice.Instant) error {
		err := of.ChangeNetworks(c.add, c.remove, now)
		has = of.Networks
		return err
	})
	if err != nil {
		return orUnknown(err, unknownCredential)
	}
	from := cmp.Or(has.String(), "all")
	return printed(fmt.Fprintf(t.out, "Networks: %s\nServers apply this within 5 seconds.\n", from))
}

type credentialsRevokeCommand struct {
	ID string `arg:"" help:"The credential's client id."`
}

func (c *credentialsRevokeCommand) Run(ctx context.Context, store backoffice.Store, t terminal) error {
	if err := auth.Revoke(ctx, store, c.ID); err != nil {
		return orUnknown(err, unknownCredential)
	}
	return printed(fmt.Fprintln(t.out, "The credential is revoked; servers reject it within 5 seconds."))
}

const unknownCredential = "no credential has this client id: run backoffice credentials list"

// orUnknown returns why the object of a command was not found, or any other error as it is.
func orUnknown(err error, why string) error {
	if backoffice.KindOf(err) == backoffice.NotFound {
		return errors.New(why)
	}
	return err
}
