package files

import (
	"context"
	"io"

	"example.org/backoffice/backoffice"
)

// Opener opens files by their keys.
type Opener interface {
	Open(ctx context.Context, key string, offset, length int64) (io.ReadCloser, error)
}

// Copy copies a file into another store under its key, so that records copied along find it. Files never change, so it
// skips one that is there: a second call after the records brings what was added since. NotFound when from lacks it.
func Copy(ctx context.Context, into backoffice.FileStore, from Opener, file backoffice.File) error {
	missing, err := into.Missing(ctx, []string{file.Key})
	if err != nil || len(missing) == 0 {
		return err
	}
	return CopyOver(ctx, into, from, file)
}

// CopyOver is Copy that replaces a file that is there, such as a damaged one.
func CopyOver(ctx context.Context, into backoffice.FileStore, from Opener, file backoffice.File) error {
	reader, err := from.Open(ctx, file.Key, 0, -1)
	if err != nil {
		return err
	}
	defer reader.Close()
	_, err = into.Put(ctx, file.Key, reader, file.ContentType)
	return err
}
