package auth

import (
	"context"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
)

func TestAnAccessTokenIsFoundInItsHeaderAndNowhereElse(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]struct {
		values []string
		token  string
		given  bool
		wrong  bool
	}{
		"nothing":               {nil, "", false, false},
		"a token":               {[]string{"Bearer a.b-c_d.e"}, "a.b-c_d.e", true, false},
		"in capitals":           {[]string{"BEARER a.b.c"}, "a.b.c", true, false},
		"with more blanks":      {[]string{"Bearer   a.b.c  "}, "a.b.c", true, false},
		"another scheme":        {[]string{"Basic YTpi"}, "", false, false},
		"beside another scheme": {[]string{"Basic YTpi", "Bearer a.b.c"}, "a.b.c", true, false},
		"a scheme alone":        {[]string{"Bearer"}, "", true, false},
		"two":                   {[]string{"Bearer a.b.c", "bearer a.b.c"}, "", true, true},
		"two in one":            {[]string{"Bearer a.b.c, Bearer a.b.c"}, "", true, false},
		"characters of none":    {[]string{"Bearer a.b.c\x00"}, "", true, false},
		"JSON":                  {[]string{`Bearer {"payload":""}`}, "", true, false},
		"one that is too long":  {[]string{"Bearer " + strings.Repeat("a", maxToken+1)}, "", true, false},
		"a longer scheme":       {[]string{"Bearers a.b.c"}, "", false, false},
	} {
		token, given, err := bearerOf(of.values)
		if token != of.token || given != of.given || (err != nil) != of.wrong {
			t.Errorf("%s: %q %v %v", name, token, given, err)
		}
	}
}

func FuzzBearer(f *testing.F) {
	f.Add("Bearer a.b.c", "")
	f.Add("bearer  a", "Basic x")
	f.Add("Bearer \x00", "Bearer b")
	f.Fuzz(func(t *testing.T, first, other string) {
		token, given, err := bearerOf([]string{first, other})
		if token != "" && (!given || err != nil) || len(token) > maxToken || strings.ContainsFunc(token, notOfToken) {
			t.Errorf("%q %v %v", token, given, err)
		}
	})
}

// ended is people whose tokens have all ended.
type ended struct{ why error }

func (e ended) Authenticate(context.Context, string) (*backoffice.Principal, error) {
	return nil, e.why
}
func (e ended) Live(*backoffice.Principal) (*backoffice.Principal, error) { return nil, e.why }
func (e ended) Linked(string) (*backoffice.Principal, error)              { return nil, e.why }

func TestATokenThatHasEndedIsNoGuess(t *testing.T) {
	t.Parallel()
	for _, of := range []struct {
		why  error
		kind backoffice.Kind
	}{{ErrTokenEnded, backoffice.Unauthenticated}, {errNoToken, backoffice.RateLimited}} {
		a := &Authenticator{People: ended{of.why}}
		throttle, sent := NewThrottle(), http.Header{"Authorization": {"Bearer a.b.c"}}
		var err error
		for range 30 {
			_, _, err = SignIn(t.Context(), a, throttle, netip.MustParseAddr("192.0.2.1"), sent)
		}
		if backoffice.KindOf(err) != of.kind {
			t.Errorf("%v: %v", of.why, err)
		}
	}
}
