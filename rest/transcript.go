package rest

import (
	"context"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/rest/mapping"
)

type Transcript struct {
	ID                 string           `json:"_id" doc:"The identifier."`
	Status             TranscriptStatus `json:"status" doc:"The calculation's state once one is started, else the transcript's own status." example:"Calculation done"`
	IsCompleted        bool             `json:"isCompleted" doc:"Whether it is completed."`
	FinancialYearID    string           `json:"financialYear" doc:"The identifier of the financial year."`
	CustomVariables    Object           `json:"customVariables" doc:"A free-form object; may be empty."`
	DocumentGenerated  bool             `json:"documentGenerated" doc:"Whether a document has been generated. It can be downloaded once the transcript is also completed."`
	CustomerID         string           `json:"customer" doc:"The identifier of the customer."`
	UpdatedAt          Instant          `json:"updatedAt" doc:"The last change of the transcript or its calculation."`
	ProgressPercentage float64          `json:"progressPercentage" doc:"How much of it is filled in, 0 to 100."`
	ChecklistID        string           `json:"checklist" doc:"The identifier of the checklist."`

	CreatedAt           Instant `json:"createdAt" nullable:"true" doc:"When the checklist was assigned. Like the next three, this is when it happened here, or the time that an import gave. Null if unknown."`
	CompletedAt         Instant `json:"completedAt" nullable:"true" doc:"When it was last completed. Reopening clears it. Null while it is not completed."`
	DocumentGeneratedAt Instant `json:"documentGeneratedAt" nullable:"true" doc:"When the current document was generated. Null if there is none."`
	SentAt              Instant `json:"sentAt" nullable:"true" doc:"When its own status became Sent, even if status shows that of its calculation. Null while its own status is To Process."`
}

var shownTranscript = mapping.New[backoffice.Transcript, Transcript](
	mapping.Except("OwnStatus", "OwnUpdatedAt", "Document"),
	mapping.Convert(func(s backoffice.TranscriptStatus) TranscriptStatus { return TranscriptStatus(s.Label()) }),
	mapping.Convert(func(j backoffice.JSON) Object { return Object(j.String()) }))

type TranscriptFilters struct {
	ChecklistID       Optional[string]   `query:"checklist" doc:"The identifier of a checklist."`
	FinancialYearID   Optional[string]   `query:"financialYear" doc:"The identifier of a financial year."`
	CustomerID        Optional[string]   `query:"customer" doc:"The identifier of a customer."`
	ResponsibleID     Optional[string]   `query:"responsible" doc:"The identifier of the user who is responsible for the customer."`
	Status            []TranscriptStatus `query:"status,explode" nullable:"false" doc:"A status. Can be repeated to match any of several."`
	IsCompleted       Optional[bool]     `query:"isCompleted" doc:"Whether the transcript is completed."`
	DocumentGenerated Optional[bool]     `query:"documentGenerated" doc:"Whether a document was generated."`
	Overdue           Optional[bool]     `query:"overdue" doc:"Whether it is not completed, and was due before today in Belgium."`
	UpdatedSince      Optional[string]   `query:"updatedSince" format:"date-time" doc:"Only those whose latest change became visible here at this instant or later." example:"2026-06-01T00:00:00.000Z"`
}

var transcriptFilter = mapping.New[TranscriptFilters, backoffice.TranscriptFilter](
	mapping.Except("Any", "Not", "UpdatedSince", "UpdatedFrom", "UpdatedTo", "CustomVariable", "LabelID",
		"CreatedFrom", "CreatedTo", "CompletedFrom", "CompletedTo", "SentFrom", "SentTo",
		"DocumentGeneratedFrom", "DocumentGeneratedTo"),
	mapping.Convert(allParsed[TranscriptStatus](backoffice.ParseTranscriptStatusLabel)))

type OfTranscript struct {
	TranscriptID string `path:"transcriptId" doc:"The transcript's identifier."`
}

func (a *API) transcripts() {
	registerList(a, operation("GET /transcripts", "listTranscripts", "List transcripts",
		"The transcripts that match all filters, by identifier."), "", func(ctx context.Context, in *struct {
		TranscriptFilters
		Paging
	}) (*answered[List[Transcript]], error) {
		filter := transcriptFilter.Map(&in.TranscriptFilters)
		var err error
		if filter.UpdatedSince, err = instant("updatedSince", in.UpdatedSince); err != nil {
			return nil, err
		}
		criteria, err := filter.Criteria()
		if err != nil {
			return nil, err
		}
		q := question[backoffice.TranscriptCriteria]{criteria: criteria}
		return list(ctx, a.Store.Transcripts(), q, in.Paging, shownTranscript.Map)
	})
	register(a, operation("GET /transcripts/{transcriptId}", "getTranscript", "Get a transcript",
		"One transcript."), "", func(ctx context.Context, in *OfTranscript) (*answered[Transcript], error) {
		return answerOne(ctx, a.Store.Transcripts(), backoffice.NounTranscript, in.TranscriptID, shownTranscript.Map)
	})
	register(a, fileOperation(operation("GET /transcripts/download/{transcriptId}/file", "downloadTranscriptFile",
		"Download a transcript's document", "The generated document of a completed transcript. Otherwise 404, with what is missing.",
	)), "", func(ctx context.Context, in *OfTranscript) (*download, error) {
		return a.download(ctx, backoffice.FileOwner{Kind: backoffice.TranscriptFile, ID: in.TranscriptID})
	})
	register(a, operation("GET /transcripts/download/{transcriptId}/metadata", "getTranscriptFileMetadata",
		"Describe a transcript's document", "The metadata of the document that downloadTranscriptFile returns.",
	), "", func(ctx context.Context, in *OfTranscript) (*answered[FileMetadata], error) {
		f, err := a.find(ctx, backoffice.FileOwner{Kind: backoffice.TranscriptFile, ID: in.TranscriptID})
		if err != nil {
			return nil, err
		}
		return &answered[FileMetadata]{showFile(f.file)}, nil
	})
}
