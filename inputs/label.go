package inputs

import "example.org/backoffice/backoffice"

// CreateLabelInput is the input of createLabel.
type CreateLabelInput struct {
	backoffice.LabelDraft
	IdempotencyKey *string
}

// CreateLabelPayload is what came of createLabel.
type CreateLabelPayload struct {
	Label *backoffice.Label
	Outcome
}
