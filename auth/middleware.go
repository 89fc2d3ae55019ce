package auth

import (
	"context"
	"net/http"
	"net/netip"
	"strconv"
	"time"

	"example.org/backoffice/backoffice"
)

// The headers that every request carries.
const (
	ClientIDHeader     = "X-Client-Id"
	ClientSecretHeader = "X-Client-Secret"
)

const maxHeader = 256 // bytes of a client id or secret; longer ones are not ours and are not looked up

// Refuse answers a request with an error, in the format of an API. The header Retry-After is set already where it belongs.
type Refuse func(w http.ResponseWriter, r *http.Request, err error)

// Middleware lets requests with a valid pair through, with the principal in their context. refuse gets, for the others,
// Unauthenticated (401), RateLimited (429, Retry-After) after too many failures of one client, and Unavailable (503,
// Retry-After) when nothing can be decided. The secret is checked before the throttle is asked, so that a right
// one is never slowed.
func Middleware(authenticator *Authenticator, throttle *Throttle, proxies Proxies, refuse Refuse) func(http.Handler) http.Handler {
	return admit(refuse, func(w http.ResponseWriter, r *http.Request) (*backoffice.Principal, error) {
		principal, wait, err := SignIn(r.Context(), authenticator, throttle, proxies.ClientAddress(r), header(r, ClientIDHeader), header(r, ClientSecretHeader))
		if wait > 0 {
			setRetryAfter(w, wait)
		}
		return principal, err
	})
}

// SignIn checks a pair that a client gave by another way than headers. Errors are those that Middleware has for refuse; wait is for how
// long the client is to wait when it is RateLimited.
func SignIn(ctx context.Context, authenticator *Authenticator, throttle *Throttle, client netip.Addr, clientID, secret string) (principal *backoffice.Principal, wait time.Duration, err error) {
	if len(clientID) > maxHeader || len(secret) > maxHeader {
		clientID, secret = "", ""
	}
	principal, err = authenticator.Authenticate(ctx, client, clientID, secret)
	if backoffice.KindOf(err) == backoffice.Unauthenticated {
		if wait = throttle.Failed(client); wait > 0 {
			err = backoffice.Errorf(backoffice.RateLimited, "too many failed sign-ins from this address; try again later")
		}
	}
	return principal, wait, err
}

// Admit does for a signed path what Middleware does for headers: clientOf checks the signature and tells for which pair it
// was made, and that pair has to be live and the client in its networks. A link that has ended is no attempt to sign in and is not counted as one.
func Admit(authenticator *Authenticator, proxies Proxies, clientOf func(*http.Request) (string, error), refuse Refuse) func(http.Handler) http.Handler {
	return admit(refuse, func(_ http.ResponseWriter, r *http.Request) (*backoffice.Principal, error) {
		clientID, err := clientOf(r)
		if err != nil {
			return nil, err
		}
		return authenticator.LiveFrom(r.Context(), proxies.ClientAddress(r), clientID)
	})
}

// admit lets requests through for which there is a principal, and refuses the others.
func admit(refuse Refuse, principalOf func(http.ResponseWriter, *http.Request) (*backoffice.Principal, error)) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			principal, err := principalOf(w, r)
			if err != nil {
				if backoffice.KindOf(err) == backoffice.Unavailable { // what will pass by itself
					setRetryAfter(w, time.Second)
				}
				refuse(w, r, err)
				return
			}
			next.ServeHTTP(w, r.WithContext(WithPrincipal(r.Context(), principal)))
		})
	}
}

// setRetryAfter says how many whole seconds to wait, rounded up.
func setRetryAfter(w http.ResponseWriter, wait time.Duration) {
	seconds := int64((wait + time.Second - 1) / time.Second)
	w.Header().Set("Retry-After", strconv.FormatInt(seconds, 10))
}

// header reads a header that must be there once; otherwise it is as good as none.
func header(r *http.Request, name string) string {
	values := r.Header[name]
	if len(values) != 1 || len(values[0]) > maxHeader {
		return ""
	}
	return values[0]
}
