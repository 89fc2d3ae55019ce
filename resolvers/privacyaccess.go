package resolvers

import (
	"example.org/backoffice/backoffice"
)

var privacyAccesses = nounOf(backoffice.NounConsultation, backoffice.PrivacyRead, backoffice.Readers.Consultations)
