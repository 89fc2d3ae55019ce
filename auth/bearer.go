package auth

import (
	"context"
	"net/http"
	"strings"

	"example.org/backoffice/backoffice"
)

// People checks the access tokens of people. What it returns is shared by requests, and nobody changes it.
type People interface {
	// Authenticate returns whose token it is. Errors: Unauthenticated, ErrTokenEnded among them; Forbidden for
	// somebody to whom nothing is given; Unavailable when the issuer's keys are not known and cannot be asked for.
	Authenticate(ctx context.Context, token string) (*backoffice.Principal, error)
	// Live returns the person as they are now, by what Authenticate or Linked returned. Errors: Unauthenticated,
	// Forbidden.
	Live(person *backoffice.Principal) (*backoffice.Principal, error)
	// Linked returns the person for whom a signed path was made, by Person.Link. Errors: Unauthenticated, Forbidden.
	Linked(link string) (*backoffice.Principal, error)
}

// ErrTokenEnded refuses an access token that was good once. Whoever has it guesses nothing.
var ErrTokenEnded error = backoffice.Errorf(backoffice.Unauthenticated, "the access token has ended; get a new one")

const maxToken = 16 << 10 // bytes of an access token

// bearerOf finds the access token among the values of the header Authorization (RFC 6750); "" for what cannot be one.
// Other schemes are not ours. BadInput for more than one token.
func bearerOf(values []string) (token string, given bool, err error) {
	for _, value := range values {
		scheme, rest, _ := strings.Cut(value, " ")
		if !strings.EqualFold(scheme, "Bearer") {
			continue
		}
		if given {
			return "", true, backoffice.Errorf(backoffice.BadInput, "send one access token")
		}
		given, token = true, strings.Trim(rest, " ")
	}
	if len(token) > maxToken || strings.ContainsFunc(token, notOfToken) {
		token = ""
	}
	return token, given, nil
}

// notOfToken says that a character is in no compact signed token.
func notOfToken(c rune) bool {
	return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_' && c != '.'
}

// bearer returns the access token of a request; given is false where there is none, or nobody to check it. BadInput
// for a pair beside it: it would not be known for whom the request is.
func (a *Authenticator) bearer(header http.Header) (token string, given bool, err error) {
	if a.People == nil {
		return "", false, nil
	}
	token, given, err = bearerOf(header["Authorization"])
	if err == nil && given && (header[ClientIDHeader] != nil || header[ClientSecretHeader] != nil) {
		err = backoffice.Errorf(backoffice.BadInput, "send a credential pair or an access token, not both")
	}
	return token, given, err
}

// Challenging is refuse, and Challenge before it.
func (a *Authenticator) Challenging(refuse Refuse) func(http.ResponseWriter, *http.Request, error) {
	return func(w http.ResponseWriter, r *http.Request, err error) {
		a.Challenge(w, r, err)
		refuse(w, r, err)
	}
}

// Challenge tells a client by which header to sign in, and, of a token that it sent, what is wrong with that.
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
	errNoToken = backoffice.Errorf(backoffice.Unauthenticated, "the access token in the header authorization is none, or not a signed one")
	errNobody  = backoffice.Errorf(backoffice.Unauthenticated, "the headers x-client-id and x-client-secret must hold a valid credential pair, or authorization a valid access token")
)
