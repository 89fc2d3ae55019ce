// Package auth authenticates requests: it checks credentials against a recent copy of the store's, puts the principal
// into the context, checks its scopes, and rejects guessing. It also issues, rotates and revokes credentials.
//
// It knows no API's format: each API passes a function that answers an error. A secret never reaches a log or an error,
// and only its digest is stored.
package auth
