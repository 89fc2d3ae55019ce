package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"example.org/backoffice/backoffice"
)

// partFolder is for files being written: inside the store's folder, so that a rename stays in one file system.
const partFolder = backoffice.Unfinished

// Folder keeps files in a local folder, which only its owner may read. It can be copied while nothing writes to it.
// Servers of one machine may share it.
type Folder struct {
	dir   string                  // where it was opened; "" is not checked any more
	root  atomic.Pointer[os.Root] // keeps access inside, whatever the links
	owner atomic.Pointer[string]  // its owner mark, once read
}

func (f *Folder) at() *os.Root { return f.root.Load() }

// OpenFolder opens a folder and makes it when missing. It fails when the folder is not writable.
func OpenFolder(dir string) (*Folder, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("cannot create the folder of stored files: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("the folder of stored files cannot be opened: %w", err)
	}
	folder := &Folder{dir: dir}
	folder.root.Store(root)
	if err := folder.probe(); err != nil {
		_ = root.Close()
		return nil, fmt.Errorf("the folder of stored files, %s, cannot be written: %w", dir, err)
	}
	return folder, nil
}

func (f *Folder) probe() error {
	if err := f.at().Mkdir(partFolder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	name := path.Join(partFolder, "probe-"+backoffice.NewUploadID())
	if err := f.at().WriteFile(name, nil, 0o600); err != nil {
		return err
	}
	return f.at().Remove(name)
}

// Close closes the folder. Open readers stay open.
func (f *Folder) Close() error { return f.at().Close() }

// Put writes to a temporary name, syncs, renames and syncs the folders: a crash leaves the whole file or none.
func (f *Folder) Put(ctx context.Context, key string, r io.Reader, contentType string) (backoffice.File, error) {
	if !backoffice.ValidFileKey(key) {
		return backoffice.File{}, noFile()
	}
	file := backoffice.File{Key: key, ContentType: contentType, TimeCreated: backoffice.InstantOf(time.Now())}
	digest := backoffice.NewFileDigest()
	if err := f.write(key, &source{ctx: ctx, r: io.TeeReader(r, digest)}); err != nil {
		return backoffice.File{}, err
	}
	digest.Fill(&file)
	return file, nil
}

func (f *Folder) write(key string, from *source) (err error) {
	if err := f.here(); err != nil { // a file written elsewhere would be gone when the folder is back
		return err
	}
	part := partOf(key)
	defer func() {
		if err != nil {
			_ = f.at().Remove(part)
			err = from.fault(err, "writing a file")
		}
	}()
	if err := f.writePart(part, from); err != nil {
		return err
	}
	if err := f.makeFolderOf(key); err != nil {
		return err
	}
	if err := f.at().Rename(part, key); err != nil {
		return err
	}
	if err := f.syncFolder(path.Dir(key)); err != nil {
		_ = f.at().Remove(key)
		return err
	}
	return nil
}

// makeFolderOf makes the folder of a name, durably.
func (f *Folder) makeFolderOf(name string) error {
	folder := path.Dir(name)
	switch err := f.at().Mkdir(folder, 0o700); {
	case errors.Is(err, fs.ErrExist):
		return nil
	case errors.Is(err, fs.ErrNotExist): // the one above is missing, too
		if err := f.makeFolderOf(folder); err != nil {
			return err
		}
		return f.makeFolderOf(name)
	case err != nil:
		return err
	}
	return f.syncFolder(path.Dir(folder))
}

func (f *Folder) writePart(part string, from io.Reader) error {
	file, err := f.at().OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if _, err = io.Copy(file, from); err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

func (f *Folder) syncFolder(name string) error { return SyncFolder(f.at().Open, name) }

// SyncFolder makes the names in a folder durable. Windows has no call for it.
func SyncFolder(open func(name string) (*os.File, error), name string) error {
	folder, err := open(name)
	if err != nil {
		return err
	}
	if runtime.GOOS != "windows" {
		err = folder.Sync()
	}
	return errors.Join(err, folder.Close())
}

func (f *Folder) Open(ctx context.Context, key string, offset, length int64) (io.ReadCloser, error) {
	if err := checkAsk(ctx, key, offset); err != nil {
		return nil, err
	}
	file, err := f.at().Open(key)
	if errors.Is(err, fs.ErrNotExist) {
		if err := f.here(); err != nil {
			return nil, err
		}
		file, err = f.at().Open(key)
	}
	return portion(file, err, offset, length)
}

// ReadOnlyFolder is a folder that is neither made nor written, such as a backup's.
type ReadOnlyFolder string

func (dir ReadOnlyFolder) Open(ctx context.Context, key string, offset, length int64) (io.ReadCloser, error) {
	if err := checkAsk(ctx, key, offset); err != nil {
		return nil, err
	}
	file, err := os.OpenInRoot(string(dir), key)
	return portion(file, err, offset, length)
}

func portion(file *os.File, err error, offset, length int64) (io.ReadCloser, error) {
	if err != nil {
		return nil, storeFault(err, "opening a file")
	}
	if length < 0 && offset == 0 {
		return file, nil
	}
	if _, err := file.Seek(offset, io.SeekStart); err != nil {
		_ = file.Close()
		return nil, storeFault(err, "seeking in a file")
	}
	if length < 0 {
		return file, nil
	}
	return &part{Reader: io.LimitReader(file, length), Closer: file}, nil
}

type part struct {
	io.Reader
	io.Closer
}

func (f *Folder) Missing(ctx context.Context, keys []string) ([]string, error) {
	if err := f.here(); err != nil {
		return nil, err
	}
	var missing []string
	for _, key := range keys {
		if err := ctx.Err(); err != nil {
			return nil, backoffice.Fault(err, "looking for files")
		}
		if !backoffice.ValidFileKey(key) {
			missing = append(missing, key)
			continue
		}
		switch info, err := f.at().Stat(key); {
		case errors.Is(err, fs.ErrNotExist), err == nil && !info.Mode().IsRegular():
			missing = append(missing, key)
		case err != nil:
			return nil, storeFault(err, "looking for files")
		}
	}
	return missing, nil
}

// Delete removes files without syncing the folders: a file that a crash brings back has no record; Sweep removes it.
func (f *Folder) Delete(ctx context.Context, keys ...string) error {
	return f.DeleteIn(ctx, "", keys)
}

func (f *Folder) DeleteIn(ctx context.Context, area string, keys []string) error {
	for _, key := range keys {
		if err := ctx.Err(); err != nil {
			return backoffice.Fault(err, "removing files")
		}
		if !backoffice.ValidFileKey(key) {
			continue
		}
		if err := f.at().Remove(path.Join(area, key)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return storeFault(err, "removing a file")
		}
	}
	return nil
}

// notOurs reports whether what is in a folder is hidden, such as an area, or the disk's own, which only root may read.
func notOurs(entry fs.DirEntry) bool {
	return strings.HasPrefix(entry.Name(), ".") || entry.Name() == "lost+found"
}

// List implements Store. It skips anything that a Folder never makes.
func (f *Folder) List(ctx context.Context, area string, visit func(key string) error) error {
	area = cmp.Or(area, ".")
	return fs.WalkDir(f.at().FS(), area, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return backoffice.Fault(ctx.Err(), "listing files")
		case errors.Is(err, fs.ErrNotExist):
			return nil // removed meanwhile, or an empty area
		case err != nil:
			return storeFault(err, "listing files")
		case entry.IsDir() && name != area && notOurs(entry):
			return fs.SkipDir
		}
		key := name
		if area != "." {
			key = strings.TrimPrefix(name, area+"/")
		}
		if !entry.Type().IsRegular() || !backoffice.ValidFileKey(key) {
			return nil
		}
		return visit(key)
	})
}
