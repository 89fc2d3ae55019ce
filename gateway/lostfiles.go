package gateway

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/files"
)

// aside is the folder that every store of files has; see files.Folder.
const aside = ".part"

// mayBeLost refuses a folder of stored files that is missing or empty beside a database that names some: its disk is not mounted, and what
// would be written there now would be hidden as soon as it is.
func (s *Settings) mayBeLost(ctx context.Context, store backoffice.Store) error {
	folder, ok := files.FolderOf(s.Files)
	if !ok {
		return nil
	}
	entries, err := os.ReadDir(folder)
	if len(entries) > 0 || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil // to open it says what is wrong
	}
	documents, err := backoffice.ReadCounts(ctx, store.Documents(), backoffice.Root, backoffice.DocumentCriteria{}, []string{backoffice.NoParent})
	if err != nil {
		return err
	}
	minfin, err := backoffice.ReadCounts(ctx, store.MinfinDocuments(), backoffice.Root, backoffice.MinfinCriteria{}, []string{backoffice.NoParent})
	if err != nil {
		return err
	}
	if count := documents[""] + minfin[""]; count > 0 {
		return fmt.Errorf("the folder of stored files %s is missing or empty, and the database names the files of %d documents: mount its disk, or restore it; if they are lost for good, make the folder %s in it",
			folder, count, filepath.Join(folder, aside))
	}
	return nil
}
