package inputs

import "example.org/backoffice/backoffice"

type CreateLabelInput struct {
	backoffice.LabelDraft
	IdempotencyKey *string
}

type CreateLabelPayload struct {
	Label *backoffice.Label
	Outcome
}
