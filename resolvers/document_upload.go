package resolvers

import (
	"context"
	"time"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/inputs"
)

// uploadPeriod is how long a signed path accepts a document: long enough to send it again over a poor line.
const uploadPeriod = 15 * time.Minute

func (m mutation) CreateDocumentUpload(ctx context.Context, input inputs.CreateDocumentUploadInput,
	dryRun *bool) (*inputs.CreateDocumentUploadPayload, error) {
	by, payload := auth.From(ctx), &inputs.CreateDocumentUploadPayload{}
	upload, err := m.service(dryRun).PrepareUpload(ctx, by, input.CustomerID, input.Name)
	if err == nil {
		until := time.Now().Add(uploadPeriod)
		if end := by.ExpiresAt.Time(); !by.ExpiresAt.IsZero() && end.Before(until) {
			until = end
		}
		until = until.Truncate(time.Second)
		signature := "" // a dry run signs nothing
		if dryRun == nil || !*dryRun {
			if signature, err = m.Keys.SignUpload(by.Link(), upload, until); err != nil {
				return nil, err
			}
		}
		path, ends := upload.Path(signature), backoffice.InstantOf(until)
		payload.UploadPath, payload.ExpiresAt = &path, &ends
	}
	return answer(ctx, err, payload)
}
