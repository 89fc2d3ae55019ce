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
// are in areas: those of records, those being written, and the quarantine.
type Store interface {
	backoffice.FileStore
	io.Closer

	// Owner is the fingerprint of the database that the files belong to, "" when unmarked.
	Owner(ctx context.Context) (string, error)
	// Mark makes a database the owner unless there is one, and returns the owner. Of concurrent callers one wins.
	Mark(ctx context.Context, fingerprint string) (owner string, err error)

	// ListParts visits the keys of files that are being written or whose upload was interrupted, if it can see them.
	ListParts(ctx context.Context, visit func(key string) error) error
	// DeleteParts removes what was written of files so far; writers of these files then fail.
	DeleteParts(ctx context.Context, keys ...string) error

	// Move moves files from one area to another; "" is the area of records. It skips missing files.
	Move(ctx context.Context, from, to string, keys []string) error
	// List visits the files in an area, "" for those of records, in no particular order, and stops at the first error.
	// It may or may not visit what is put or deleted meanwhile.
	List(ctx context.Context, area string, visit func(key string) error) error
	DeleteIn(ctx context.Context, area string, keys []string) error
}

// Open opens the store that a URL names: file:PATH is a folder, made when missing; s3://BUCKET with the settings of
// OpenBucket is a bucket. It fails when the store is not writable. Errors never repeat a URL: it may hold secrets.
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
	return nil, errors.New("stored files must be in a folder (file:PATH) or a bucket (s3://BUCKET?region=REGION)")
}

// FolderOf returns the folder that a URL names; ok is false for a bucket, and for an invalid URL.
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
		return "", true, errors.New("a folder's URL has no settings; write a ? or # in the path as %3F or %23")
	}
	if authority, isURL := strings.CutPrefix(rest, "//"); isURL {
		host, path, _ := strings.Cut(authority, "/")
		if host != "" && host != "localhost" {
			return "", true, errors.New("a folder must be on this machine: write file:PATH or file:///PATH")
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
