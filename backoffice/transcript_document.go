package backoffice

import (
	"context"
	"errors"
	"io"
)

type TranscriptDocument struct {
	Transcript    *Transcript
	Customer      *Customer
	Checklist     *Checklist
	FinancialYear *FinancialYear
}

type Documents interface {
	// Transcript renders the document of a completed transcript, without any registration number.
	Transcript(ctx context.Context, of TranscriptDocument) (content io.Reader, contentType string, err error)
	// Consultations renders the answer to a customer who asks who consulted its registration numbers, in the customer's
	// language unless another is given. Its only errors are the writer's.
	Consultations(w io.Writer, language string, of ConsultationReport) error
	// Ownership renders who owns a customer, in the customer's language. Its only errors are the writer's.
	Ownership(w io.Writer, of OwnershipReport) error
	// Supervision renders what the office controlled in a year. Its only errors are the writer's.
	Supervision(w io.Writer, language string, of SupervisionYear) error
}

// GenerateTranscriptDocument renders and stores the document of a completed transcript of any year; it needs pti.write.
// It replaces an earlier one, unless this operation rendered that from the same data. Refused with NOT_FOUND, and
// NOT_ALLOWED when not completed or without a renderer, and STALE_VERSION when the answers were changed meanwhile
// (transcriptId). OverLimit: see BoundRenderings.
func (s *Service) GenerateTranscriptDocument(ctx context.Context, by *Principal, id string) (*Transcript, error) {
	return s.generateDocument(ctx, by, id, false)
}

// generateDocument is errNothingDrawn when a document must be missing and is not.
func (s *Service) generateDocument(ctx context.Context, by *Principal, id string, missing bool) (_ *Transcript,
	err error) {
	if err := require(by, PtiWrite); err != nil {
		return nil, err
	}
	// The file is durable before a record names it: a crash in between leaves a file without a record, for the sweep.
	of, upload, err := s.beginDocument(ctx, id)
	if err != nil {
		return nil, err
	}
	stored := false
	defer func() {
		if upload == nil {
			return
		}
		if err == nil && !stored {
			upload.Close(ctx, errNothingDrawn)
			return
		}
		upload.Close(ctx, err)
	}()
	if missing && of.Transcript.File() != nil {
		return nil, errNothingDrawn
	}
	drawings := RequestOf(ctx).drawings
	if drawings.have(of) {
		return of.Transcript, nil
	}
	if s.Documents == nil {
		return nil, refused(CodeNotAllowed, "this server cannot generate documents", "transcriptId")
	}
	if err := drawings.allow(of); err != nil {
		return nil, err
	}
	content, contentType, err := s.Documents.Transcript(ctx, of)
	if err != nil {
		return nil, Fault(err, "rendering a transcript's document")
	}
	file, err := s.putDocument(ctx, upload, content, contentType)
	if err != nil {
		return nil, err
	}
	file.Owner = FileOwner{Kind: TranscriptFile, ID: id}
	var updated *Transcript
	var replaced []string
	err = s.write(ctx, func(ctx context.Context, tx Tx) (bool, error) {
		now, drawn := InstantOf(s.now()), *of.Transcript
		drawn.Document, drawn.DocumentGenerated, drawn.OwnUpdatedAt = &file, true, now
		drawn.Happened(of.Transcript, now)
		err := tx.Together(ctx, func(ctx context.Context) (err error) {
			if updated, replaced, err = tx.SetDocument(ctx, &drawn); err == nil {
				err = canGenerate(updated)
			}
			if was := of.Transcript; err == nil && (updated.CustomVariables != was.CustomVariables ||
				updated.CustomerID != was.CustomerID) { // after a merge
				err = refused(CodeStaleVersion, "the transcript was changed meanwhile; try again", "transcriptId")
			}
			if err == nil && missing && of.Transcript.Document == nil && len(replaced) > 0 {
				err = errNothingDrawn
			}
			return err
		}, func(ctx context.Context) error {
			if upload == nil {
				return nil
			}
			return upload.Commit(ctx, tx)
		})
		if err != nil {
			return false, err
		}
		return false, tx.LogChanges(ctx,
			changeBy(by, now, "generateTranscriptDocument", NounTranscript, id, "documentGenerated", "file"))
	})
	if err != nil {
		return nil, err
	}
	if stored = true; !s.dry {
		drawings.keep(of, updated)
	}
	s.removeFiles(ctx, replaced)
	return updated, nil
}

