package inputs

import (
	"example.org/backoffice/backoffice"
	"example.org/backoffice/mapping"
)

// CreateLabelInput is the input of createLabel.
type CreateLabelInput struct {
	Name           string
	Color          *string
	IdempotencyKey *string
}

// CreateLabelPayload is what came of createLabel.
type CreateLabelPayload struct {
	Label      *backoffice.Label
	UserErrors []*backoffice.UserError
}

var createLabel = mapping.New[CreateLabelInput, backoffice.LabelDraft](mapping.Except("IdempotencyKey"))

// Draft is what was sent.
func (in *CreateLabelInput) Draft() backoffice.LabelDraft { return createLabel.Map(in) }
