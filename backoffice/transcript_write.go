package backoffice

import (
	"context"
	"errors"
	"io"
)

// Assignment is what a caller sends to assign a checklist to a customer.
type Assignment struct {
	ChecklistID     string
	CustomerID      string
	CustomVariables []byte // a JSON object, nil for none
}

// AssignChecklist makes a transcript of a checklist of the current year for a customer; it needs pti.write. Refused also
// with NOT_FOUND (checklistId, customerId), FINANCIAL_YEAR_ARCHIVED (checklistId), INVALID (customVariables) and, for a key that was used before, as
// create says.
func (s *Service) AssignChecklist(ctx context.Context, by *Principal, draft Assignment, key Optional[string]) (*Transcript, error) {
	if err := require(by, PtiWrite); err != nil {
		return nil, err
	}
	now := InstantOf(s.now())
	t := &Transcript{ID: NewID(), CustomerID: draft.CustomerID, ChecklistID: draft.ChecklistID, OwnStatus: ToProcess, OwnUpdatedAt: now, CreatedAt: now}
	t.EffectiveStatus(nil)
	var check checker
	check.reference(t.ChecklistID, "checklistId")
	check.reference(t.CustomerID, "customerId")
	if draft.CustomVariables != nil {
		var err error
		if t.CustomVariables, err = ParseJSON(draft.CustomVariables); err != nil {
			check.add(CodeInvalid, err.Error(), "customVariables")
		}
	}
	content := values{}
	content.set("checklistId", t.ChecklistID)
	content.set("customerId", t.CustomerID)
	if text := t.CustomVariables.Canonical(); text != "{}" {
		content.set("customVariables", text)
	}
	var year *FinancialYear
	var customer *Customer
	var known bool
	return create(ctx, s, creation[Transcript, TranscriptCriteria]{
		by: by, action: "assignChecklist", table: TranscriptTable, made: t, at: now, key: key, content: content, wrong: check, rows: Tx.Transcripts,
		look: func(ctx context.Context, tx Tx) error {
			return tx.Together(ctx,
				func(ctx context.Context) (err error) { year, err = tx.HoldYearOf(ctx, t.ChecklistID); return err },
				finding(tx.Customers(), t.CustomerID, &customer, &known))
		},
		check: func(check *checker) {
			if CheckID(t.ChecklistID) == nil {
				checkOpen(year, check)
			}
			if CheckID(t.CustomerID) == nil && !known {
				check.add(CodeNotFound, "no customer has this identifier", "customerId")
			}
			if len(check.found) == 0 {
				t.FinancialYearID = year.ID
			}
		},
	})
}

// checkOpen holds the financial year of a checklist, nil when there is no such checklist, to being the current one.
func checkOpen(year *FinancialYear, check *checker) {
	switch {
	case year == nil:
		check.add(CodeNotFound, "no checklist has this identifier", "checklistId")
	case !year.IsCurrentYear:
		check.add(CodeFinancialYearArchived, "the checklist's financial year is not the current one", "checklistId")
	}
}

// TranscriptDocument is all that a transcript's document is drawn from.
type TranscriptDocument struct {
	Transcript    *Transcript
	Customer      *Customer
	Checklist     *Checklist
	FinancialYear *FinancialYear
}

// Documents draws documents.
type Documents interface {
	// Transcript draws the document of a completed transcript. A registration number is not in it.
	Transcript(ctx context.Context, of TranscriptDocument) (content io.Reader, contentType string, err error)
}

// GenerateTranscriptDocument draws the document of a completed transcript and stores it; it needs pti.write. A document
// that was generated before is replaced, unless this operation has drawn it from the same. It works on archived years
// too. Refused with NOT_FOUND and, when the transcript is not completed or nothing here can draw, NOT_ALLOWED
// (transcriptId); OverLimit as WithRenderings says.
func (s *Service) GenerateTranscriptDocument(ctx context.Context, by *Principal, id string) (_ *Transcript, err error) {
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
		if err == nil && !stored {
			upload.Close(ctx, errNothingDrawn)
			return
		}
		upload.Close(ctx, err)
	}()
	drawings := drawingsOf(ctx)
	if drawings.have(of) {
		return of.Transcript, nil
	}
	if s.Documents == nil {
		return nil, Refuse(&UserError{Code: CodeNotAllowed, Message: "this server generates no documents", Field: []string{"transcriptId"}})
	}
	if err := drawings.allow(of); err != nil {
		return nil, err
	}
	content, contentType, err := s.Documents.Transcript(ctx, of)
	if err != nil {
		return nil, Fault(err, "drawing a transcript's document")
	}
	file, err := upload.Put(ctx, content, contentType)
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
			return err
		}, func(ctx context.Context) error { return upload.Commit(ctx, tx) })
		if err != nil {
			return false, err
		}
		return false, tx.LogChanges(ctx, &Change{At: now, ClientID: by.ClientID, Action: "generateTranscriptDocument", Noun: NounTranscript, ObjectID: id, Fields: []string{"documentGenerated", "file"}})
	})
	if err != nil {
		return nil, err
	}
	stored = true
	drawings.keep(of, updated)
	s.removeFiles(ctx, replaced)
	return updated, nil
}

var errNothingDrawn = errors.New("the document was drawn before")

// canGenerate refuses a transcript, nil when there is none, that has no document to draw.
func canGenerate(t *Transcript) error {
	if t == nil {
		return unknown(NounTranscript, "transcriptId")
	}
	if !t.IsCompleted {
		return Refuse(&UserError{Code: CodeNotAllowed, Message: "the transcript is not completed", Field: []string{"transcriptId"}})
	}
	return nil
}

// beginDocument reads what a document is drawn from and begins the upload of it.
func (s *Service) beginDocument(ctx context.Context, id string) (of TranscriptDocument, upload *Upload, err error) {
	upload, err = beginUpload(ctx, s.Store, s.Files, func(upload string) (err error) {
		if of, err = s.Store.BeginDocument(ctx, id, upload, UploadLease); err == nil {
			err = canGenerate(of.Transcript)
		}
		if err == nil && (of.Customer == nil || of.Checklist == nil || of.FinancialYear == nil) {
			err = unknown(NounTranscript, "transcriptId") // erased between these readings
		}
		return err
	})
	return of, upload, err
}

// GenerateMissingDocuments generates the document of every completed transcript that has none and calls each with every
// transcript that it took up and what came of it; an error of each ends it.
func (s *Service) GenerateMissingDocuments(ctx context.Context, by *Principal, each func(id string, err error) error) error {
	missing := ListQuery[TranscriptCriteria]{Criteria: TranscriptCriteria{IsCompleted: Yes, DocumentGenerated: No}}
	return EachPage(ctx, s.Store.Transcripts(), missing, NoParent, 0, func(page []*Transcript) error {
		for _, t := range page {
			_, err := s.GenerateTranscriptDocument(ctx, by, t.ID)
			if err := each(t.ID, err); err != nil {
				return err
			}
		}
		return nil
	})
}
