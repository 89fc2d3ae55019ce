package gateway

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/files"
)

// aside is the folder that every store of files has; see files.Folder.
const aside = ".part"

// mayBeLost rejects a missing or empty folder of stored files when the database names some: its disk is not mounted,
// and mounting it later would hide what is written there now.
func (s *Settings) mayBeLost(ctx context.Context, store backoffice.Store) error {
	folder, ok := files.FolderOf(s.Files)
	if !ok {
		return nil
	}
	entries, err := os.ReadDir(folder)
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return e.Name() == "lost+found" }) // a disk's own
	if len(entries) > 0 || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil // opening it reports the fault
	}
	if named, err := store.NamesFiles(ctx); err != nil || !named {
		return err
	}
	return fmt.Errorf("the folder of stored files %s is missing or empty, but the database refers to files in it: mount its disk, or restore it; if they are permanently lost, create the folder %s in it",
		folder, filepath.Join(folder, aside))
}
