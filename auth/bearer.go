package auth

import (
	"context"
	"net/http"
	"strings"

	"example.org/backoffice/backoffice"
)

// People checks the access tokens of people. Requests share what it returns: do not change it.
type People interface {
	// Authenticate returns the person of a token. Errors: Unauthenticated, including ErrTokenEnded; Forbidden for a
	// person without rights; Unavailable when the issuer's keys are unknown and cannot be fetched.
	Authenticate(ctx context.Context, token string) (*backoffice.Principal, error)
	// Live returns the person as they are now, from an earlier result. Errors: Unauthenticated, Forbidden.
	Live(person *backoffice.Principal) (*backoffice.Principal, error)
	// Linked returns the person that a signed path was made for, by Person.Link. Errors: Unauthenticated, Forbidden.
	Linked(link string) (*backoffice.Principal, error)
}

// ErrTokenEnded rejects an expired access token. It is not a failed sign-in.
var ErrTokenEnded error = backoffice.Errorf(backoffice.Unauthenticated, "the access token has expired; get a new one")

const maxToken = 16 << 10 // bytes of an access token

// bearerOf returns the access token in the values of the header Authorization (RFC 6750); "" when it cannot be one.
// Other schemes are ignored. BadInput for more than one token.
func bearerOf(values []string) (token string, given bool, err error) {
	for _, value := range values {
		scheme, rest, _ := strings.Cut(value, " ")
		if !strings.EqualFold(scheme, "Bearer") {
			continue
		}
		if given {
			return "", true, backoffice.Errorf(backoffice.BadInput, "send only one access token")
		}
		given, token = true, strings.Trim(rest, " ")
	}
	if len(token) > maxToken || strings.ContainsFunc(token, notOfToken) {
		token = ""
	}
	return token, given, nil
}

func notOfToken(c rune) bool {
	return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_' && c != '.'
}

// bearer returns the access token of a request; given is false without one, and when nobody can check it. BadInput for
// a credential alongside it: the request would have two principals.
func (a *Authenticator) bearer(header http.Header) (token string, given bool, err error) {
	if a.People == nil {
		return "", false, nil
	}
	token, given, err = bearerOf(header["Authorization"])
	if err == nil && given && (header[ClientIDHeader] != nil || header[ClientSecretHeader] != nil) {
		err = backoffice.Errorf(backoffice.BadInput, "send a credential or an access token, not both")
	}
	return token, given, err
}

func (a *Authenticator) Challenging(refuse Refuse) func(http.ResponseWriter, *http.Request, error) {
	return func(w http.ResponseWriter, r *http.Request, err error) {
		a.Challenge(w, r, err)
		refuse(w, r, err)
	}
}

// Challenge tells a client which header to sign in with, and what is wrong with the token that it sent.
func (a *Authenticator) Challenge(w http.ResponseWriter, r *http.Request, err error) {
	if a.People == nil {
		return
	}
	_, given, _ := bearerOf(r.Header["Authorization"])
	switch kind := backoffice.KindOf(err); {
	case kind == backoffice.Unauthenticated && given:
		w.Header().Set("WWW-Authenticate", `Bearer error="invalid_token"`)
	case kind == backoffice.Unauthenticated:
		w.Header().Set("WWW-Authenticate", "Bearer")
	case kind == backoffice.Forbidden:
		w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope"`)
	}
}

var (
	errNoToken = backoffice.Errorf(backoffice.Unauthenticated,
		"the header authorization does not have a signed access token")
	errNobody = backoffice.Errorf(backoffice.Unauthenticated, "send a valid credential in the headers "+
		"x-client-id and x-client-secret, or a valid access token in authorization")
)
