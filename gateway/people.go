package gateway

import (
	"context"
	"fmt"
	"log/slog"
	"slices"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/people"
)

// PeopleSettings say where people sign in, and what they may do here.
type PeopleSettings struct {
	Issuer   string `name:"oidc-issuer" env:"BACKOFFICE_OIDC_ISSUER" placeholder:"URL" help:"The OpenID provider whose access tokens people send, as its tokens spell it. Together with --oidc-audience and --oidc-map."`
	Audience string `name:"oidc-audience" env:"BACKOFFICE_OIDC_AUDIENCE" placeholder:"NAME" help:"What access tokens are for when they are for this server."`
	Map      string `name:"oidc-map" env:"BACKOFFICE_OIDC_MAP" placeholder:"FILE" help:"The JSON file that maps claims to scopes and to which customers a person sees. It is read anew when it changes."`
}

// IsSet says whether people sign in here.
func (s *PeopleSettings) IsSet() bool { return *s != PeopleSettings{} }

func (s *PeopleSettings) open(links people.Sealer, log *slog.Logger) (*people.People, error) {
	return people.New(people.Options{Issuer: s.Issuer, Audience: s.Audience, Map: s.Map, Links: links, Log: log})
}

// Examine looks whether people could sign in. It asks the issuer for its keys.
func (s *PeopleSettings) Examine(ctx context.Context, tell func(backoffice.Finding)) {
	if !s.IsSet() {
		return
	}
	p, err := s.open(nil, nil)
	if err != nil {
		tell(backoffice.Wrong("people", err.Error(), "see docs/signing-in.md"))
		return
	}
	defer p.Close()
	n, err := p.Reach(ctx)
	if err != nil {
		tell(backoffice.Wrong("people", err.Error(), "see --oidc-issuer, and that this machine may reach it: nobody signs in without its keys"))
		return
	}
	tell(backoffice.Fine("people", fmt.Sprintf("the issuer publishes %d keys, and the map can be read", n)))
}

var errOther error = backoffice.Errorf(backoffice.Unauthenticated, "what this person may do was changed; connect again")

// goesOn says whether whoever follows the feed may do so as they began. A person whose map has changed begins anew.
func goesOn(authenticator *auth.Authenticator) func(context.Context, *backoffice.Principal) error {
	return func(ctx context.Context, began *backoffice.Principal) error {
		now, err := authenticator.Live(ctx, began)
		if err == nil && began.Person != nil && (now.Restriction != began.Restriction || !slices.Equal(now.Scopes, began.Scopes)) {
			err = errOther
		}
		return err
	}
}
