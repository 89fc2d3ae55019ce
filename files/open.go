package files

import (
	"context"
	"errors"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"example.org/backoffice/backoffice"
)

// Store is a backoffice.FileStore that is open until Close, with what its owner needs to keep it in order. Its files
// lie in areas: those of records, those that are being written, and the quarantine.
type Store interface {
	backoffice.FileStore
	io.Closer

	// Owner is the fingerprint of the database that the files belong to, "" when none has marked them.
	Owner(ctx context.Context) (string, error)
	// Mark makes a database the owner unless there is one, and returns the owner: of several callers at once, one.
	Mark(ctx context.Context, fingerprint string) (owner string, err error)

	// ListParts visits the keys of files that are being written or whose writing was cut short, if they can be seen.
	ListParts(ctx context.Context, visit func(key string) error) error
	// DeleteParts removes what was written of files so far; to go on writing one fails then.
	DeleteParts(ctx context.Context, keys ...string) error

	// Move moves files from one area to another: those of records are in "". What is not there is passed over.
	Move(ctx context.Context, from, to string, keys []string) error
	// List visits the files in an area, those of records in "", in no particular order, and stops at the first error.
	// What is put or deleted meanwhile may be visited or not.
	List(ctx context.Context, area string, visit func(key string) error) error
	DeleteIn(ctx context.Context, area string, keys []string) error
}

// Open opens the store that a URL names: file:PATH is a folder, which is made when it is missing; s3://BUCKET with the
// settings of OpenBucket is a bucket. It fails when nothing can be written there. Errors never repeat a URL, since
// people put secrets in them.
func Open(ctx context.Context, location string) (Store, error) {
	path, isFolder, err := parseFolder(location)
	switch {
	case err != nil:
		return nil, err
	case isFolder:
		return OpenFolder(path)
	case isBucket(location):
		return OpenBucket(ctx, location)
	}
	return nil, errors.New("stored files are in a folder (file:PATH) or in a bucket (s3://BUCKET?region=REGION)")
}

// FolderOf is the folder that a URL names; ok is false for a bucket, and for what cannot be read.
func FolderOf(location string) (path string, ok bool) {
	path, ok, err := parseFolder(location)
	return filepath.Clean(path), ok && err == nil
}

func isBucket(location string) bool {
	scheme, _, found := strings.Cut(location, ":")
	return found && strings.EqualFold(scheme, "s3")
}

// parseFolder reads file:data/files, file:/srv/files, file:///srv/files, file://localhost/srv/files; ok: its scheme.
func parseFolder(location string) (path string, ok bool, err error) {
	scheme, rest, found := strings.Cut(location, ":")
	if !found || !strings.EqualFold(scheme, "file") {
		return "", false, nil
	}
	if strings.ContainsAny(rest, "?#") {
		return "", true, errors.New("a folder takes no settings after its path; write a ? or # in it as %3F or %23")
	}
	if authority, isURL := strings.CutPrefix(rest, "//"); isURL {
		host, path, _ := strings.Cut(authority, "/")
		if host != "" && host != "localhost" {
			return "", true, errors.New("a folder is on this machine: write file:PATH or file:///PATH")
		}
		rest = "/" + path
	}
	path, err = url.PathUnescape(rest)
	switch {
	case err != nil:
		return "", true, errors.New("the folder's path has a % that starts no escape; write it as %25")
	case path == "" || strings.ContainsRune(path, 0):
		return "", true, errors.New("the folder's path is missing: write file:PATH")
	}
	return path, true, nil
}
