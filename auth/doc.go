// Package auth knows who makes a request: it checks credential pairs against a recent copy of the store's, puts the
// principal into the context, asks it for scopes, and slows those who guess. It also issues, rotates and revokes pairs.
//
// It knows no API's answers: each gives it a function that answers an error in its own format. A secret never reaches a
// log or an error, and only its digest is stored.
package auth
