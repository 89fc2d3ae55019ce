package loaders

import (
	"context"

	"example.org/backoffice/backoffice"
)

// Trusted reads trusted documents immediately, from the primary server.
func (l *Loaders) Trusted(ctx context.Context, q backoffice.TrustedQuery) ([]*backoffice.TrustedDocument, error) {
	return l.store.TrustedDocuments(ctx, q)
}
