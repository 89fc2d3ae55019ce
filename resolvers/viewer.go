package resolvers

import (
	"context"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
)

func (query) Viewer(ctx context.Context) (*backoffice.Principal, error) {
	viewer := auth.From(ctx)
	if viewer == nil {
		return nil, backoffice.Errorf(backoffice.Unauthenticated, "no valid credentials")
	}
	return viewer, nil
}
