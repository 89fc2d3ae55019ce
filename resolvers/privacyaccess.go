package resolvers

import "example.org/backoffice/backoffice"

var privacyAccesses = nounOf(backoffice.ConsultationTable)
