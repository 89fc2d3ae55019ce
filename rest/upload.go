package rest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"
	"golang.org/x/sync/semaphore"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/files"
)

// uploadKey marks an operation whose body is the bytes of a file, stored as they arrive.
const uploadKey = "upload"

func uploads(op *huma.Operation) bool { return op.Metadata[uploadKey] != nil }

// signedKey marks an operation whose path carries a signature in place of credentials.
const signedKey = "signed"

func signs(op *huma.Operation) bool { return op.Metadata[signedKey] != nil }

func signedOperation(op huma.Operation) huma.Operation {
	op = uploadOperation(op)
	op.Metadata[signedKey] = true
	op.Security = []map[string][]string{} // no headers
	return op
}

// SignedUpload is what a signed path fixes about the document.
type SignedUpload struct {
	DocumentID string           `path:"documentId" doc:"The identifier that the document gets."`
	Customer   Optional[string] `query:"customer" doc:"The identifier of the customer."`
	Name       Optional[string] `query:"name" doc:"The document's name."`
	Signature  Optional[string] `query:"signature" doc:"The signature of the whole path, for one credential."`
}

func (a *API) uploadSignedFor(r *http.Request) (clientID string, err error) {
	query := r.URL.Query()
	of := &backoffice.DocumentUpload{
		ID: chi.URLParam(r, "documentId"), CustomerID: query.Get("customer"), Name: query.Get("name")}
	return a.Keys.VerifyUpload(query.Get("signature"), of, time.Now())
}

func uploadOperation(op huma.Operation) huma.Operation {
	op.Metadata = map[string]any{streamedKey: true, uploadKey: true}
	op.RequestBody = &huma.RequestBody{
		Description: "The bytes of the file.", Required: true,
		Content: map[string]*huma.MediaType{"*/*": {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}},
	}
	return op
}

// mostUploads is the maximum number of simultaneous uploads per credential. Each has at most API.Upload bytes.
const mostUploads = 20

// start counts a transfer of the context's credential. Errors: RateLimited when too many are in progress.
func (a *API) start(ctx context.Context, op *huma.Operation) (end func(), err error) {
	most, what := int64(mostUploads), "uploads"
	switch {
	case uploads(op):
	case op.Metadata[oneKey] != nil:
		most, what = 1, "request for "+op.Path
	default:
		return func() {}, nil
	}
	known, _ := a.running.LoadOrStore([2]string{what, auth.From(ctx).ClientID}, semaphore.NewWeighted(most))
	if running := known.(*semaphore.Weighted); running.TryAcquire(1) {
		return func() { running.Release(1) }, nil
	}
	return nil, backoffice.Errorf(backoffice.RateLimited, "at most %d %s at a time per credential", most, what)
}

// readUpload makes a draft of the request's query and headers, and of the first bytes of the file, which is its body.
func (a *API) readUpload(ctx context.Context, customerID string, name *string, disposition, digest string,
) (draft backoffice.DocumentDraft, err error) {
	r, _ := humachi.Unwrap(requestOf(ctx).humaContext)
	draft = backoffice.DocumentDraft{CustomerID: customerID, Max: a.Upload}
	if media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); encoded(r) || media == "multipart/form-data" {
		return draft, problem(http.StatusUnsupportedMediaType,
			"a file must be the body itself, without Content-Encoding")
	}
	if r.ContentLength > a.Upload {
		return draft, a.tooLong()
	}
	if draft.Name, err = uploadName(name, disposition); err != nil {
		return draft, err
	}
	if draft.SHA256, err = contentDigest(digest); err != nil {
		return draft, err
	}
	head := make([]byte, files.HeadLength)
	n, err := io.ReadFull(r.Body, head)
	if r.ContentLength > int64(n) && n < len(head) ||
		err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return draft, problem(http.StatusBadRequest, "the body could not be read")
	}
	draft.ContentType = files.DetectContentType(draft.Name, head[:n])
	draft.Content = &uploadBody{Reader: io.MultiReader(bytes.NewReader(head[:n]), r.Body)}
	return draft, nil
}

// uploadBody records why reading the client's bytes failed.
type uploadBody struct {
	io.Reader
	failed error
}

func (u *uploadBody) Read(p []byte) (int, error) {
	n, err := u.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		u.failed = err
	}
	return n, err
}

// uploadName is the name in the query, else the one in Content-Disposition, without folders.
func uploadName(name *string, disposition string) (string, error) {
	if name != nil {
		return *name, nil
	}
	if disposition == "" {
		return "", nil
	}
	_, parameters, err := mime.ParseMediaType(disposition)
	if err != nil {
		return "", badParameter("Content-Disposition", "the header is malformed")
	}
	given := strings.ReplaceAll(parameters["filename"], `\`, "/")
	return given[strings.LastIndexByte(given, '/')+1:], nil
}

// contentDigest returns the last SHA-256 among the digests of Content-Digest (RFC 9530); nil without one.
func contentDigest(header string) (sum []byte, err error) {
	for item := range strings.SplitSeq(header, ",") {
		algorithm, value, _ := strings.Cut(strings.TrimSpace(item), "=")
		if !strings.EqualFold(algorithm, "sha-256") {
			continue
		}
		text, isBytes := strings.CutPrefix(value, ":")
		text, ends := strings.CutSuffix(text, ":")
		sum, err = base64.StdEncoding.DecodeString(text)
		if !isBytes || !ends || err != nil || len(sum) != sha256.Size {
			return nil, badParameter("Content-Digest", "the header must have the form sha-256=:base64:")
		}
	}
	return sum, nil
}

func (a *API) tooLong() error {
	return problem(http.StatusRequestEntityTooLarge, "a document has at most "+strconv.FormatInt(a.Upload, 10)+" bytes")
}

// refusedUpload reports what is wrong with an upload by query parameter and header: the body is the file.
func (a *API) refusedUpload(draft backoffice.DocumentDraft, err error) error {
	if errors.Is(err, backoffice.ErrTooManyBytes) {
		return a.tooLong()
	}
	if body := draft.Content.(*uploadBody); body.failed != nil {
		return problem(http.StatusBadRequest, "the body could not be read")
	}
	known, ok := errors.AsType[*backoffice.Error](err)
	if !ok || known.Kind != backoffice.Refused || known.Mirrored {
		return err
	}
	shown := refusal(known.UserErrors)
	for i := range shown.Errors {
		switch e := &shown.Errors[i]; e.Pointer {
		case "/name":
			e.Pointer, e.Parameter = "", "name"
		case "/content":
			if e.Pointer = ""; draft.SHA256 != nil {
				e.Parameter = "Content-Digest" // else it is the body itself
			}
		}
	}
	return faulty(shown.Status, shown.Errors)
}
