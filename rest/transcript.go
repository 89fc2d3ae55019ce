package rest

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"example.org/backoffice/backoffice"
)

const tagTranscripts = "Transcripts"

// Transcript is the filled-in result of a checklist for a customer.
type Transcript struct {
	ID                 string           `json:"_id" doc:"The identifier."`
	Status             TranscriptStatus `json:"status" doc:"The calculation's state once one was started, else the transcript's own status." example:"Calculation done"`
	IsCompleted        bool             `json:"isCompleted" doc:"Whether it is filled in."`
	FinancialYear      string           `json:"financialYear" doc:"The identifier of the financial year."`
	CustomVariables    Object           `json:"customVariables" doc:"A free-form object; may be empty."`
	DocumentGenerated  bool             `json:"documentGenerated" doc:"Whether a document was generated. It can be downloaded once the transcript is completed too."`
	Customer           string           `json:"customer" doc:"The identifier of the customer."`
	UpdatedAt          Instant          `json:"updatedAt" doc:"The last change of the transcript or of its calculation."`
	ProgressPercentage float64          `json:"progressPercentage" doc:"How much of it is filled in, 0 to 100."`
	Checklist          string           `json:"checklist" doc:"The identifier of the checklist."`

	CreatedAt           Instant `json:"createdAt" nullable:"true" doc:"When the checklist was assigned. Like the three that follow it tells when that happened here, or when an import said that it had; null when nobody knows."`
	CompletedAt         Instant `json:"completedAt" nullable:"true" doc:"When it was filled in to the end, the last time: reopening takes it away, and completing it again sets it anew. Null while it is not completed."`
	DocumentGeneratedAt Instant `json:"documentGeneratedAt" nullable:"true" doc:"When the document was generated that there is now: anew with each one that replaces another. Null while none was generated."`
	SentAt              Instant `json:"sentAt" nullable:"true" doc:"When its own status became Sent, also while status is that of its calculation. Null while its own status is To Process."`
}

func showTranscript(t *backoffice.Transcript) Transcript {
	return Transcript{
		ID: t.ID, Status: TranscriptStatus(t.StatusLabel()), IsCompleted: t.IsCompleted, FinancialYear: t.FinancialYearID,
		CustomVariables: Object(t.CustomVariables.String()), DocumentGenerated: t.DocumentGenerated, Customer: t.CustomerID,
		UpdatedAt: t.UpdatedAt, ProgressPercentage: t.ProgressPercentage, Checklist: t.ChecklistID,
		CreatedAt: t.CreatedAt, CompletedAt: t.CompletedAt, DocumentGeneratedAt: t.DocumentGeneratedAt, SentAt: t.SentAt,
	}
}

// TranscriptFilters are the query parameters that pick among transcripts; all that are sent must hold.
type TranscriptFilters struct {
	Checklist         string             `query:"checklist" doc:"The identifier of a checklist."`
	FinancialYear     string             `query:"financialYear" doc:"The identifier of a financial year."`
	Customer          string             `query:"customer" doc:"The identifier of a customer."`
	Responsible       string             `query:"responsible" doc:"The identifier of the user who is responsible for the customer."`
	Status            []TranscriptStatus `query:"status,explode" nullable:"false" doc:"A status; repeated, one of them."`
	IsCompleted       bool               `query:"isCompleted" doc:"Whether the transcript is filled in."`
	DocumentGenerated bool               `query:"documentGenerated" doc:"Whether a document was generated."`
	UpdatedSince      string             `query:"updatedSince" format:"date-time" doc:"Whose latest change became visible here at this instant or later." example:"2026-06-01T00:00:00.000Z"`
}

func (f *TranscriptFilters) criteria(ctx context.Context) (c backoffice.TranscriptCriteria, err error) {
	filter := &backoffice.TranscriptFilter{
		ChecklistID:       given(ctx, "checklist", f.Checklist),
		FinancialYearID:   given(ctx, "financialYear", f.FinancialYear),
		CustomerID:        given(ctx, "customer", f.Customer),
		ResponsibleID:     given(ctx, "responsible", f.Responsible),
		IsCompleted:       givenBool(ctx, "isCompleted", f.IsCompleted),
		DocumentGenerated: givenBool(ctx, "documentGenerated", f.DocumentGenerated),
	}
	if filter.UpdatedSince, err = givenInstant(ctx, "updatedSince", f.UpdatedSince); err != nil {
		return c, err
	}
	for _, label := range f.Status {
		status, err := backoffice.ParseTranscriptStatusLabel(string(label))
		if err != nil {
			return c, badParameter("status", err.Error())
		}
		filter.Status = append(filter.Status, status)
	}
	return filter.Criteria(), nil
}

// OfTranscript names a transcript in the path.
type OfTranscript struct {
	TranscriptID string `path:"transcriptId" doc:"The transcript's identifier."`
}

func (a *API) transcripts() {
	registerList(a, huma.Operation{
		OperationID: "listTranscripts", Method: http.MethodGet, Path: "/transcripts", Tags: []string{tagTranscripts},
		Summary: "List transcripts", Description: "The transcripts that match all filters, by identifier.",
	}, "", func(ctx context.Context, in *struct {
		TranscriptFilters
		Paging
	}) (*answered[List[Transcript]], error) {
		criteria, err := in.criteria(ctx)
		if err != nil {
			return nil, err
		}
		return list(ctx, a.Store.Transcripts(), question[backoffice.TranscriptCriteria]{criteria: criteria}, in.Paging, showTranscript)
	})
	register(a, huma.Operation{
		OperationID: "getTranscript", Method: http.MethodGet, Path: "/transcripts/{transcriptId}", Tags: []string{tagTranscripts},
		Summary: "Get a transcript", Description: "One transcript.",
	}, "", func(ctx context.Context, in *OfTranscript) (*answered[Transcript], error) {
		t, err := one(ctx, a.Store.Transcripts(), backoffice.NounTranscript, in.TranscriptID)
		if err != nil {
			return nil, err
		}
		return &answered[Transcript]{showTranscript(t)}, nil
	})
	register(a, fileOperation(huma.Operation{
		OperationID: "downloadTranscriptFile", Method: http.MethodGet, Path: "/transcripts/download/{transcriptId}/file", Tags: []string{tagTranscripts},
		Summary: "Download a transcript's document", Description: "The document of a transcript that is completed and for which one was generated; else 404, saying which is missing.",
	}), "", func(ctx context.Context, in *OfTranscript) (*download, error) {
		return a.download(ctx, backoffice.FileOwner{Kind: backoffice.TranscriptFile, ID: in.TranscriptID})
	})
	register(a, huma.Operation{
		OperationID: "getTranscriptFileMetadata", Method: http.MethodGet, Path: "/transcripts/download/{transcriptId}/metadata", Tags: []string{tagTranscripts},
		Summary: "Describe a transcript's document", Description: "What is known of the document that downloadTranscriptFile answers with.",
	}, "", func(ctx context.Context, in *OfTranscript) (*answered[FileMetadata], error) {
		f, err := a.find(ctx, backoffice.FileOwner{Kind: backoffice.TranscriptFile, ID: in.TranscriptID})
		if err != nil {
			return nil, err
		}
		return &answered[FileMetadata]{showFile(f.file)}, nil
	})
}
