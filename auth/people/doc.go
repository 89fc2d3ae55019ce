// Package people signs in people by OpenID Connect: it checks their access tokens (RFC 9068) by the keys of one
// issuer, and maps claims to scopes and a restriction by a file.
//
// It knows no API and no store, and holds no session: a token is all there is of one. No token, and no claim but the
// subject, reaches a log or an error.
package people
