package inputs

import "example.org/backoffice/backoffice"

type CreateDocumentUploadInput struct{ CustomerID, Name string }

type CreateDocumentUploadPayload struct {
	UploadPath *string
	ExpiresAt  *backoffice.Instant
	Outcome
}
