package rest

import (
	"context"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/rest/mapping"
)

type Document struct {
	ID         string  `json:"_id" doc:"The identifier."`
	Name       string  `json:"name" doc:"The name."`
	CustomerID string  `json:"customer" doc:"The identifier of the customer."`
	CreatedAt  Instant `json:"createdAt" doc:"When the document was created."`
	FileMetadata
}

var shownDocument = mapping.New[backoffice.CustomerDocument, Document](mapping.Except("File", "FileMetadata"))

func showDocument(d *backoffice.CustomerDocument) Document {
	shown := shownDocument.Map(d)
	shown.FileMetadata = showFile(d.File)
	return shown
}

func (a *API) uploaded(
	d *backoffice.CustomerDocument, draft backoffice.DocumentDraft, err error) (*made[Document], error) {
	if err != nil {
		return nil, a.refusedUpload(draft, inPath(err, backoffice.NounCustomer, "customerId"))
	}
	return &made[Document]{Location: "/customers/documents/" + d.ID + "/download", Body: showDocument(d)}, nil
}

func (a *API) documents() {
	registerList(a, operation("GET /documents", "listDocuments", "List documents",
		"The documents of customers that match all filters, except those of the tax administration.",
	), "", func(ctx context.Context, in *struct {
		Customer Optional[string] `query:"customer" doc:"The identifier of a customer."`
		NameOrder
		Paging
	}) (*answered[List[Document]], error) {
		filter := &backoffice.CustomerDocumentFilter{CustomerID: value(in.Customer)}
		q := question[backoffice.DocumentCriteria]{criteria: filter.Criteria(), order: in.order()}
		return list(ctx, a.Store.Documents(), q, in.Paging, showDocument)
	})
	registerList(a, operation("GET /customers/{customerId}/documents", "listCustomerDocuments",
		"List a customer's documents", "The customer's documents, except those of the tax administration.",
	), "", func(ctx context.Context, in *struct {
		OfCustomer
		NameOrder
		Paging
	}) (*answered[List[Document]], error) {
		if err := a.exists(ctx, in.CustomerID); err != nil {
			return nil, err
		}
		return list(ctx, a.Store.Documents(), question[backoffice.DocumentCriteria]{
			under: backoffice.OfCustomer, parent: in.CustomerID, order: in.order()}, in.Paging, showDocument)
	})
	register(a, uploadOperation(creation("POST /customers/{customerId}/documents", "uploadCustomerDocument",
		"Upload a customer's document", "Stores the body as a document of the customer and returns the document. Its name is `name`, or the file name in Content-Disposition. Its media type is derived from the name and the bytes.",
	)), backoffice.CustomersWrite, func(ctx context.Context, in *struct {
		OfCustomer
		Idempotent
		Name               Optional[string] `query:"name" doc:"The document's name."`
		ContentDisposition string           `header:"Content-Disposition" doc:"The name, unless the query has one: attachment; filename=\"Statuten.pdf\" (RFC 6266)."`
		ContentDigest      string           `header:"Content-Digest" doc:"The SHA-256 of the bytes (RFC 9530). Other bytes are rejected." example:"sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:"`
	}) (*made[Document], error) {
		draft, err := a.readUpload(ctx, in.CustomerID, value(in.Name), in.ContentDisposition, in.ContentDigest)
		if err != nil {
			return nil, err
		}
		d, err := a.Service.CreateDocument(ctx, auth.From(ctx), draft, in.key())
		return a.uploaded(d, draft, err)
	})
	register(a, signedOperation(creation("PUT /uploads/{documentId}", "uploadDocument",
		"Upload a document to a signed path", "Stores the body as the document for which GraphQL's createDocumentUpload created the path, and returns the document. The path replaces the credential's headers. "+
			"Sending the same bytes again is safe and creates no second document; other bytes: 409.",
	)), backoffice.CustomersWrite, func(ctx context.Context, in *struct {
		SignedUpload
		ContentDigest string `header:"Content-Digest" doc:"The SHA-256 of the bytes (RFC 9530). Other bytes are rejected." example:"sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:"`
	}) (*made[Document], error) {
		// Neither value is nil: the signature covers both.
		upload := &backoffice.DocumentUpload{ID: in.DocumentID, CustomerID: *value(in.Customer), Name: *value(in.Name)}
		draft, err := a.readUpload(ctx, upload.CustomerID, &upload.Name, "", in.ContentDigest)
		if err != nil {
			return nil, err
		}
		d, err := a.Service.UploadDocument(ctx, auth.From(ctx), upload, draft)
		return a.uploaded(d, draft, err)
	})
	register(a, fileOperation(operation("GET /customers/documents/{documentId}/download", "downloadCustomerDocument",
		"Download a customer's document", "The file of a customer's document.",
	)), "", func(ctx context.Context, in *struct {
		DocumentID string `path:"documentId" doc:"The document's identifier."`
	}) (*download, error) {
		return a.download(ctx, backoffice.FileOwner{Kind: backoffice.DocumentFile, ID: in.DocumentID})
	})
}
