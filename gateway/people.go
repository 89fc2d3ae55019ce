package gateway

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"example.org/backoffice/auth/people"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/web/graphiql"
)

type PeopleSettings struct {
	Issuer   string `name:"oidc-issuer" env:"BACKOFFICE_OIDC_ISSUER" placeholder:"URL" help:"The issuer URL of the OpenID provider, as spelt in its access tokens. Needs --oidc-audience and --oidc-map."`
	Audience string `name:"oidc-audience" env:"BACKOFFICE_OIDC_AUDIENCE" placeholder:"NAME" help:"The audience of access tokens for this server."`
	Map      string `name:"oidc-map" env:"BACKOFFICE_OIDC_MAP" placeholder:"FILE" predictor:"path" help:"The JSON file that maps claims to scopes and visible customers. It is reloaded when it changes."`
	Client   string `name:"oidc-client" env:"BACKOFFICE_OIDC_CLIENT" placeholder:"ID" help:"The public client with which GraphiQL signs people in. Without it GraphiQL accepts credentials only."`
	Scope    string `name:"oidc-scope" env:"BACKOFFICE_OIDC_SCOPE" placeholder:"SCOPES" help:"The scopes that GraphiQL requests: openid, and those that give tokens the --oidc-audience (openid profile)."`
}

func (s *PeopleSettings) IsSet() bool { return *s != PeopleSettings{} }

func (s *PeopleSettings) open(
	links people.Sealer, records backoffice.Readers, log *slog.Logger, clock func() time.Time,
) (*people.People, error) {
	switch {
	case s.Scope != "" && s.Client == "":
		return nil, errors.New("--oidc-scope needs --oidc-client")
	case s.Scope != "" && !slices.Contains(strings.Fields(s.Scope), "openid"):
		return nil, errors.New("--oidc-scope must include openid")
	}
	return people.New(people.Options{
		Issuer: s.Issuer, Audience: s.Audience, Map: s.Map, Links: links, Records: records, Log: log,
		Now: clock})
}

// provider is the service where GraphiQL lets people sign in, or nil.
func (s *PeopleSettings) provider(p *people.People) *graphiql.Provider {
	if s.Client == "" {
		return nil
	}
	return &graphiql.Provider{Issuer: s.Issuer, Client: s.Client, Scope: cmp.Or(s.Scope, "openid profile"),
		TokenEndpoint: p.TokenEndpoint}
}

// examine checks whether people could sign in. It asks the issuer for its keys, and records, if any, for what the map
// names.
func (s *PeopleSettings) examine(ctx context.Context, records backoffice.Readers, tell func(backoffice.Finding)) {
	if !s.IsSet() {
		return
	}
	p, err := s.open(nil, records, nil, nil)
	if err != nil {
		tell(backoffice.Fail("people", err.Error(), "see docs/signing-in.md"))
		return
	}
	defer p.Close()
	n, err := p.Reach(ctx)
	if err != nil {
		tell(backoffice.Fail("people", err.Error(),
			"check --oidc-issuer, and that this machine can reach it: nobody can sign in without its keys"))
		return
	}
	if s.Client != "" && p.TokenEndpoint(ctx) == "" {
		tell(backoffice.Fail("people", "the issuer publishes no token endpoint",
			"GraphiQL cannot sign people in: leave out --oidc-client"))
		return
	}
	tell(backoffice.Pass("people", fmt.Sprintf("the issuer publishes %s, and the map is valid",
		backoffice.Plural(n, "key", "keys"))))
}
