package loaders

import (
	"context"

	"example.org/backoffice/backoffice"
)

// Trusted reads trusted documents, at once and from the server that takes writes.
func (l *Loaders) Trusted(ctx context.Context, q backoffice.TrustedQuery) ([]*backoffice.TrustedDocument, error) {
	return l.store.TrustedDocuments(ctx, q)
}
