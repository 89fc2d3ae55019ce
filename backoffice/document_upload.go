package backoffice

import (
	"context"
	"net/url"
)

// DocumentUpload is a document that may be uploaded. It has an identifier before its bytes arrive, so that sending them
// again does not make a second document. It is not stored.
type DocumentUpload struct {
	ID         string
	CustomerID string
	Name       string
}

// Path is where the bytes are sent, with a signature in place of credentials.
func (u *DocumentUpload) Path(signature string) string {
	query := url.Values{"customer": {u.CustomerID}, "name": {u.Name}, "signature": {signature}}
	return "/uploads/" + u.ID + "?" + query.Encode()
}

// PrepareUpload makes the upload for UploadDocument; it needs customers.write. Refused with NOT_FOUND (customerId),
// REQUIRED and INVALID (name), and NOT_ALLOWED where documents are another office's.
func (s *Service) PrepareUpload(ctx context.Context, by *Principal, customerID, name string) (*DocumentUpload, error) {
	if err := require(by, CustomersWrite); err != nil {
		return nil, err
	}
	made := &CustomerDocument{ID: NewID(), Name: name, CustomerID: customerID}
	if err := checkDocument(made); err != nil {
		return nil, err
	}
	mirror, err := s.Store.Mirror(ctx)
	if err == nil {
		err = mirror.refuse(NounDocument)
	}
	if err != nil {
		return nil, err
	}
	err = s.write(ctx, func(ctx context.Context, tx Tx) (bool, error) { // which sees what this request wrote before
		_, known, err := Find(ctx, tx.Customers(), customerID)
		if err == nil && !known {
			err = NoSuch(NounCustomer, "customerId")
		}
		return false, err
	})
	if err != nil {
		return nil, err
	}
	return &DocumentUpload{ID: made.ID, CustomerID: customerID, Name: name}, nil
}

// UploadDocument stores the document of an upload as CreateDocument does, at most once: for the same bytes it returns
// the existing document. Refused like CreateDocument, and with TAKEN for other bytes. NotFound when the document was
// deleted.
func (s *Service) UploadDocument(
	ctx context.Context, by *Principal, upload *DocumentUpload, draft DocumentDraft,
) (*CustomerDocument, error) {
	if err := require(by, CustomersWrite); err != nil {
		return nil, err
	}
	draft.CustomerID, draft.Name = upload.CustomerID, upload.Name
	made, err := s.createDocument(ctx, by, upload.ID, draft, Value("upload "+upload.ID))
	for _, wrong := range userErrorsOf(err) {
		switch {
		case len(wrong.Field) == 0 || wrong.Field[0] != "idempotencyKey":
		case wrong.Code == CodeNotFound:
			return nil, Errorf(NotFound, "the document that was uploaded here has been deleted")
		default:
			return nil, refused(CodeTaken, "another document was uploaded here: request a new path")
		}
	}
	return made, err
}
