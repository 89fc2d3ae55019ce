package files

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"example.org/backoffice/backoffice"
)

// OpenObjects opens a folder that exists (file:PATH) or a bucket (as OpenBucket). It does not look whether it is there:
// a disk may be mounted later, and a bucket be back later. Errors repeat no URL.
func OpenObjects(location string) (backoffice.ObjectStore, error) {
	folder, isFolder, err := parseFolder(location)
	switch {
	case err != nil:
		return nil, err
	case isFolder:
		return objectFolder(folder), nil
	case isBucket(location):
		bucket, err := newBucket(location)
		if err != nil {
			return nil, err
		}
		return objectBucket{bucket}, nil
	}
	return nil, errors.New("it must be a folder (file:PATH) or a bucket (s3://BUCKET?region=REGION)")
}

const (
	// holdMark is the name of what its holder holds.
	holdMark = "lease"
	// holdPeriod is how often a holder makes sure of it, and holdTime when it ends if that fails.
	holdPeriod = 3 * time.Second
	holdTime   = 10 * time.Second
)

// objectFolder opens the folder each time: its disk may be unmounted and mounted again.
type objectFolder string

func (f objectFolder) open() (*Folder, error) {
	root, err := os.OpenRoot(string(f))
	if err != nil {
		return nil, storeFault(err, "opening the folder")
	}
	folder := &Folder{}
	folder.root.Store(root)
	return folder, nil
}

func (f objectFolder) Put(ctx context.Context, name string, content io.Reader) error {
	folder, err := f.open()
	if err != nil {
		return err
	}
	defer folder.Close()
	part := path.Join(partFolder, backoffice.NewID())
	defer func() { _ = folder.at().Remove(part) }()
	from := &source{ctx: ctx, r: content}
	if err = folder.makeFolderOf(part); err == nil {
		err = folder.writePart(part, from)
	}
	if err == nil {
		err = folder.makeFolderOf(name)
	}
	if err == nil {
		err = folder.at().Rename(part, name)
	}
	if errors.Is(err, fs.ErrNotExist) { // Delete has removed the folder meanwhile
		if err = folder.makeFolderOf(name); err == nil {
			err = folder.at().Rename(part, name)
		}
	}
	if err == nil {
		err = folder.syncFolder(path.Dir(name))
	}
	if err != nil {
		return from.fault(err, "writing to the folder")
	}
	return nil
}

func (f objectFolder) Get(ctx context.Context, name string) (io.ReadCloser, error) {
	file, err := os.OpenInRoot(string(f), name)
	if err != nil {
		return nil, storeFault(err, "reading from the folder")
	}
	return part{&source{ctx: ctx, r: file}, file}, nil
}

// Delete removes the object's folder, too, when nothing else is in it.
func (f objectFolder) Delete(ctx context.Context, name string) error {
	folder, err := f.open()
	if err != nil {
		return err
	}
	defer folder.Close()
	if err = ctx.Err(); err == nil {
		err = folder.at().Remove(name)
	}
	switch in := path.Dir(name); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil:
		err = folder.syncFolder(in)
		if in != "." {
			_ = folder.at().Remove(in) // which fails while something is in it
		}
	}
	if err != nil {
		return storeFault(err, "deleting from the folder")
	}
	return nil
}

// List reads no folder whose names are all before.
func (f objectFolder) List(ctx context.Context, folder, after string, visit func(name string) error) error {
	start := filepath.Join(string(f), folder)
	err := filepath.WalkDir(start, func(at string, entry fs.DirEntry, err error) error {
		name, outside := filepath.Rel(string(f), at)
		name = filepath.ToSlash(name)
		switch {
		case errors.Is(err, fs.ErrNotExist) && (at != start || folder != ""):
			return nil // nothing is in it yet, or Delete has removed it
		case err != nil || outside != nil || ctx.Err() != nil:
			return errors.Join(err, outside, ctx.Err())
		case entry.IsDir() && at != start && (notOurs(entry) ||
			name+"/" < after && !strings.HasPrefix(after, name+"/")):
			return fs.SkipDir
		case entry.Type().IsRegular() && name > after:
			return visit(name)
		}
		return nil
	})
	if err != nil {
		return storeFault(err, "listing the folder")
	}
	return nil
}

// Hold locks a file in the folder: the system releases it when the process ends.
func (f objectFolder) Hold(ctx context.Context) (context.Context, func(), error) {
	name := filepath.Join(string(f), holdMark)
	if _, err := os.Stat(string(f)); err != nil {
		return nil, nil, errors.New("the folder does not exist: make it, or mount its disk")
	}
	file, err := lockFile(name)
	if errors.Is(err, errLocked) {
		return nil, nil, backoffice.ErrHeld
	}
	if err != nil {
		return nil, nil, storeFault(err, "locking the folder")
	}
	is, err := file.Stat()
	if err != nil {
		return nil, nil, errors.Join(storeFault(err, "locking the folder"), file.Close())
	}
	held, end := context.WithCancel(ctx)
	go backoffice.Every(held, time.Second, func() {
		if now, err := os.Stat(name); err != nil || !os.SameFile(is, now) { // the disk was unmounted
			end()
		}
	})
	return held, func() { end(); _ = file.Close() }, nil
}

// errLocked reports that another process has locked a file.
var errLocked = errors.New("it is locked by another process")
