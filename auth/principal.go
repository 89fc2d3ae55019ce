package auth

import (
	"context"

	"example.org/backoffice/backoffice"
)

type principalKey struct{}

// WithPrincipal puts the principal into a context, for the store as well, which requests share and nobody changes.
func WithPrincipal(ctx context.Context, principal *backoffice.Principal) context.Context {
	if principal != nil {
		ctx = backoffice.WithRestriction(backoffice.WithSessionOf(ctx, principal), principal.Restriction)
	}
	return context.WithValue(ctx, principalKey{}, principal)
}

// From returns the context's principal; nil when nobody is signed in.
func From(ctx context.Context) *backoffice.Principal {
	principal, _ := ctx.Value(principalKey{}).(*backoffice.Principal)
	return principal
}

// Require returns nil when the context's principal holds a scope; Forbidden, naming the scope, when it does not;
// Unauthenticated when there is none.
func Require(ctx context.Context, scope backoffice.Scope) error {
	principal := From(ctx)
	switch {
	case principal == nil:
		return errUnauthenticated
	case !principal.Has(scope):
		return backoffice.MissingScope(scope)
	}
	return nil
}

// errUnauthenticated is the one answer to every pair that does not work, whatever the reason.
var errUnauthenticated = backoffice.Errorf(backoffice.Unauthenticated, "the headers x-client-id and x-client-secret must hold a valid credential pair")
