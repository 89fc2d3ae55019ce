package importexport

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/files"
)

// fileReference is a line's reference to its record's file.
type fileReference struct {
	path    string // inside the folder, with slashes; "" when the line names none
	clear   bool
	created backoffice.Instant // zero when the line does not have it
}

// attachment makes the fields of a stored file: its path, and its REST metadata, of which only timeCreated is used.
func attachment[T any](at func(*T) **backoffice.File) []field[T] {
	return []field[T]{
		{
			name: "file", shown: "file",
			read: func(r *reading, _ *T, value raw) error {
				if r.file.clear = value.isNull(); r.file.clear {
					return nil
				}
				text, err := value.text()
				if err != nil {
					return err
				}
				r.file.path = text
				return checkPath(text)
			},
			same: func(a, b *T) bool { return (*at(a)).Same(*at(b)) },
		},
		{
			name: "timeCreated", cell: momentCell,
			read: func(r *reading, _ *T, value raw) error { return r.file.created.UnmarshalJSON(value) },
		},
		derived[T]("contentType"), derived[T]("size"), derived[T]("md5Hash"),
	}
}

// checkPath requires a path inside the folder, without "..".
func checkPath(path string) error {
	local := filepath.FromSlash(path)
	if !filepath.IsLocal(local) || strings.ContainsAny(path, "\\\x00") ||
		slices.Contains(strings.Split(path, "/"), "..") {
		return errOutside
	}
	return nil
}

var (
	errOutside = backoffice.Errorf(backoffice.BadInput,
		"the path must stay inside the folder: relative, without .. and without a link out of it")
	errNoFile  = backoffice.Errorf(backoffice.BadInput, "no such file in the folder")
	errNotFile = backoffice.Errorf(backoffice.BadInput, "not a file")
)

// attach stores the files of lines. It keeps content that is stored already, and forgets replaced files.
func (l *loading[T, C]) attach(ctx context.Context, entries []*entry[T]) error {
	if l.File == nil {
		return nil
	}
	var forgotten []string
	for _, e := range entries {
		at := l.File(e.row)
		old := *at
		if e.old != nil { // of an undo, the row has the earlier file already
			old = *l.File(e.old)
		}
		switch {
		case e.file.path != "":
			file, err := l.fileOf(ctx, e, old)
			if known, ok := errors.AsType[*backoffice.Error](err); ok && known.Kind == backoffice.BadInput {
				e.fault("file", known.Message)
				continue
			}
			if err != nil {
				return err
			}
			*at = file
		case e.file.clear:
			*at = nil
		}
		if file := *at; file != nil && !e.file.created.IsZero() && file.TimeCreated != e.file.created {
			moved := *file
			moved.TimeCreated = e.file.created
			*at = &moved
		}
		if old != nil && (*at == nil || (*at).Key != old.Key) {
			forgotten = append(forgotten, old.Key)
		}
	}
	if len(forgotten) == 0 || l.tx == nil {
		return nil
	}
	return l.tx.ForgetFiles(ctx, forgotten)
}

// fileOf is the file that a line names: staging stores it, and the transaction uses the stored one.
func (l *loading[T, C]) fileOf(ctx context.Context, e *entry[T], old *backoffice.File) (*backoffice.File, error) {
	if l.tx == nil {
		file, err := l.storeFile(ctx, e.file.path, old)
		e.at.file = file
		return file, err
	}
	file := *e.at.file
	switch {
	case old != nil && bytes.Equal(old.SHA256, file.SHA256):
		contentType := file.ContentType
		file = *old
		file.ContentType = contentType
	case !l.stored.put[file.Key]: // the record had this file, and it was replaced since
		return nil, errStale
	}
	return &file, nil
}

// storeFile stores a file of the folder unless old has the same bytes. BadInput when it cannot be read.
func (l *loading[T, C]) storeFile(ctx context.Context, path string, old *backoffice.File) (*backoffice.File, error) {
	source, err := l.im.openFile(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = source.Close() }()
	head := make([]byte, files.HeadLength)
	n, err := io.ReadFull(source, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, cannotRead("a file that "+l.source.name+" names", err)
	}
	head = head[:n]
	contentType := files.DetectContentType(path, head)
	whole := io.MultiReader(bytes.NewReader(head), source)
	if old != nil {
		digest, seen := backoffice.NewFileDigest(), backoffice.File{}
		if _, err := io.Copy(digest, whole); err != nil {
			return nil, cannotRead("a file that "+l.source.name+" names", err)
		}
		if digest.Fill(&seen); bytes.Equal(seen.SHA256, old.SHA256) {
			kept := *old
			kept.ContentType = contentType
			return &kept, nil
		}
		if _, err := source.Seek(0, io.SeekStart); err != nil {
			return nil, cannotRead("a file that "+l.source.name+" names", err)
		}
		whole = source
	}
	stored, err := l.stored.store(ctx, whole, contentType)
	if err != nil {
		return nil, err
	}
	return &stored, nil
}

// storedFiles are files stored during staging. The store lists them until the transaction that names them is committed.
type storedFiles struct {
	im     *importing
	upload *backoffice.Upload // nil until there is a file
	put    map[string]bool    // their keys
}

func (f *storedFiles) store(ctx context.Context, content io.Reader, mime string) (file backoffice.File, err error) {
	if f.im.DryRun {
		return f.imagine(content, mime)
	}
	if f.upload == nil {
		if f.upload, err = backoffice.BeginUpload(ctx, f.im.Store, f.im.Files); err != nil {
			return file, err
		}
	}
	if file, err = f.upload.Put(ctx, content, mime); err == nil {
		f.put[file.Key] = true
	}
	return file, err
}

// commit checks that the files exist, in the transaction whose records name them.
func (f *storedFiles) commit(ctx context.Context, tx backoffice.Tx) error {
	if f.upload == nil {
		return nil
	}
	return f.upload.Commit(ctx, tx)
}

// drop removes the files of lines that were not loaded.
func (f *storedFiles) drop(ctx context.Context, loaded []stagedLine) {
	for _, line := range loaded {
		if line.file != nil {
			delete(f.put, line.file.Key)
		}
	}
	if f.upload != nil && len(f.put) > 0 {
		_ = f.im.Files.Delete(ctx, slices.Collect(maps.Keys(f.put))...) // a sweep removes what stays
	}
}

// close removes the files of a failed import, unless the store has its records after all.
func (f *storedFiles) close(ctx context.Context, failed error) {
	if f.upload != nil {
		f.upload.Close(ctx, failed)
	}
}

// openFile opens a file of the folder that a line names. BadInput when it cannot be opened.
func (im *importing) openFile(path string) (*os.File, error) {
	file, err := openRegular(im.folder, filepath.FromSlash(path))
	switch {
	case err == nil || errors.As(err, new(*backoffice.Error)):
		return file, err
	case errors.Is(err, fs.ErrNotExist):
		return nil, errNoFile
	}
	return nil, errOutside // os.Root has no error for it: a link out of the folder, or no permission to read it
}

// openRegular opens a regular file inside a folder. It returns errNotFile instead of waiting for a named pipe.
func openRegular(folder *os.Root, name string) (*os.File, error) {
	file, err := folder.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errNotFile
	}
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	return file, nil
}