var errNothingDrawn = errors.New("the document was already generated")

// canGenerate rejects nil, with NOT_FOUND, and a transcript that is not completed, with NOT_ALLOWED.
func canGenerate(t *Transcript) error {
	if t == nil {
		return NoSuch(NounTranscript, "transcriptId")
	}
	if !t.IsCompleted {
		return refused(CodeNotAllowed, "the transcript is not completed", "transcriptId")
	}
	return nil
}

// beginDocument reads what a document is rendered from and begins its upload; a dry run has no upload.
func (s *Service) beginDocument(ctx context.Context, id string) (of TranscriptDocument, upload *Upload, err error) {
	if s.dry {
		of, err = s.readDocument(ctx, id)
		return of, nil, err
	}
	upload, err = beginUpload(ctx, s.Store, s.Files, func(upload string) (err error) {
		if of, err = s.Store.BeginDocument(ctx, id, upload, UploadLease); err == nil {
			err = canGenerate(of.Transcript)
		}
		if err == nil && (of.Customer == nil || of.Checklist == nil || of.FinancialYear == nil) {
			err = NoSuch(NounTranscript, "transcriptId") // deleted between the reads
		}
		return err
	})
	return of, upload, err
}

func (s *Service) readDocument(ctx context.Context, id string) (of TranscriptDocument, err error) {
	known := false
	if of.Transcript, _, err = Find(ctx, s.Store.Transcripts(), id); err == nil {
		err = canGenerate(of.Transcript)
	}
	if err == nil {
		of.Customer, known, err = Find(ctx, s.Store.Customers(), of.Transcript.CustomerID)
	}
	if err == nil && known {
		of.Checklist, known, err = Find(ctx, s.Store.Checklists(), of.Transcript.ChecklistID)
	}
	if err == nil && known {
		of.FinancialYear, known, err = Find(ctx, s.Store.FinancialYears(), of.Transcript.FinancialYearID)
	}
	if err == nil && !known {
		err = NoSuch(NounTranscript, "transcriptId") // deleted between the reads
	}
	return of, err
}

// DrawTranscript renders the document of a completed transcript without storing it. Refused as by
// GenerateTranscriptDocument.
func (s *Service) DrawTranscript(ctx context.Context, id string) (io.Reader, error) {
	of, err := s.readDocument(ctx, id)
	if err != nil {
		return nil, err
	}
	content, _, err := s.Documents.Transcript(ctx, of)
	return content, err
}

// putDocument stores a document; a dry run only measures and hashes it.
func (s *Service) putDocument(
	ctx context.Context, upload *Upload, content io.Reader, contentType string,
) (File, error) {
	if upload != nil {
		return upload.Put(ctx, content, contentType)
	}
	file, digest := File{Key: "dry run", ContentType: contentType, TimeCreated: InstantOf(s.now())}, NewFileDigest()
	if _, err := io.Copy(digest, content); err != nil {
		return file, Fault(err, "rendering a transcript's document")
	}
	digest.Fill(&file)
	return file, nil
}

// GenerateMissingDocuments generates the documents that completed transcripts lack. An error of each stops it.
func (s *Service) GenerateMissingDocuments(
	ctx context.Context, by *Principal, each func(id string, err error) error,
) error {
	missing := ListQuery[TranscriptCriteria]{Criteria: TranscriptCriteria{IsCompleted: Yes, DocumentGenerated: No}}
	return eachRow(ctx, s.Store.Transcripts(), missing, NoParent, 0, func(t *Transcript) error {
		_, err := s.generateDocument(ctx, by, t.ID, true)
		if errors.Is(err, errNothingDrawn) { // it came since the list was read
			return nil
		}
		return each(t.ID, err)
	})
}
