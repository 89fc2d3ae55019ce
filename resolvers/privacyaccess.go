package resolvers

import (
	"context"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/loaders"
)

func init() {
	nodesFrom(backoffice.NounConsultation, backoffice.PrivacyRead, func(l *loaders.Loaders) *loaders.Noun[*backoffice.Consultation, backoffice.ConsultationCriteria] {
		return &l.Consultations
	})
}

func (privacyAccesses) TotalCount(ctx context.Context, connections []*backoffice.ConsultationConnection) ([]int, error) {
	return totals(ctx, &loaders.From(ctx).Consultations, connections)
}
