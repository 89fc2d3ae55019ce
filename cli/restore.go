package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"example.org/backoffice/files"
	"example.org/backoffice/store/sqlite"
)

// restoreCommand puts a backup in the place of the store.
type restoreCommand struct {
	Path string `arg:"" help:"The folder that backup has written."`
}

// restoring is one run of it.
type restoring struct {
	backup   string // the folder
	database string // the path of the store
	files    string // the folder of its files, "" when they are in a bucket
	stamp    string // of what is put aside
	aside    []string
}

// Run checks the backup, copies it beside the store, checks the copy, and only then exchanges the two. Whatever the store
// was, with its log and its files, stays beside it under another name.
func (c *restoreCommand) Run(ctx context.Context, s *settings, t terminal) error {
	path, err := sqlite.Path(s.Database)
	if err != nil {
		return errors.New("restore puts back the embedded store; PostgreSQL has its own: pg_restore for the database, and a copy of --files")
	}
	r := &restoring{backup: c.Path, database: path, stamp: time.Now().UTC().Format("20060102T150405Z")}
	if folder, ok := files.FolderOf(s.Files); ok {
		r.files = folder
	}
	if err := r.mayReplace(); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("cannot make the folder of the database: %w", err)
	}
	fresh := path + ".restoring-" + r.stamp
	defer func() { // what was put back has its name by then, and what was not is of no use
		_ = removeDatabase(fresh)
		if r.files != "" {
			_ = os.RemoveAll(r.freshFiles())
		}
	}()
	if err := copyFile(fresh, filepath.Join(c.Path, backupDatabase)); err != nil {
		return err
	}
	count, bad, err := r.prepare(ctx, s, fresh, func(what string) { fmt.Fprintln(t.err, what) })
	if err != nil {
		return err
	}
	if err := r.exchange(fresh); err != nil {
		return err
	}
	fmt.Fprintf(t.out, "%s holds the store of %s and %d files.\n", path, c.Path, count)
	for _, kept := range r.aside {
		fmt.Fprintf(t.out, "What was there before is kept: %s\n", kept)
	}
	if bad > 0 {
		return &incomplete{bad}
	}
	return nil
}

// mayReplace refuses to take a store away from a program that has it open.
func (r *restoring) mayReplace() error {
	if _, err := os.Stat(filepath.Join(r.backup, backupDatabase)); err != nil {
		return fmt.Errorf("%s is no backup: it holds no %s", r.backup, backupDatabase)
	}
	used, err := sqlite.InUse(r.database)
	if err != nil {
		return fmt.Errorf("the database %s cannot be looked at: %w", r.database, err)
	}
	if used {
		return fmt.Errorf("a program has the database %s open: stop it, and restore then", r.database)
	}
	return nil
}

// prepare verifies the copied database, and brings the files of its records to where they are kept, or beside it.
func (r *restoring) prepare(ctx context.Context, s *settings, fresh string, tell func(string)) (count, bad int, err error) {
	problems, err := sqlite.Integrity(ctx, fresh)
	if err == nil && len(problems) > 0 {
		err = fmt.Errorf("the backup is damaged, and was not put back: %s", strings.Join(problems[:min(len(problems), 3)], "; "))
	}
	if err != nil {
		return 0, 0, err
	}
	store, err := sqlite.Open(ctx, "sqlite:"+fresh, sqlite.Options{Readers: 1})
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if err := wholeStore(ctx, store); err != nil {
		return 0, 0, err
	}
	if err := sameKeyset(ctx, s, store); err != nil {
		return 0, 0, err
	}
	from, err := files.OpenFolder(filepath.Join(r.backup, backupFiles))
	if err != nil {
		return 0, 0, err
	}
	defer from.Close()
	into, err := r.openTarget(ctx, s, store)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, into.Close()) }()
	return copyFiles(ctx, store, into, from, tell)
}

// sameKeyset refuses a store whose numbers the keyset does not open. Without any keyset, the next start asks for it.
func sameKeyset(ctx context.Context, s *settings, store *sqlite.Store) error {
	file, err := s.KeysetFile()
	if err != nil {
		return err
	}
	keys, err := file.Load()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return keys.Fits(ctx, store)
}

// openTarget is a new folder beside the one of the files, or the bucket, which must be the store's own.
func (r *restoring) openTarget(ctx context.Context, s *settings, store *sqlite.Store) (files.Store, error) {
	if r.files == "" {
		return s.OpenFiles(ctx, store)
	}
	if err := r.ownFolder(ctx, s, store); err != nil {
		return nil, err
	}
	into, err := files.OpenFolder(r.freshFiles())
	if err == nil {
		err = files.Claim(ctx, store, into)
	}
	return into, err
}

// ownFolder refuses to take away the files of another database.
func (r *restoring) ownFolder(ctx context.Context, s *settings, store *sqlite.Store) error {
	if _, err := os.Stat(r.files); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	there, err := files.Open(ctx, s.Files)
	if err != nil {
		return err
	}
	defer there.Close()
	owner, err := there.Owner(ctx)
	if err != nil || owner == "" {
		return err
	}
	fingerprint, err := store.Fingerprint(ctx)
	if err == nil && fingerprint != owner {
		err = files.ErrNotOwner
	}
	return err
}

func (r *restoring) freshFiles() string { return r.files + ".restoring-" + r.stamp }

// exchange puts what was there aside, log and all, and the restored in its place. The database goes first and comes last: at
// no time is one beside the log or the files of the other.
func (r *restoring) exchange(fresh string) error {
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := r.putAside(r.database+suffix, r.database+".replaced-"+r.stamp+suffix); err != nil {
			return err
		}
	}
	if r.files != "" {
		if err := r.putAside(r.files, r.files+".replaced-"+r.stamp); err != nil {
			return err
		}
		if err := os.Rename(r.freshFiles(), r.files); err != nil {
			return fmt.Errorf("cannot put the restored files in their place: %w", err)
		}
	}
	if err := os.Rename(fresh, r.database); err != nil {
		return fmt.Errorf("cannot put the restored database in its place: %w", err)
	}
	return syncFolder(filepath.Dir(r.database))
}

func (r *restoring) putAside(path, to string) error {
	err := os.Rename(path, to)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("cannot put %s aside: %w", path, err)
	}
	r.aside = append(r.aside, to)
	return syncFolder(filepath.Dir(path))
}

func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// copyFile copies a file to one that must not exist yet, for its owner alone, and makes it durable.
func copyFile(to, from string) (err error) {
	source, err := os.Open(from)
	if err != nil {
		return fmt.Errorf("cannot read the backup: %w", err)
	}
	defer source.Close()
	target, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("cannot write beside the database: %w", err)
	}
	_, err = io.Copy(target, source)
	if err = errors.Join(err, target.Sync(), target.Close()); err != nil {
		return fmt.Errorf("cannot write beside the database: %w", err)
	}
	return nil
}

func removeDatabase(path string) error {
	return errors.Join(os.Remove(path), os.Remove(path+"-wal"), os.Remove(path+"-shm"))
}
