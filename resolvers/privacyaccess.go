package resolvers

import (
	"context"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/loaders"
)

func (privacyAccesses) TotalCount(ctx context.Context, connections []*backoffice.ConsultationConnection) ([]int, error) {
	return totals(ctx, &loaders.From(ctx).Consultations, connections)
}
