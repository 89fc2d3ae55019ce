package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/files"
	"example.org/backoffice/store/sqlite"
)

type backupCommand struct {
	Path string `arg:"" predictor:"path" help:"A new or empty folder to write backoffice.db and files to. The keyset is not included: keep a copy of it elsewhere."`
}

// exceptFiles is the error of a command that did its work except for missing or damaged files, nil when there are none.
func exceptFiles(bad int) error {
	if bad == 0 {
		return nil
	}
	return partial(fmt.Sprintf(
		"%d stored files are missing or damaged, as listed above; everything else was copied", bad))
}

const (
	backupDatabase = "backoffice.db"
	backupFiles    = "files"
)

// Run copies a snapshot of the store, while servers keep running, and verifies the copy.
func (c *backupCommand) Run(ctx context.Context, s *settings, t terminal) (err error) {
	if !s.Embedded() {
		return errors.New("backup copies the embedded store; " +
			"for PostgreSQL, run pg_dump and copy --files")
	}
	store, err := s.OpenRecords(ctx)
	if err != nil {
		return err
	}
	defer store.Close()
	live := store.(*sqlite.Store) // as it is embedded
	stored, err := s.OpenFiles(ctx, store)
	if err != nil {
		return err
	}
	defer stored.Close()
	// A copy of a damaged database would not show what is missing.
	if err := wholeStore(ctx, live); err != nil {
		return fmt.Errorf("nothing was copied: %w", err)
	}
	folder, remove, err := files.NewFolder(c.Path)
	if err != nil {
		return err
	}
	defer remove() // renamed by then, or useless
	counted, bad, err := copyBackend(ctx, live, stored, folder, func(what string) { fmt.Fprintln(t.err, what) })
	if err != nil {
		return err
	}
	if err = syncFolder(folder); err == nil {
		err = files.RenameFolder(folder, c.Path)
	}
	if err == nil { // before anyone relies on it
		err = syncFolder(filepath.Dir(filepath.Clean(c.Path)))
	}
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", c.Path, err)
	}
	if bad == 0 { // for the metric of its age
		now := backoffice.InstantOf(time.Now())
		if err := backoffice.NoteDone(ctx, store, backoffice.DoneBackup, administrator(), now); err != nil {
			return fmt.Errorf("the backup is complete, but could not be recorded: %w", err)
		}
	}
	_, err = fmt.Fprintf(t.out, "%s holds the store and %s. The keyset %s is not included: "+
		"keep a copy of it elsewhere.\n", c.Path, backoffice.Plural(counted-bad, "file", "files"), s.Keyset)
	return cmp.Or(err, exceptFiles(bad))
}

// wholeStore returns an error with the problems of a store and its counters.
func wholeStore(ctx context.Context, store *sqlite.Store) error {
	problems, err := store.Integrity(ctx)
	if err == nil && len(problems) == 0 {
		problems, err = store.Counters(ctx)
	}
	if err == nil && len(problems) > 0 {
		err = fmt.Errorf("the database is damaged; restore it from a backup with backoffice restore: %s",
			strings.Join(problems[:min(len(problems), 3)], "; "))
	}
	return err
}

// copyBackend copies the files first, then the records, then the files added in between, so the copy has a file deleted
// after its record was copied. It counts the files of the copied records, and reports the missing or damaged ones.
func copyBackend(
	ctx context.Context, live *sqlite.Store, stored files.Store, folder string, report func(string),
) (count, bad int, err error) {
	into, err := files.OpenFolder(filepath.Join(folder, backupFiles))
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, into.Close()) }()
	err = stored.List(ctx, "", func(key string) error {
		err := files.Copy(ctx, into, stored, backoffice.File{Key: key})
		if backoffice.KindOf(err) == backoffice.NotFound { // deleted since it was listed
			return nil
		}
		return err
	})
	if err != nil {
		return 0, 0, err
	}
	path := filepath.Join(folder, backupDatabase)
	if err := live.Backup(ctx, path); err != nil {
		return 0, 0, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return 0, 0, fmt.Errorf("cannot write %s: %w", path, err)
	}
	copied, err := sqlite.Open(ctx, "sqlite:"+path, sqlite.Options{Readers: 1})
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, copied.Close()) }()
	if err := wholeStore(ctx, copied); err != nil {
		return 0, 0, err
	}
	fingerprint, err := copied.Fingerprint(ctx)
	if err == nil {
		_, err = into.Mark(ctx, fingerprint)
	}
	if err != nil {
		return 0, 0, err
	}
	return copyFiles(ctx, copied, into, stored, report)
}

// copyFiles copies the files of records and verifies the copies. It counts them, and reports missing or damaged ones.
func copyFiles(
	ctx context.Context, reads backoffice.Store, into files.Store, from files.Opener, report func(string),
) (count, bad int, err error) {
	err = backoffice.EachStoredFile(ctx, reads, func(file *backoffice.File) error {
		count++
		wrong, err := verifyFile(ctx, into, file)
		if err == nil && wrong != "" { // it is not there yet, or a bucket has a damaged one
			err = files.CopyOver(ctx, into, from, *file)
			if err == nil || backoffice.KindOf(err) == backoffice.NotFound {
				wrong, err = verifyFile(ctx, into, file)
			}
		}
		if wrong != "" {
			bad++
			report(wrong)
		}
		return err
	})
	return count, bad, err
}

// verifyFile returns the error in a record's file, "" for none.
func verifyFile(ctx context.Context, stored files.Store, file *backoffice.File) (wrong string, err error) {
	if wrong, err = files.Verify(ctx, stored, *file); wrong != "" {
		wrong = fmt.Sprintf("the file of the %s %s %s", file.Owner.Kind, file.Owner.ID, wrong)
	}
	return wrong, err
}
