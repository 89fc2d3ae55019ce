package inputs

import "example.org/backoffice/backoffice"

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

// Draft is what was sent.
func (in *CreateLabelInput) Draft() backoffice.LabelDraft {
	return backoffice.LabelDraft{Name: in.Name, Color: backoffice.ValueOf(in.Color)}
}
