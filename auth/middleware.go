package auth

import (
	"cmp"
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
		principal, err := authenticator.Authenticate(r.Context(), header(r, ClientIDHeader), header(r, ClientSecretHeader))
		if backoffice.KindOf(err) == backoffice.Unauthenticated {
			err = cmp.Or(throttle.refusal(w, proxies.ClientAddress(r)), err)
		}
		return principal, err
	})
}

// Admit does for a signed path what Middleware does for headers: clientOf checks the signature and tells for which pair it
// was made, and that pair has to be live. A link that has ended is no attempt to sign in and is not counted as one.
func Admit(authenticator *Authenticator, clientOf func(*http.Request) (string, error), refuse Refuse) func(http.Handler) http.Handler {
	return admit(refuse, func(_ http.ResponseWriter, r *http.Request) (*backoffice.Principal, error) {
		clientID, err := clientOf(r)
		if err != nil {
			return nil, err
		}
		return authenticator.Live(r.Context(), clientID)
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

// refusal counts a failed sign-in and returns RateLimited, with its header set, when there were too many; else nil.
func (t *Throttle) refusal(w http.ResponseWriter, client netip.Addr) error {
	wait := t.Failed(client)
	if wait <= 0 {
		return nil
	}
	setRetryAfter(w, wait)
	return backoffice.Errorf(backoffice.RateLimited, "too many failed sign-ins from this address; try again later")
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
