package inputs

import "example.org/backoffice/backoffice"

// CreateDocumentUploadInput is the input of createDocumentUpload.
type CreateDocumentUploadInput struct{ CustomerID, Name string }

// CreateDocumentUploadPayload is what came of createDocumentUpload.
type CreateDocumentUploadPayload struct {
	UploadPath *string
	ExpiresAt  *backoffice.Instant
	Outcome
}
