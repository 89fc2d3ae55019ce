package storetest

import (
	"context"

	"example.org/backoffice/backoffice"
)

// WithSessionOf begins a request of a credential: what its context asks the store sees all that the credential wrote
// before. What is logged of its writes names the person.
func WithSessionOf(ctx context.Context, principal *backoffice.Principal) context.Context {
	return backoffice.WithRequest(ctx, func(r *backoffice.Request) { r.Session = backoffice.NewSession(principal) })
}
