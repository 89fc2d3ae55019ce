package rest

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"example.org/backoffice/backoffice"
)

const tagMinfin = "Minfin"

// MinfinDocument is a document synchronised from the tax administration.
type MinfinDocument struct {
	ID             string  `json:"_id" doc:"The identifier."`
	Name           string  `json:"name" doc:"The name."`
	DocumentType   string  `json:"documentType" doc:"What kind of document it is."`
	Customer       *string `json:"customer" doc:"The identifier of the customer, if it is somebody's."`
	FinancialYear  *string `json:"financialYear" doc:"The identifier of the financial year, if it belongs to one."`
	SynchronisedAt Instant `json:"synchronisedAt" doc:"When it was synchronised."`
	FileMetadata
}

func showMinfin(d *backoffice.MinfinDocument) MinfinDocument {
	return MinfinDocument{
		ID: d.ID, Name: d.Name, DocumentType: d.DocumentType, Customer: optionalText(d.CustomerID),
		FinancialYear: optionalText(d.FinancialYearID), SynchronisedAt: d.SynchronisedAt, FileMetadata: showFile(d.File),
	}
}

// OfMinfin names a minfin document in the path.
type OfMinfin struct {
	ID string `path:"id" doc:"The minfin document's identifier."`
}

func (a *API) minfin() {
	registerList(a, huma.Operation{
		OperationID: "listMinfinDocuments", Method: http.MethodGet, Path: "/minfin", Tags: []string{tagMinfin},
		Summary: "List minfin documents", Description: "The documents of the tax administration that match all filters, by identifier.",
	}, backoffice.MinfinRead, func(ctx context.Context, in *struct {
		Customer          string `query:"customer" doc:"The identifier of a customer."`
		FinancialYear     string `query:"financialYear" doc:"The identifier of a financial year."`
		DocumentType      string `query:"documentType" doc:"The kind of document."`
		SynchronisedSince string `query:"synchronisedSince" format:"date-time" doc:"Synchronised at this instant or later." example:"2026-06-01T00:00:00.000Z"`
		Paging
	}) (*answered[List[MinfinDocument]], error) {
		since, err := givenInstant(ctx, "synchronisedSince", in.SynchronisedSince)
		if err != nil {
			return nil, err
		}
		filter := &backoffice.MinfinDocumentFilter{
			CustomerID:        given(ctx, "customer", in.Customer),
			FinancialYearID:   given(ctx, "financialYear", in.FinancialYear),
			DocumentType:      given(ctx, "documentType", in.DocumentType),
			SynchronisedSince: since,
		}
		return list(ctx, a.Store.MinfinDocuments(), question[backoffice.MinfinCriteria]{criteria: filter.Criteria()}, in.Paging, showMinfin)
	})
	register(a, fileOperation(huma.Operation{
		OperationID: "downloadMinfinFile", Method: http.MethodGet, Path: "/minfin/download/{id}", Tags: []string{tagMinfin},
		Summary: "Download a minfin file", Description: "The synchronised file.",
	}), backoffice.MinfinRead, func(ctx context.Context, in *OfMinfin) (*download, error) {
		return a.download(ctx, backoffice.FileOwner{Kind: backoffice.MinfinFile, ID: in.ID})
	})
	register(a, huma.Operation{
		OperationID: "getMinfinMetadata", Method: http.MethodGet, Path: "/minfin/metadata/{id}", Tags: []string{tagMinfin},
		Summary: "Describe a minfin file", Description: "The minfin document with what is known of its file.",
	}, backoffice.MinfinRead, func(ctx context.Context, in *OfMinfin) (*answered[MinfinDocument], error) {
		d, err := one(ctx, a.Store.MinfinDocuments(), backoffice.NounMinfin, in.ID)
		if err != nil {
			return nil, err
		}
		return &answered[MinfinDocument]{showMinfin(d)}, nil
	})
}
