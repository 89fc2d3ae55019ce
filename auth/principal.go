package auth

import (
	"context"

	"example.org/backoffice/backoffice"
)

// WithPrincipal puts the principal into a context, also for the store. Requests share it: do not change it.
func WithPrincipal(ctx context.Context, principal *backoffice.Principal) context.Context {
	return backoffice.WithRequest(ctx, func(r *backoffice.Request) {
		if r.Principal = principal; principal != nil {
			r.Session, r.Restriction = backoffice.NewSession(principal), principal.Restriction
		}
	})
}

// From returns the context's principal; nil when nobody is signed in.
func From(ctx context.Context) *backoffice.Principal { return backoffice.RequestOf(ctx).Principal }

// Require checks that the context's principal has a scope. Forbidden, naming the scope; Unauthenticated without one.
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

// errUnauthenticated is the one answer to every credential that does not work, whatever the reason.
var errUnauthenticated = backoffice.Errorf(backoffice.Unauthenticated,
	"send a valid credential in the headers x-client-id and x-client-secret")
