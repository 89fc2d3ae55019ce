package auth

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"time"

	"example.org/backoffice/backoffice"
)

// The headers of a credential. Every request has them, or an access token.
const (
	ClientIDHeader     = "X-Client-Id"
	ClientSecretHeader = "X-Client-Secret"
)

const maxHeader = 256 // bytes of a client id or secret; longer ones are not ours

// Refuse answers a request with an error, in the format of an API. Retry-After is set already where needed.
type Refuse func(w http.ResponseWriter, r *http.Request, err error)

// Middleware lets requests with a valid credential through, with the principal in their context. For others it calls
// refuse: Unauthenticated (401), RateLimited (429, Retry-After) after too many failures of one client, and Unavailable
// (503, Retry-After) when nothing can be decided. A valid secret always works: it is checked first.
func Middleware(
	authenticator *Authenticator, throttle *Throttle, proxies Proxies, refuse Refuse) func(http.Handler) http.Handler {
	signIn := func(w http.ResponseWriter, r *http.Request) (*backoffice.Principal, error) {
		principal, wait, err := SignIn(r.Context(), authenticator, throttle, proxies.ClientAddress(r), r.Header)
		if wait > 0 {
			w.Header().Set("Retry-After", backoffice.WholeSeconds(wait))
		}
		return principal, err
	}
	return admit(authenticator, authenticator.Challenging(refuse), signIn)
}

// SignIn checks what a client sent in headers, or by another way as if in headers. Errors are those of Middleware; wait
// is how long the client has to wait when it is RateLimited.
func SignIn(ctx context.Context, authenticator *Authenticator, throttle *Throttle, client netip.Addr, sent http.Header,
) (principal *backoffice.Principal, wait time.Duration, err error) {
	token, given, err := authenticator.bearer(sent)
	switch {
	case err != nil:
		return nil, 0, err
	case given && token == "":
		err = errNoToken
	case given:
		principal, err = authenticator.People.Authenticate(ctx, token)
	default:
		principal, err = authenticator.Authenticate(
			ctx, client, header(sent, ClientIDHeader), header(sent, ClientSecretHeader))
		if authenticator.People != nil && errors.Is(err, errUnauthenticated) {
			err = errNobody
		}
	}
	if backoffice.KindOf(err) == backoffice.Unauthenticated && !errors.Is(err, ErrTokenEnded) {
		if wait = throttle.Failed(client); wait > 0 {
			err = backoffice.Errorf(backoffice.RateLimited,
				"too many failed sign-ins from this address; try again later")
		}
	}
	return principal, wait, err
}

// Admit does for a signed path what Middleware does for headers. linkOf checks the signature and returns the
// Principal.Link that it was made for. That credential must be live and the client in its networks, or that person
// live. A link that has ended is no attempt to sign in and does not count as a failure.
func Admit(authenticator *Authenticator, proxies Proxies, linkOf func(*http.Request) (string, error), refuse Refuse,
) func(http.Handler) http.Handler {
	return admit(authenticator, refuse, func(_ http.ResponseWriter, r *http.Request) (*backoffice.Principal, error) {
		link, err := linkOf(r)
		if err != nil {
			return nil, err
		}
		return authenticator.Linked(r.Context(), proxies.ClientAddress(r), link)
	})
}

// admit lets requests through that have a principal, and refuses the others.
func admit(authenticator *Authenticator, refuse Refuse,
	find func(http.ResponseWriter, *http.Request) (*backoffice.Principal, error)) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			principal, err := find(w, r)
			if err != nil {
				if backoffice.KindOf(err) == backoffice.Unavailable { // transient
					w.Header().Set("Retry-After", backoffice.WholeSeconds(time.Second))
				}
				refuse(w, r, err)
				return
			}
			own, end := authenticator.beginRequest(w, r, principal)
			defer end()
			next.ServeHTTP(w, own)
		})
	}
}

// header returns a header that was sent exactly once, else "".
func header(sent http.Header, name string) string {
	values := sent[name]
	if len(values) != 1 || len(values[0]) > maxHeader {
		return ""
	}
	return values[0]
}
