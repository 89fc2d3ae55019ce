package backoffice

import (
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"hash"
	"io"
)

// FileKind says to which noun a stored file belongs, and so which scope guards it.
type FileKind string

const (
	// TranscriptFile is the generated document of a completed transcript.
	TranscriptFile  FileKind = "transcript"
	CalculationFile FileKind = "calculation"
	DocumentFile    FileKind = "document"
	// MinfinFile is a document of the tax administration.
	MinfinFile FileKind = "minfin"
)

// FileOwner is the record that a file belongs to; a signed download path names it, never the key.
type FileOwner struct {
	Kind FileKind
	ID   string
}

// File is what is known of a stored file. Its bytes are in a FileStore under Key and never change: new content gets a
// new key.
type File struct {
	// Key is where a FileStore keeps the bytes; opaque, and shown to nobody.
	Key string
	// Owner is set by whoever reads the record; a FileStore knows nothing of it.
	Owner FileOwner
	// ContentType is a media type, with a charset for texts.
	ContentType string
	// Size is in bytes.
	Size int
	// MD5Hash is in base64, as the specification has it. It guards against accidents only.
	MD5Hash string
	// SHA256 is 32 bytes; it makes the strong ETag and Repr-Digest of a download.
	SHA256      []byte
	TimeCreated Instant
}

// Same reports whether two records' files are one, as a change of them goes; nil is none.
func (f *File) Same(other *File) bool {
	if f == nil || other == nil {
		return f == other
	}
	return f.Key == other.Key && f.ContentType == other.ContentType && f.TimeCreated == other.TimeCreated
}

// FileStore keeps bytes under keys that an Upload makes. All methods may be called at the same time.
//
// Errors are of kind NotFound (a key that holds nothing), BadInput (a range that cannot be), Timeout, or Unavailable
// with the cause for the log.
type FileStore interface {
	// Put reads r to its end and keeps what it read under a new key. When it returns without an error, the bytes are
	// durable; when it returns one, nothing is kept under the key, whatever happens to the process. The file has every
	// field but Owner. Upload is the one caller: a sweep takes what no upload has registered.
	Put(ctx context.Context, key string, r io.Reader, contentType string) (File, error)
	// Open reads length bytes from offset, or to the end when length is negative. A range that reaches past the end
	// gives what there is, which may be nothing. The caller closes the reader.
	Open(ctx context.Context, key string, offset, length int64) (io.ReadCloser, error)
	// Missing returns those of the keys that hold nothing.
	Missing(ctx context.Context, keys []string) ([]string, error)
	// Delete removes what is kept under the keys. A key that holds nothing is passed over.
	Delete(ctx context.Context, keys ...string) error
}

// FileDigest is an io.Writer that takes the measures of a file while its bytes pass by.
type FileDigest struct {
	size   int
	md5    hash.Hash
	sha256 hash.Hash
}

// NewFileDigest has seen nothing yet.
func NewFileDigest() *FileDigest { return &FileDigest{md5: md5.New(), sha256: sha256.New()} }

// Write never fails.
func (d *FileDigest) Write(p []byte) (int, error) {
	d.size += len(p)
	d.md5.Write(p)
	d.sha256.Write(p)
	return len(p), nil
}

// Fill sets Size, MD5Hash and SHA256 to those of all bytes written so far.
func (d *FileDigest) Fill(file *File) {
	file.Size = d.size
	file.MD5Hash = base64.StdEncoding.EncodeToString(d.md5.Sum(nil))
	file.SHA256 = d.sha256.Sum(nil)
}

// DownloadPath is the path under which a file can be fetched with a signature in place of credentials.
func DownloadPath(owner FileOwner, signature string) string {
	return "/files/" + string(owner.Kind) + "/" + owner.ID + "?signature=" + signature
}
