package gateway

import (
	"context"
	"net/http"

	"example.org/backoffice/auth"
	"example.org/backoffice/graphqlhttp"
	"example.org/backoffice/httpserver"
	"example.org/backoffice/privacy"
)

// signIn gives what a socket does the context that middlewares give a request with a valid pair.
func (s server) signIn(throttle *auth.Throttle) func(context.Context, *http.Request, graphqlhttp.Pair) (context.Context, error) {
	return func(ctx context.Context, r *http.Request, pair graphqlhttp.Pair) (context.Context, error) {
		principal, _, err := auth.SignIn(ctx, s.authenticator, throttle, s.proxies.ClientAddress(r), sentBy(pair))
		if err != nil {
			return nil, err
		}
		header := r.Header
		if pair.Purpose != "" {
			header = http.Header{privacy.PurposeHeader: {pair.Purpose}}
		}
		purpose, err := privacy.PurposeOf(header)
		if err != nil {
			return nil, err
		}
		httpserver.NoteClient(ctx, principal)
		return s.backend.Vault.WithLedger(auth.WithPrincipal(ctx, principal), principal, purpose), nil
	}
}

// sentBy are the headers for which a socket's first message stands.
func sentBy(pair graphqlhttp.Pair) http.Header {
	sent := http.Header{}
	for name, value := range map[string]string{auth.ClientIDHeader: pair.ClientID, auth.ClientSecretHeader: pair.ClientSecret, "Authorization": pair.Authorization} {
		if value != "" {
			sent.Set(name, value)
		}
	}
	return sent
}

func (s server) connect(ctx context.Context) (own context.Context, leave func(), err error) {
	return s.feed.Connect(ctx, auth.From(ctx))
}
