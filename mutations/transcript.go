package mutations

import "example.org/backoffice/backoffice"

// AssignChecklistInput is the input of assignChecklist.
type AssignChecklistInput struct {
	ChecklistID     string
	CustomerID      string
	CustomVariables *backoffice.JSON
	IdempotencyKey  *string
}

// GenerateTranscriptDocumentInput is the input of generateTranscriptDocument.
type GenerateTranscriptDocumentInput struct {
	TranscriptID string
}

// AssignChecklistPayload is what came of assignChecklist.
type AssignChecklistPayload struct {
	Transcript *backoffice.Transcript
	UserErrors []*backoffice.UserError
}

// GenerateTranscriptDocumentPayload is what came of generateTranscriptDocument.
type GenerateTranscriptDocumentPayload struct {
	Transcript *backoffice.Transcript
	UserErrors []*backoffice.UserError
}

// Draft is what was sent.
func (in *AssignChecklistInput) Draft() backoffice.Assignment {
	return backoffice.Assignment{ChecklistID: in.ChecklistID, CustomerID: in.CustomerID, CustomVariables: backoffice.ValueOf(in.CustomVariables)}
}
