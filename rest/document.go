package rest

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/mapping"
)

func init() { mounted(6, "Documents", "Documents of customers.", (*API).documents) }

// Document is a document of a customer that does not come from the tax administration.
type Document struct {
	ID         string  `json:"_id" doc:"The identifier."`
	Name       string  `json:"name" doc:"The name."`
	CustomerID string  `json:"customer" doc:"The identifier of the customer."`
	CreatedAt  Instant `json:"createdAt" doc:"When the document was made."`
	FileMetadata
}

var shownDocument = mapping.New[backoffice.CustomerDocument, Document](mapping.Except("File", "FileMetadata"))

func showDocument(d *backoffice.CustomerDocument) Document {
	shown := shownDocument.Map(d)
	shown.FileMetadata = showFile(d.File)
	return shown
}

func (a *API) documents() {
	registerList(a, huma.Operation{
		OperationID: "listDocuments", Method: http.MethodGet, Path: "/documents",
		Summary: "List documents", Description: "The documents of customers that match all filters, but for those of the tax administration.",
	}, "", func(ctx context.Context, in *struct {
		Customer Optional[string] `query:"customer" doc:"The identifier of a customer."`
		NameOrder
		Paging
	}) (*answered[List[Document]], error) {
		filter := &backoffice.CustomerDocumentFilter{CustomerID: value(in.Customer)}
		return list(ctx, a.Store.Documents(), question[backoffice.DocumentCriteria]{criteria: filter.Criteria(), order: in.order()}, in.Paging, showDocument)
	})
	registerList(a, huma.Operation{
		OperationID: "listCustomerDocuments", Method: http.MethodGet, Path: "/customers/{customerId}/documents",
		Summary: "List a customer's documents", Description: "The customer's documents, but for those of the tax administration.",
	}, "", func(ctx context.Context, in *struct {
		OfCustomer
		NameOrder
		Paging
	}) (*answered[List[Document]], error) {
		if err := a.exists(ctx, in.CustomerID); err != nil {
			return nil, err
		}
		return list(ctx, a.Store.Documents(), question[backoffice.DocumentCriteria]{under: backoffice.OfCustomer, parent: in.CustomerID, order: in.order()}, in.Paging, showDocument)
	})
	register(a, fileOperation(huma.Operation{
		OperationID: "downloadCustomerDocument", Method: http.MethodGet, Path: "/customers/documents/{documentId}/download",
		Summary: "Download a customer's document", Description: "The file of a customer's document.",
	}), "", func(ctx context.Context, in *struct {
		DocumentID string `path:"documentId" doc:"The document's identifier."`
	}) (*download, error) {
		return a.download(ctx, backoffice.FileOwner{Kind: backoffice.DocumentFile, ID: in.DocumentID})
	})
}
