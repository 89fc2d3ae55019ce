package pdf

import (
	"bytes"
	"context"
	"io"

	"example.org/backoffice/backoffice"
)

// Documents draws the office's documents, in the checklist's language. It is safe for concurrent use: it draws as many
// at one time as there are processors, and others wait, which bounds the memory.
type Documents struct {
	office Letterhead
	fonts  Fonts
	slots  chan struct{}
}

var _ backoffice.Documents = (*Documents)(nil)

func NewDocuments(office Letterhead, fonts Fonts) *Documents {
	return &Documents{office: office, fonts: fonts, slots: make(chan struct{}, backoffice.Processors)}
}

func (d *Documents) Transcript(ctx context.Context, of backoffice.TranscriptDocument) (content io.Reader,
	contentType string, err error) {
	select {
	case d.slots <- struct{}{}:
		defer func() { <-d.slots }()
	case <-ctx.Done():
		return nil, "", ctx.Err()
	}
	var document bytes.Buffer
	err = Transcript(&document, d.office, d.fonts, of)
	return &document, "application/pdf", err
}
