package backoffice

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"io"
)

// DocumentDraft is the input to create a customer's document.
type DocumentDraft struct {
	CustomerID  string
	Name        string
	ContentType string    // a media type
	Content     io.Reader // its bytes, read to their end once
	Max         int64     // the most bytes
	SHA256      []byte    // the expected digest, nil for any
}

// ErrTooManyBytes is the cause of OverLimit for a document with more bytes than DocumentDraft.Max.
var ErrTooManyBytes = errors.New("a document has too many bytes")

// CreateDocument stores a customer's document; it needs customers.write. When it fails nothing is left behind. Refused
// with NOT_FOUND (customerId), REQUIRED and INVALID (name), INVALID (content) for no bytes or another digest, and, for
// a key that was used before, like create: the bytes must be the same. OverLimit for more bytes than Max.
func (s *Service) CreateDocument(
	ctx context.Context, by *Principal, draft DocumentDraft, key Optional[string],
) (*CustomerDocument, error) {
	if err := require(by, CustomersWrite); err != nil {
		return nil, err
	}
	return s.createDocument(ctx, by, NewID(), draft, key)
}

var errMadeBefore = errors.New("the document was made before")

func (s *Service) createDocument(
	ctx context.Context, by *Principal, id string, draft DocumentDraft, key Optional[string],
) (_ *CustomerDocument, err error) {
	now := InstantOf(s.now())
	made := &CustomerDocument{ID: id, Name: draft.Name, CustomerID: draft.CustomerID, CreatedAt: now}
	if err := checkDocument(made); err != nil { // before reading its bytes
		return nil, err
	}
	upload, err := BeginUpload(ctx, s.Store, s.Files)
	if err != nil {
		return nil, err
	}
	used := false
	defer func() {
		failed := err
		if err == nil && !used { // the document was made before, with a file of its own
			upload.Drop(ctx) // also when one round trip has ended its registration
			failed = errMadeBefore
		}
		upload.Close(ctx, failed)
	}()
	file, err := putDocument(ctx, upload, &draft)
	if err != nil {
		return nil, err
	}
	made.File = &file
	made.File.Owner = FileOwner{Kind: DocumentFile, ID: made.ID}
	content := values{}
	content.set("customerId", made.CustomerID)
	content.set("name", made.Name)
	content.set("file", hex.EncodeToString(file.SHA256))
	var customer *Customer
	var known bool
	document, err := create(ctx, s, creation[CustomerDocument, DocumentCriteria]{
		by: by, action: "createDocument", table: DocumentTable, made: made, at: now, key: key, content: content,
		look: func(ctx context.Context, tx Tx) error {
			return tx.Together(ctx, finding(tx.Customers(), made.CustomerID, &customer, &known),
				func(ctx context.Context) error { return upload.Commit(ctx, tx) })
		},
		check: func(check *checker) {
			if !known {
				check.add(CodeNotFound, "no customer has this identifier", "customerId")
			}
		},
	})
	used = document == made
	return document, err
}

// checkDocument checks a document without its bytes.
func checkDocument(made *CustomerDocument) error {
	var check checker
	check.reference(made.CustomerID, "customerId")
	if made.Name == "" {
		check.add(CodeRequired, "this field is required", "name")
	} else if err := CheckText(made.Name, MaxText); err != nil {
		check.add(CodeInvalid, err.Error(), "name")
	}
	return check.refusal()
}

func putDocument(ctx context.Context, upload *Upload, draft *DocumentDraft) (file File, err error) {
	content := &atMost{r: draft.Content, left: draft.Max}
	if file, err = upload.Put(ctx, content, draft.ContentType); content.over {
		return file, &Error{Kind: OverLimit, Message: "the document has too many bytes", Cause: ErrTooManyBytes}
	}
	switch {
	case err != nil:
		return file, err
	case file.Size == 0:
		return file, refused(CodeInvalid, "the document is empty", "content")
	case draft.SHA256 != nil && !bytes.Equal(file.SHA256, draft.SHA256):
		return file, refused(CodeInvalid, "the bytes do not match the given digest", "content")
	}
	return file, nil
}

// atMost reads up to left bytes, and fails with ErrTooManyBytes after them.
type atMost struct {
	r    io.Reader
	left int64
	over bool
}

func (a *atMost) Read(p []byte) (int, error) {
	if int64(len(p)) > a.left+1 {
		p = p[:a.left+1]
	}
	n, err := a.r.Read(p)
	if int64(n) > a.left {
		a.over = true
		return 0, ErrTooManyBytes
	}
	a.left -= int64(n)
	return n, err
}
