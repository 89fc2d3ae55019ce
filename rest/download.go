package rest

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"reflect"
	"slices"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"
	"github.com/klauspost/compress/gzhttp"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/files"
)

type FileMetadata struct {
	ContentType string  `json:"contentType" doc:"The media type." example:"application/pdf"`
	Size        int     `json:"size" doc:"The size in bytes."`
	MD5Hash     string  `json:"md5Hash" doc:"The MD5 hash of the bytes, in base64."`
	TimeCreated Instant `json:"timeCreated" doc:"When the file was stored."`
}

func showFile(f *backoffice.File) FileMetadata {
	if f == nil { // unexpected: the record's other fields are shown nevertheless
		return FileMetadata{}
	}
	return FileMetadata{ContentType: f.ContentType, Size: f.Size, MD5Hash: f.MD5Hash, TimeCreated: f.TimeCreated}
}

type storedFile struct {
	file *backoffice.File
	name string
}

// find returns the file of a record. Errors: Forbidden when the record's type needs a scope that the credential lacks;
// NotFound, naming what is missing, when the record does not exist or has no file.
func (a *API) find(ctx context.Context, owner backoffice.FileOwner) (f storedFile, err error) {
	switch owner.Kind {
	case backoffice.TranscriptFile:
		f, err = a.transcriptFile(ctx, owner.ID)
	case backoffice.CalculationFile:
		f, err = a.proposalFile(ctx, owner.ID)
	case backoffice.DocumentFile:
		f, err = a.documentFile(ctx, owner.ID)
	case backoffice.MinfinFile:
		f, err = a.minfinFile(ctx, owner.ID)
	default:
		err = backoffice.Errorf(backoffice.NotFound, "unknown path")
	}
	if err == nil && f.file == nil {
		err = backoffice.Errorf(backoffice.NotFound, "the file does not exist")
	}
	return f, err
}

func (a *API) transcriptFile(ctx context.Context, id string) (storedFile, error) {
	t, err := one(ctx, a.Store.Transcripts(), backoffice.NounTranscript, id)
	if err != nil {
		return storedFile{}, err
	}
	switch {
	case !t.IsCompleted && !t.DocumentGenerated:
		err = backoffice.Errorf(backoffice.NotFound,
			"the transcript is not completed, and no document was generated for it")
	case !t.IsCompleted:
		err = backoffice.Errorf(backoffice.NotFound, "the transcript is not completed")
	case !t.DocumentGenerated:
		err = backoffice.Errorf(backoffice.NotFound, "no document was generated for the transcript")
	}
	return storedFile{t.File(), "transcript-" + t.ID}, err
}

func (a *API) documentFile(ctx context.Context, id string) (storedFile, error) {
	d, err := one(ctx, a.Store.Documents(), backoffice.NounDocument, id)
	if err != nil {
		return storedFile{}, err
	}
	return storedFile{d.File, d.Name}, nil
}

func (a *API) minfinFile(ctx context.Context, id string) (storedFile, error) {
	if err := auth.Require(ctx, backoffice.MinfinRead); err != nil {
		return storedFile{}, err
	}
	d, err := one(ctx, a.Store.MinfinDocuments(), backoffice.NounMinfin, id)
	if err != nil {
		return storedFile{}, err
	}
	return storedFile{d.File, d.Name}, nil
}

// download is an answer that is streamed from the file store.
type download struct {
	Body func(huma.Context)
}

func (a *API) download(ctx context.Context, owner backoffice.FileOwner) (*download, error) {
	f, err := a.find(ctx, owner)
	if err != nil {
		return nil, err
	}
	return &download{func(ctx huma.Context) {
		r, w := humachi.Unwrap(ctx)
		w.Header().Set(gzhttp.HeaderNoCompression, "a file is sent uncompressed")
		a.serve(w, r, f)
	}}, nil
}

