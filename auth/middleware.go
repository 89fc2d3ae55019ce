package auth

import (
	"context"
	"net/http"
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

// Refuse answers a request with an error, in the format of a face. The header Retry-After is set already where it belongs.
type Refuse func(w http.ResponseWriter, r *http.Request, err error)

// Middleware lets requests with a valid pair through, with the principal in their context. refuse gets, for the others,
// Unauthenticated (401), RateLimited (429, Retry-After) after too many failures of one client, and Unavailable (503,
// Retry-After) or Timeout when nothing can be decided. The secret is checked before the throttle is asked, so that a right
// one is never slowed.
func Middleware(authenticator *Authenticator, throttle *Throttle, proxies Proxies, refuse Refuse) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			principal, err := authenticator.Authenticate(r.Context(), header(r, ClientIDHeader), header(r, ClientSecretHeader))
			if err != nil {
				refuseSignIn(w, r, throttle, proxies, refuse, err)
				return
			}
			next.ServeHTTP(w, r.WithContext(WithPrincipal(r.Context(), principal)))
		})
	}
}

// Admit does for a signed path what Middleware does for headers: clientOf checks the signature and tells for which pair it
// was made, and that pair has to be live.
func Admit(authenticator *Authenticator, throttle *Throttle, proxies Proxies, clientOf func(*http.Request) (string, error), refuse Refuse) func(http.Handler) http.Handler {
	live := func(ctx context.Context, r *http.Request) (*Principal, error) {
		clientID, err := clientOf(r)
		if err != nil {
			return nil, err
		}
		return authenticator.Live(ctx, clientID)
	}
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			principal, err := live(r.Context(), r)
			if err != nil {
				refuseSignIn(w, r, throttle, proxies, refuse, err)
				return
			}
			next.ServeHTTP(w, r.WithContext(WithPrincipal(r.Context(), principal)))
		})
	}
}

func refuseSignIn(w http.ResponseWriter, r *http.Request, throttle *Throttle, proxies Proxies, refuse Refuse, err error) {
	switch backoffice.KindOf(err) {
	case backoffice.Unauthenticated:
		if wait := throttle.Failed(proxies.ClientAddress(r)); wait > 0 {
			retryAfterHeader(w, wait)
			err = backoffice.Errorf(backoffice.RateLimited, "too many failed sign-ins from this address; try again later")
		}
	case backoffice.Unavailable:
		retryAfterHeader(w, time.Second)
	}
	refuse(w, r, err)
}

// retryAfterHeader says how many whole seconds to wait, rounded up.
func retryAfterHeader(w http.ResponseWriter, wait time.Duration) {
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
