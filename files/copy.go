package files

import (
	"context"
	"errors"
	"io/fs"

	"example.org/backoffice/backoffice"
)

// Copy brings files into a folder under the keys that they have in another store, so that records copied beside them
// find them: the files half of a backup. Keys that the folder already holds are passed over, for a file never changes;
// so a second call after the records were copied brings what was added meanwhile. It returns how many it copied.
// A key that from doesn't hold is an error of kind NotFound.
func Copy(ctx context.Context, into *Folder, from backoffice.FileStore, keys []string) (int, error) {
	copied := 0
	for _, key := range keys {
		done, err := into.copyOne(ctx, from, key)
		if err != nil {
			return copied, err
		}
		if done {
			copied++
		}
	}
	return copied, nil
}

func (f *Folder) copyOne(ctx context.Context, from backoffice.FileStore, key string) (bool, error) {
	if !backoffice.ValidFileKey(key) {
		return false, noFile()
	}
	switch _, err := f.root.Stat(key); {
	case err == nil:
		return false, nil
	case !errors.Is(err, fs.ErrNotExist):
		return false, storeFault(err, "looking for a file")
	}
	reader, err := from.Open(ctx, key, 0, -1)
	if err != nil {
		return false, err
	}
	defer reader.Close()
	return true, f.write(key, &source{ctx: ctx, r: reader})
}

// CopyFile brings a file into any store under the key that it has in another. One that is there already is passed over.
func CopyFile(ctx context.Context, into, from backoffice.FileStore, file backoffice.File) error {
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
