package backoffice

import (
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"hash"
	"io"
)

// FileKind is the noun that a stored file belongs to, which decides the scope that guards it.
type FileKind string

const (
	TranscriptFile  FileKind = "transcript" // the generated document of a completed transcript
	CalculationFile FileKind = "calculation"
	DocumentFile    FileKind = "document"
	MinfinFile      FileKind = "minfin" // a document of the tax administration
)

// FileOwner is the record that a file belongs to; a signed download path names it, never the key.
type FileOwner struct {
	Kind FileKind
	ID   string
}

// File describes a stored file. Its bytes are in a FileStore under Key and never change: new content gets a new key.
type File struct {
	Key         string    // of the bytes in a FileStore; opaque, never shown
	Owner       FileOwner // set by the reader of the record, not by a FileStore
	ContentType string    // a media type, with a charset for texts
	Size        int       // in bytes
	MD5Hash     string    // in base64, as in the specification; against accidents only
	SHA256      []byte    // 32 bytes, for the strong ETag and Repr-Digest of a download
	TimeCreated Instant
}

// Same reports whether a record's file is unchanged; nil is no file.
func (f *File) Same(other *File) bool {
	if f == nil || other == nil {
		return f == other
	}
	return f.Key == other.Key && f.ContentType == other.ContentType && f.TimeCreated == other.TimeCreated
}

// FileStore keeps bytes under keys that an Upload makes. All methods may be called at the same time.
//
// Errors are of kind NotFound (an unknown key), BadInput (an impossible range), Timeout, or Unavailable with the cause
// for the log.
type FileStore interface {
	// Put reads r to its end and stores the bytes under a new key. They are durable when it returns without an error;
	// with an error nothing is stored under the key, even if the process dies. The file has every field but Owner. Only
	// Upload calls it: a sweep removes files that no upload has registered.
	Put(ctx context.Context, key string, r io.Reader, contentType string) (File, error)
	// Open reads length bytes from offset, or to the end when length is negative. A range past the end is cut, maybe to
	// nothing. The caller closes the reader.
	Open(ctx context.Context, key string, offset, length int64) (io.ReadCloser, error)
	// Missing returns the keys that have no file.
	Missing(ctx context.Context, keys []string) ([]string, error)
	// Delete removes the files of the keys. Unknown keys are ignored.
	Delete(ctx context.Context, keys ...string) error
}

// FileDigest is an io.Writer that computes the size and hashes of a file.
type FileDigest struct {
	size   int
	md5    hash.Hash
	sha256 hash.Hash
}

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
