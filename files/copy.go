package files

import (
	"context"

	"example.org/backoffice/backoffice"
)

// Copy brings a file into another store under the key that it has in its own, so that records copied beside it find
// it. One that is there already is passed over, for a file never changes; so a second call after the records were
// copied brings what was added meanwhile. NotFound when from doesn't hold it.
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
