package gateway

import (
	"context"
	"net/http"

	"example.org/backoffice/auth"
	"example.org/backoffice/graphql/graphqlhttp"
	"example.org/backoffice/httpserver"
	"example.org/backoffice/privacy"
)

// signIn authenticates a socket, counts it, and returns the context that middlewares give an authenticated request.
func (s server) signIn(throttle *auth.Throttle) graphqlhttp.SignIn {
	return func(ctx context.Context, r *http.Request, sent http.Header) (graphqlhttp.Connect, error) {
		if sent[privacy.PurposeHeader] == nil {
			sent[privacy.PurposeHeader] = r.Header[privacy.PurposeHeader]
		}
		principal, _, err := auth.SignIn(ctx, s.authenticator, throttle, s.proxies.ClientAddress(r), sent)
		if err != nil {
			return nil, err
		}
		purpose, err := privacy.PurposeOf(sent)
		if err != nil {
			return nil, err
		}
		httpserver.NoteClient(ctx, principal)
		return func() (_, _ context.Context, leave func(), err error) {
			own, end := s.authenticator.Begin(ctx, principal)
			own = s.budgets.withCharges(s.backend.Vault.WithLedger(own, principal, purpose))
			open, left, err := s.feed.Connect(own, principal)
			if err != nil {
				end()
				return nil, nil, nil, err
			}
			return own, open, func() { left(); end() }, nil
		}, nil
	}
}