func (a *API) serve(w http.ResponseWriter, r *http.Request, f storedFile) {
	err := files.Serve(w, r, a.Files, *f.file, f.name)
	switch {
	case errors.Is(err, files.ErrOtherContent):
		err = faulty(http.StatusPreconditionFailed, []ProblemError{{
			Parameter: "If-Match", Code: string(backoffice.CodeStaleVersion), Detail: "the file has another entity tag",
		}})
	case errors.Is(err, files.ErrNothingOfRange):
		err = faulty(http.StatusRequestedRangeNotSatisfiable, []ProblemError{{
			Parameter: "Range", Code: string(backoffice.CodeInvalid),
			Detail: "the range is outside the file; Content-Range has its size",
		}})
	}
	if err != nil {
		a.Refuse(w, r, err)
	}
}

// streamedKey marks an operation that answers with the bytes of a file, through a small buffer, at the client's pace.
const streamedKey = "streamed"

func streams(op *huma.Operation) bool { return op.Metadata[streamedKey] != nil }

// fileOperation makes an operation stream; it documents what files.Serve answers.
func fileOperation(op huma.Operation) huma.Operation {
	text := &huma.Schema{Type: huma.TypeString}
	described := func(about string) *huma.Header { return &huma.Header{Description: about, Schema: text} }
	content := map[string]*huma.MediaType{"*/*": {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}}
	common := map[string]*huma.Header{
		"ETag":                described("The digest of the file."),
		"Content-Disposition": described("The name to save it under."),
		"Repr-Digest":         described("The SHA-256 of the whole file (RFC 9530)."),
	}
	op.Metadata = map[string]any{streamedKey: true}
	part := map[string]*huma.Header{"Content-Range": described("The position of the part.")}
	op.Responses = map[string]*huma.Response{
		"200": {Description: "The file.", Content: content, Headers: common},
		"206": {Description: "The requested part of the file.", Content: content, Headers: part},
		"304": {Description: "The caller already has the file (If-None-Match)."},
	}
	return op
}

// signedPath is the route of GraphQL's downloadPath; see backoffice.DownloadPath.
const signedPath = "/files/{kind}/{id}"

// serveSigned answers a signed path, which replaces the headers. It checks the credential's current scopes.
func (a *API) serveSigned(w http.ResponseWriter, r *http.Request) {
	owner := backoffice.FileOwner{Kind: backoffice.FileKind(chi.URLParam(r, "kind")), ID: chi.URLParam(r, "id")}
	f, err := a.find(r.Context(), owner)
	if err == nil && a.Open != nil { // it costs what it does with headers
		err = a.Open(r.Context())
	}
	if err != nil {
		a.Refuse(w, r, err)
		return
	}
	a.serve(w, r, f)
}

// inFormats describes answers of a type as JSON, and in other formats.
func (a *API) inFormats(about string, of reflect.Type, others ...string) map[string]*huma.Response {
	schema := a.huma.OpenAPI().Components.Schemas.Schema(of, true, of.Name())
	content := map[string]*huma.MediaType{mediaJSON: {Schema: schema}}
	for _, media := range others {
		content[media] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString}}
	}
	return map[string]*huma.Response{"200": {Description: about, Content: content}}
}

var mediaOf = map[string]string{
	"json": mediaJSON, "bods": mediaJSON, "svg": mediaSVG, "csv": mediaCSV, "pdf": mediaPDF}

// formatOf is the format that was sent, which Accept must allow; else, of all, the first that Accept prefers.
func formatOf(ctx context.Context, sent string, all ...string) (format string, err error) {
	if sent != "" {
		all = []string{sent}
	}
	offered := backoffice.Map(all, func(format string) string { return mediaOf[format] })
	at := slices.Index(offered, negotiate(headers(requestOf(ctx), "Accept"), offered...))
	if at < 0 {
		return "", problem(http.StatusNotAcceptable, "Accept does not allow the format that was sent")
	}
	return all[at], nil
}

// jsonOf is an answer of an operation that has other formats too.
func jsonOf(shown any) *download {
	var content bytes.Buffer
	_ = writeJSON(&content, shown) // to memory
	return bytesOf(mediaJSON, content.Bytes())
}

// bytesOf is an answer that is wholly in memory.
func bytesOf(media string, content []byte) *download {
	return &download{func(ctx huma.Context) {
		_, w := humachi.Unwrap(ctx)
		w.Header().Set("Content-Type", media)
		w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
		w.WriteHeader(http.StatusOK)
		_, _ = w.Write(content)
	}}
}
