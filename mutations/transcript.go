package mutations

import (
	"encoding/json"

	"example.org/backoffice/backoffice"
)

// AssignChecklistInput is the input of assignChecklist.
type AssignChecklistInput struct {
	ChecklistID     string
	CustomerID      string
	CustomVariables map[string]any // as decoded, so that what is wrong with it becomes a user error
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
func (in *AssignChecklistInput) Draft() (backoffice.Assignment, error) {
	draft := backoffice.Assignment{ChecklistID: in.ChecklistID, CustomerID: in.CustomerID}
	if in.CustomVariables == nil {
		return draft, nil
	}
	text, err := json.Marshal(in.CustomVariables)
	if err != nil {
		return draft, backoffice.Errorf(backoffice.BadInput, "customVariables is a JSON object")
	}
	draft.CustomVariables = text
	return draft, nil
}
