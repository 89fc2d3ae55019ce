package inputs

import (
	"encoding/json"
	"io"

	"example.org/backoffice/backoffice"
)

type AssignChecklistInput struct {
	ChecklistID     string
	CustomerID      string
	CustomVariables *Object // as sent, so that a fault in it becomes a user error
	IdempotencyKey  *string
}

type GenerateTranscriptDocumentInput struct {
	TranscriptID string
}

type TranscriptPayload struct {
	Transcript *backoffice.Transcript
	Outcome
}

func (in *AssignChecklistInput) Draft() backoffice.Assignment {
	draft := backoffice.Assignment{ChecklistID: in.ChecklistID, CustomerID: in.CustomerID}
	if in.CustomVariables != nil {
		draft.CustomVariables = []byte(*in.CustomVariables)
	}
	return draft
}

// Object is the text of a JSON object as sent.
type Object string

// UnmarshalGQL takes the decoded text of a literal or a variable, or a map, which has no order.
func (o *Object) UnmarshalGQL(v any) error {
	switch v := v.(type) {
	case json.RawMessage:
		*o = Object(v)
		return nil
	case map[string]any:
		if text, err := json.Marshal(v); err == nil {
			*o = Object(text)
			return nil
		}
	}
	return backoffice.Errorf(backoffice.BadInput, "the value must be a JSON object")
}

// MarshalGQL writes the object. Nothing calls it: gqlgen requires it of every scalar.
func (o Object) MarshalGQL(w io.Writer) { _, _ = io.WriteString(w, string(o)) }
