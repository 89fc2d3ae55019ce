package ship

import (
	"cmp"
	"context"
	"errors"
	"io"
	"path"
	"strings"

	"example.org/backoffice/backoffice"
)

// Stored files are shipped under their keys, which are random and never used again: a digest would tell who knows a
// document that the office has it.

// shipFiles ships the files of all records that are not there yet. It returns those there that no record names.
func (s *Shipper) shipFiles(ctx context.Context) (unnamed []string, err error) {
	named := map[string]bool{} // whether a record names a file that is there
	err = s.To.List(ctx, shipped, "", func(name string) error {
		if key := strings.TrimPrefix(name, shipped+"/"); backoffice.ValidFileKey(key) {
			named[key] = false
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = backoffice.EachStoredFile(ctx, s.Store, func(file *backoffice.File) error {
		_, there := named[file.Key]
		named[file.Key] = true
		if there {
			return nil
		}
		return s.shipFile(ctx, file.Key)
	})
	for key, is := range named {
		if !is {
			unnamed = append(unnamed, key)
		}
	}
	return unnamed, err
}

// shipChanged ships the files of the records that the entries of the change log after a number are about.
func (s *Shipper) shipChanged(ctx context.Context, after int64) error {
	keys, err := s.Store.ChangedFiles(ctx, after)
	for i := 0; i < len(keys) && err == nil; i++ {
		if there, absent := s.To.Get(ctx, path.Join(shipped, keys[i])); absent == nil { // a file never changes
			err = there.Close()
		} else {
			err = s.shipFile(ctx, keys[i])
		}
	}
	return err
}

func (s *Shipper) shipFile(ctx context.Context, key string) error {
	file, err := s.Files.Open(ctx, key, 0, -1)
	if backoffice.KindOf(err) == backoffice.NotFound { // deleted since, or missing, as a check reports
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	name := path.Join(shipped, key)
	content := sealing(s.Key, name, func(to io.Writer) error {
		_, err := io.Copy(to, file)
		return err
	})
	defer content.Close()
	return s.To.Put(ctx, name, content)
}

// Files are the stored files of a place.
type Files Place

// Open opens a whole file by its key. A copy that is damaged is as good as none, unlike one that cannot be read now.
func (f Files) Open(ctx context.Context, key string, _, _ int64) (io.ReadCloser, error) {
	name := path.Join(shipped, key)
	object, err := f.From.Get(ctx, name)
	if err != nil {
		return nil, err
	}
	var failed error // the place
	sealed := reader(func(p []byte) (n int, err error) {
		if n, err = object.Read(p); err != io.EOF {
			failed = err
		}
		return n, err
	})
	opened, err := f.Key.NewDecryptingReader(sealed, []byte(name))
	if err != nil {
		return nil, errors.Join(err, object.Close())
	}
	return struct {
		io.Reader
		io.Closer
	}{reader(func(p []byte) (n int, err error) {
		if n, err = opened.Read(p); err == nil || err == io.EOF {
			return n, err
		}
		return n, cmp.Or(failed, error(backoffice.Errorf(backoffice.NotFound, "the shipped copy of a file is damaged")))
	}), object}, nil
}

type reader func([]byte) (int, error)

func (r reader) Read(p []byte) (int, error) { return r(p) }
