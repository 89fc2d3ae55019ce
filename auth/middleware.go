package auth

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"time"

	"example.org/backoffice/backoffice"
)

// The headers of a credential pair, which every request carries that has no access token.
const (
	ClientIDHeader     = "X-Client-Id"
	ClientSecretHeader = "X-Client-Secret"
)

const maxHeader = 256 // bytes of a client id or secret; longer ones are not ours and are not looked up

// Refuse answers a request with an error, in the format of an API. Retry-After is set already where it belongs.
type Refuse func(w http.ResponseWriter, r *http.Request, err error)

// Middleware lets requests with a valid pair through, with the principal in their context. refuse gets, for the others,
// Unauthenticated (401), RateLimited (429, Retry-After) after too many failures of one client, and Unavailable (503,
// Retry-After) when nothing can be decided. The secret is checked before the throttle is asked, so that a right
// one is never slowed.
func Middleware(authenticator *Authenticator, throttle *Throttle, proxies Proxies, refuse Refuse) func(http.Handler) http.Handler {
	return admit(authenticator, authenticator.Challenging(refuse), func(w http.ResponseWriter, r *http.Request) (*backoffice.Principal, error) {
		principal, wait, err := SignIn(r.Context(), authenticator, throttle, proxies.ClientAddress(r), r.Header)
		if wait > 0 {
			w.Header().Set("Retry-After", backoffice.WholeSeconds(wait))
		}
		return principal, err
	})
}

// SignIn checks what a client sent in headers, or by another way as if in them. Errors are those that Middleware has
// for refuse; wait is for how long the client is to wait when it is RateLimited.
func SignIn(ctx context.Context, authenticator *Authenticator, throttle *Throttle, client netip.Addr, sent http.Header) (principal *backoffice.Principal, wait time.Duration, err error) {
	token, given, err := authenticator.bearer(sent)
	switch {
	case err != nil:
		return nil, 0, err
	case given && token == "":
		err = errNoToken
	case given:
		principal, err = authenticator.People.Authenticate(ctx, token)
	default:
		principal, err = authenticator.Authenticate(ctx, client, header(sent, ClientIDHeader), header(sent, ClientSecretHeader))
		if authenticator.People != nil && errors.Is(err, errUnauthenticated) {
			err = errNobody
		}
	}
	if backoffice.KindOf(err) == backoffice.Unauthenticated && !errors.Is(err, ErrTokenEnded) {
		if wait = throttle.Failed(client); wait > 0 {
			err = backoffice.Errorf(backoffice.RateLimited, "too many failed sign-ins from this address; try again later")
		}
	}
	return principal, wait, err
}

// Admit does for a signed path what Middleware does for headers: linkOf checks the signature and tells for whom it was
// made, by Principal.Link; that pair has to be live and the client in its networks, or that person live. A link that
// has ended is no attempt to sign in and is not counted as one.
func Admit(authenticator *Authenticator, proxies Proxies, linkOf func(*http.Request) (string, error), refuse Refuse) func(http.Handler) http.Handler {
	return admit(authenticator, refuse, func(_ http.ResponseWriter, r *http.Request) (*backoffice.Principal, error) {
		link, err := linkOf(r)
		if err != nil {
			return nil, err
		}
		return authenticator.Linked(r.Context(), proxies.ClientAddress(r), link)
	})
}

// admit lets requests through for which there is a principal, and refuses the others.
func admit(authenticator *Authenticator, refuse Refuse, principalOf func(http.ResponseWriter, *http.Request) (*backoffice.Principal, error)) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			principal, err := principalOf(w, r)
			if err != nil {
				if backoffice.KindOf(err) == backoffice.Unavailable { // what will pass by itself
					w.Header().Set("Retry-After", backoffice.WholeSeconds(time.Second))
				}
				refuse(w, r, err)
				return
			}
			own, end := authenticator.Begin(r.Context(), principal, w)
			defer end()
			next.ServeHTTP(w, r.WithContext(own))
		})
	}
}

// header reads a header that must be there once; otherwise it is as good as none.
func header(sent http.Header, name string) string {
	values := sent[name]
	if len(values) != 1 || len(values[0]) > maxHeader {
		return ""
	}
	return values[0]
}
