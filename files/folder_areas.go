package files

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"

	"example.org/backoffice/backoffice"
)

const (
	// marker contains the owner of a file store.
	marker = ".owner"
	// quarantine is the area of files that no record names.
	quarantine = ".quarantine"
)

// partOf is the name under which a file is written.
func partOf(key string) string { return path.Join(partFolder, strings.ReplaceAll(key, "/", "")) }

func (f *Folder) ListParts(ctx context.Context, visit func(key string) error) error {
	entries, err := fs.ReadDir(f.at().FS(), partFolder)
	if err != nil {
		return storeFault(err, "listing files that are being written")
	}
	for _, entry := range entries {
		name := entry.Name()
		if len(name) < 3 {
			continue
		}
		if key := name[:2] + "/" + name[2:]; backoffice.ValidFileKey(key) {
			if err := visit(key); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *Folder) DeleteParts(_ context.Context, keys ...string) error {
	for _, key := range keys {
		if err := f.at().Remove(partOf(key)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return storeFault(err, "removing a partly written file")
		}
	}
	return nil
}

func (f *Folder) Owner(context.Context) (string, error) {
	text, err := f.at().ReadFile(marker)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", storeFault(err, "reading the owner of the stored files")
	}
	mark := string(text)
	f.owner.Store(&mark)
	return ownerOf(text)
}

// Mark implements Store. The marker appears whole, under its name, for one caller alone.
func (f *Folder) Mark(ctx context.Context, fingerprint string) (string, error) {
	part := path.Join(partFolder, "owner-"+backoffice.NewUploadID())
	err := f.writePart(part, strings.NewReader(fingerprint+"\n"))
	if err == nil {
		err = f.at().Link(part, marker)
		if err != nil && !errors.Is(err, fs.ErrExist) { // a file system without links
			err = f.writePart(marker, strings.NewReader(fingerprint+"\n")) // exclusive too
		}
		_ = f.at().Remove(part)
	}
	if err == nil {
		err = f.syncFolder(".")
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return "", storeFault(err, "writing the owner of the stored files")
	}
	return f.Owner(ctx)
}

// ownerOf reads a marker. An empty one was left by a crash on a file system that cannot make it atomically.
func ownerOf(text []byte) (string, error) {
	owner := strings.TrimSpace(string(text))
	if owner == "" {
		return "", backoffice.Errorf(backoffice.BadInput, "the file %s next to the stored files, which has their owner, is empty: remove it if the files belong to this database", marker)
	}
	return owner, nil
}

// Move renames files and makes the new names durable.
func (f *Folder) Move(ctx context.Context, from, to string, keys []string) error {
	changed := map[string]bool{}
	for _, key := range keys {
		if err := ctx.Err(); err != nil {
			return backoffice.Fault(err, "moving files")
		}
		if !backoffice.ValidFileKey(key) {
			continue
		}
		target := path.Join(to, key)
		err := f.makeFolderOf(target)
		if err == nil {
			err = f.at().Rename(path.Join(from, key), target)
		}
		switch {
		case err == nil:
			changed[path.Dir(target)] = true
		case !errors.Is(err, os.ErrNotExist):
			return storeFault(err, "moving a file")
		}
	}
	for folder := range changed {
		if err := f.syncFolder(folder); err != nil {
			return storeFault(err, "moving files")
		}
	}
	return nil
}
