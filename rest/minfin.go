package rest

import (
	"context"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/rest/mapping"
)

type MinfinDocument struct {
	ID              string  `json:"_id" doc:"The identifier."`
	Name            string  `json:"name" doc:"The name."`
	DocumentType    string  `json:"documentType" doc:"The kind of document."`
	CustomerID      *string `json:"customer" doc:"The identifier of the customer, if known."`
	FinancialYearID *string `json:"financialYear" doc:"The identifier of the financial year, if known."`
	SynchronisedAt  Instant `json:"synchronisedAt" doc:"When it was synchronised."`
	FileMetadata
}

var shownMinfin = mapping.New[backoffice.MinfinDocument, MinfinDocument](mapping.Except("File", "FileMetadata"))

func showMinfin(d *backoffice.MinfinDocument) MinfinDocument {
	shown := shownMinfin.Map(d)
	shown.FileMetadata = showFile(d.File)
	return shown
}

type MinfinFilters struct {
	CustomerID        Optional[string] `query:"customer" doc:"The identifier of a customer."`
	FinancialYearID   Optional[string] `query:"financialYear" doc:"The identifier of a financial year."`
	DocumentType      Optional[string] `query:"documentType" doc:"The kind of document."`
	SynchronisedSince Optional[string] `query:"synchronisedSince" format:"date-time" doc:"Synchronised at this instant or later." example:"2026-06-01T00:00:00.000Z"`
}

var minfinFilter = mapping.New[MinfinFilters, backoffice.MinfinDocumentFilter](mapping.Except("SynchronisedSince"))

type OfMinfin struct {
	ID string `path:"id" doc:"The minfin document's identifier."`
}

func (a *API) minfin() {
	registerList(a, operation("GET /minfin", "listMinfinDocuments", "List minfin documents",
		"The documents of the tax administration that match all filters, by identifier.",
	), backoffice.MinfinRead, func(ctx context.Context, in *struct {
		MinfinFilters
		Paging
	}) (*answered[List[MinfinDocument]], error) {
		filter := minfinFilter.Map(&in.MinfinFilters)
		var err error
		if filter.SynchronisedSince, err = instant("synchronisedSince", in.SynchronisedSince); err != nil {
			return nil, err
		}
		q := question[backoffice.MinfinCriteria]{criteria: filter.Criteria()}
		return list(ctx, a.Store.MinfinDocuments(), q, in.Paging, showMinfin)
	})
	register(a, fileOperation(operation("GET /minfin/download/{id}", "downloadMinfinFile", "Download a minfin file",
		"The synchronised file.")), backoffice.MinfinRead, func(ctx context.Context, in *OfMinfin) (*download, error) {
		return a.download(ctx, backoffice.FileOwner{Kind: backoffice.MinfinFile, ID: in.ID})
	})
	register(a, operation("GET /minfin/metadata/{id}", "getMinfinMetadata", "Describe a minfin file",
		"The minfin document with its file's metadata.",
	), backoffice.MinfinRead, func(ctx context.Context, in *OfMinfin) (*answered[MinfinDocument], error) {
		return answerOne(ctx, a.Store.MinfinDocuments(), backoffice.NounMinfin, in.ID, showMinfin)
	})
}
