package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/files"
	"example.org/backoffice/store/sqlite"
)

// backupCommand copies the embedded store and its files.
type backupCommand struct {
	Path string `arg:"" help:"The folder to write; it must not exist yet, or be empty. It gets backoffice.db and files; the keyset is not in it: keep a copy of that elsewhere."`
}

// Run copies the store as it is at one moment, while servers go on.
func (c *backupCommand) Run(ctx context.Context, s *Settings, t terminal) (err error) {
	if _, ok := s.embedded(); !ok {
		return errors.New("backup copies the embedded store; PostgreSQL has its own: pg_dump for the database, and a copy of --files")
	}
	store, err := s.openRecords(ctx)
	if err != nil {
		return err
	}
	defer store.Close()
	live, can := store.(*sqlite.Store)
	if !can {
		return errors.New("this store cannot be copied while it serves")
	}
	stored, err := s.openFiles(ctx, store)
	if err != nil {
		return err
	}
	defer stored.Close()
	partial, err := newFolder(c.Path)
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(partial) }() // it has its name by then, or is of no use
	counted, err := copyHouse(ctx, live, stored, partial)
	if err != nil {
		return err
	}
	if err := os.Rename(partial, c.Path); err != nil {
		return fmt.Errorf("cannot write %s: %w", c.Path, err)
	}
	_, err = fmt.Fprintf(t.out, "%s holds the store and %d files. The keyset %s is not in it; keep a copy of it elsewhere.\n", c.Path, counted, s.Keyset)
	return err
}

// newFolder makes a folder beside the wanted one, to be renamed when it is whole.
func newFolder(wanted string) (partial string, err error) {
	there, err := os.ReadDir(wanted)
	if err == nil && len(there) > 0 {
		return "", fmt.Errorf("the folder %s is not empty; name one that does not exist", wanted)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("cannot write %s: %w", wanted, err)
	}
	above := filepath.Dir(filepath.Clean(wanted))
	if err := os.MkdirAll(above, 0o700); err != nil {
		return "", fmt.Errorf("cannot write %s: %w", wanted, err)
	}
	if partial, err = os.MkdirTemp(above, "."+filepath.Base(wanted)+"-*.partial"); err != nil {
		return "", fmt.Errorf("cannot write %s: %w", wanted, err)
	}
	return partial, nil
}

// copyHouse copies the files first, then the records, then the files that came in between: a file that goes after its
// record was copied is among the first.
func copyHouse(ctx context.Context, live *sqlite.Store, stored backoffice.FileStore, folder string) (count int, err error) {
	into, err := files.OpenFolder(filepath.Join(folder, "files"))
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, into.Close()) }()
	err = stored.List(ctx, func(key string) error {
		_, err := files.Copy(ctx, into, stored, []string{key})
		if backoffice.KindOf(err) == backoffice.NotFound { // gone since it was listed
			return nil
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	path := filepath.Join(folder, "backoffice.db")
	if err := live.Backup(ctx, path); err != nil {
		return 0, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return 0, fmt.Errorf("cannot write %s: %w", path, err)
	}
	copied, err := sqlite.Open(ctx, "sqlite:"+path, sqlite.Options{Readers: 1})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, copied.Close()) }()
	err = eachStoredFile(ctx, copied, func(keys []string) error {
		count += len(keys)
		_, err := files.Copy(ctx, into, stored, keys)
		return err
	})
	return count, err
}

// eachStoredFile visits the storage keys of all files that records name, a page at a time.
func eachStoredFile(ctx context.Context, reads backoffice.Reads, visit func(keys []string) error) error {
	return errors.Join(
		fileKeys(ctx, reads.Transcripts(), func(t *backoffice.Transcript) *backoffice.File { return t.Document }, visit),
		fileKeys(ctx, reads.Calculations(), func(c *backoffice.Calculation) *backoffice.File { return c.Proposal }, visit),
		fileKeys(ctx, reads.Documents(), func(d *backoffice.CustomerDocument) *backoffice.File { return d.File }, visit),
		fileKeys(ctx, reads.MinfinDocuments(), func(d *backoffice.MinfinDocument) *backoffice.File { return d.File }, visit),
	)
}

func fileKeys[T backoffice.Entity, C comparable](ctx context.Context, rows backoffice.Reader[T, C], fileOf func(T) *backoffice.File, visit func(keys []string) error) error {
	ask := backoffice.Ask[C]{Window: backoffice.Window{Limit: backoffice.MaxPageSize}}
	for {
		pages, err := rows.Pages(ctx, ask, []string{backoffice.NoParent}, rows.Columns([]string{"file", "proposal"}))
		if err != nil {
			return err
		}
		page := pages[backoffice.NoParent]
		var keys []string
		for _, row := range page.Items {
			if file := fileOf(row); file != nil {
				keys = append(keys, file.Key)
			}
			ask.Window.After, ask.Window.HasAfter = row.Position(backoffice.KeyID), true
		}
		if len(keys) > 0 {
			if err := visit(keys); err != nil {
				return err
			}
		}
		if !page.More {
			return nil
		}
	}
}
