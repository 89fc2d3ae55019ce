package inputs

import "example.org/backoffice/backoffice"

// SaveQueryInput is the input of saveQuery.
type SaveQueryInput struct{ backoffice.SavedQueryDraft }

// RemoveSavedQueryInput is the input of removeSavedQuery.
type RemoveSavedQueryInput struct{ Name string }

// SaveQueryPayload is what came of saveQuery.
type SaveQueryPayload struct {
	SavedQuery *backoffice.SavedQuery
	Outcome
}

// RemoveSavedQueryPayload is what came of removeSavedQuery.
type RemoveSavedQueryPayload struct {
	RemovedName *string
	Outcome
}
