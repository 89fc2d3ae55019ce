package inputs

import "example.org/backoffice/backoffice"

type SaveQueryInput struct{ backoffice.SavedQueryDraft }

type RemoveSavedQueryInput struct{ Name string }

type SaveQueryPayload struct {
	SavedQuery *backoffice.SavedQuery
	Outcome
}

type RemoveSavedQueryPayload struct {
	RemovedName *string
	Outcome
}
