package pdf

import (
	"bytes"
	"context"
	"io"

	"example.org/backoffice/backoffice"
)

// Documents draws what the office generates, in the checklist's language.
type Documents struct {
	Office Letterhead // the accounting office
}

var _ backoffice.Documents = Documents{}

// Transcript implements backoffice.Documents.
func (d Documents) Transcript(_ context.Context, of backoffice.TranscriptDocument) (content io.Reader, contentType string, err error) {
	years := of.FinancialYear.StartDate
	if end := of.FinancialYear.EndDate; end != years {
		years += "–" + end
	}
	var document bytes.Buffer
	err = Transcript(&document, TranscriptDocument{
		Office:          d.Office,
		Language:        of.Checklist.Language,
		Customer:        Party{Name: of.Customer.DisplayName, Address: of.Customer.Address, KBONumber: string(of.Customer.KboNumber)},
		Checklist:       of.Checklist.Name,
		FinancialYear:   years,
		CompletedAt:     of.Transcript.OwnUpdatedAt,
		Progress:        of.Transcript.ProgressPercentage,
		CustomVariables: of.Transcript.CustomVariables,
	})
	return &document, "application/pdf", err
}
