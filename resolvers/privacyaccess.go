package resolvers

import (
	"example.org/backoffice/backoffice"
	"example.org/backoffice/loaders"
)

var privacyAccesses = nounOf(backoffice.NounConsultation, backoffice.PrivacyRead, func(l *loaders.Loaders) *loaders.Noun[*backoffice.Consultation, backoffice.ConsultationCriteria] {
	return &l.Consultations
})
