package files

import (
	"context"

	"example.org/backoffice/backoffice"
)

// Copy copies a file into another store under its key, so that records copied along find it. It skips a file that is
// there already, since files never change: a second call after the records were copied brings what was added meanwhile.
// NotFound when from doesn't have it.
func Copy(ctx context.Context, into, from backoffice.FileStore, file backoffice.File) error {
	missing, err := into.Missing(ctx, []string{file.Key})
	if err != nil || len(missing) == 0 {
		return err
	}
	reader, err := from.Open(ctx, file.Key, 0, -1)
	if err != nil {
		return err
	}
	defer reader.Close()
	_, err = into.Put(ctx, file.Key, reader, file.ContentType)
	return err
}
