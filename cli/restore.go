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

	"example.org/backoffice/backoffice"
	"example.org/backoffice/files"
	"example.org/backoffice/store/ship"
	"example.org/backoffice/store/sqlite"
)

type restoreCommand struct {
	Path       string                      `arg:"" predictor:"path" help:"The folder that backup has written, or the URL that serve --ship has shipped to."`
	Shipped    shippedFlags                `embed:""`
	Incomplete bool                        `help:"Take the backup although it lacks stored files, or holds damaged ones: what there is of them replaces those that are there now."`
	rename     func(from, to string) error // nil but for tests
}

type restoring struct {
	backup     string       // the folder
	name       string       // of what is restored
	from       files.Opener // of the stored files; nil is the folder
	promotion  string       // that of the place, if any
	incomplete bool
	*place
}

func (c *restoreCommand) Validate() error { return c.Shipped.check(c.Path) }

// Run checks the backup, copies it next to the store, checks the copy, and only then exchanges the two. The old store,
// with its log and its files, stays next to it under another name.
func (c *restoreCommand) Run(ctx context.Context, s *settings, t terminal) error {
	path, err := sqlite.Path(s.Database)
	if err != nil {
		return errors.New("restore puts back the embedded store; " +
			"PostgreSQL has its own: pg_restore for the database, and a copy of --files")
	}
	folder, ok := files.FolderOf(s.Files)
	if !ok {
		folder = ""
	}
	where, err := newPlace(path, folder)
	if err != nil {
		return err
	}
	if c.rename != nil {
		where.rename = c.rename
	}
	r := &restoring{backup: c.Path, name: c.Path, incomplete: c.Incomplete, place: where}
	if isShipped(c.Path) {
		target := ship.Target{At: c.Shipped.at}
		if c.Shipped.Before != nil {
			target.Before = *c.Shipped.Before
		}
		remove, err := r.unship(ctx, s, c.Path, target)
		if err != nil {
			return err
		}
		defer remove()
	}
	if err := r.mayReplace(); err != nil {
		return err
	}
	leftovers := r.leftovers()
	file, err := r.claim(time.Now())
	if err != nil {
		return err
	}
	defer r.clear()
	if err := copyInto(file, filepath.Join(r.backup, backupDatabase)); err != nil {
		return err
	}
	count, bad, err := r.prepare(ctx, s, func(what string) { fmt.Fprintln(t.err, what) })
	if err != nil {
		return err
	}
	if bad > 0 && !c.Incomplete {
		return fmt.Errorf("%d of the backup's %d stored files are missing or damaged, and nothing was replaced: "+
			"take another backup, or this one as it is with --incomplete", bad, count)
	}
	if err := r.notInUse(); err != nil { // a server may have started since
		return err
	}
	if err := r.exchange(); err != nil {
		return err
	}
	fmt.Fprintf(t.out, "%s holds the store of %s and %s.\n", path, r.name,
		backoffice.Plural(count-bad, "file", "files"))
	for _, kept := range r.aside {
		fmt.Fprintf(t.out, "What was there before is kept: %s\n", kept)
	}
	if len(r.aside) > 0 {
		fmt.Fprintln(t.out, "If webhooks were removed since, customers erased or rights taken away, "+
			"they are back: do so again.")
	}
	for _, left := range leftovers {
		fmt.Fprintf(t.out, "A restore that was interrupted has left this, which is of no use: %s\n", left)
	}
	return exceptFiles(bad)
}

// mayReplace rejects an unusable backup, and a store that a program has open.
func (r *restoring) mayReplace() error {
	from, err := os.Stat(filepath.Join(r.backup, backupDatabase))
	if err != nil {
		return fmt.Errorf("%s is no backup: it holds no %s", r.backup, backupDatabase)
	}
	if there, err := os.Stat(r.database); err == nil && os.SameFile(from, there) {
		return fmt.Errorf("%s is the store itself: a restore takes a folder that backup has written", r.backup)
	}
	if log, err := os.Stat(filepath.Join(r.backup, backupDatabase+"-wal")); err == nil && log.Size() > 0 {
		return fmt.Errorf("%s is a copy of a running or crashed store, and its log %s-wal may hold writes that its "+
			"database lacks: run backoffice check on the copy, which takes them in, and restore then",
			r.backup, backupDatabase)
	}
	if _, err := os.Stat(filepath.Join(r.backup, backupFiles)); err != nil && !r.incomplete {
		return fmt.Errorf("%s is no whole backup: it holds no folder %s, and nothing was replaced; "+
			"to take the database alone, give --incomplete", r.backup, backupFiles)
	}
	return r.notInUse()
}

func (r *restoring) notInUse() error {
	used, err := sqlite.InUse(r.database)
	if err != nil {
		return fmt.Errorf("the database %s cannot be looked at: %w", r.database, err)
	}
	if used {
		return fmt.Errorf("a program has the database %s open: stop it, and restore then", r.database)
	}
	return nil
}

// prepare verifies the copied database, and copies the files of its records next to the old ones, or into the bucket.
func (r *restoring) prepare(ctx context.Context, s *settings, tell func(string)) (count, bad int, err error) {
	fresh := r.fresh()
	problems, err := sqlite.Integrity(ctx, fresh)
	if err == nil && len(problems) > 0 {
		err = fmt.Errorf("the backup is damaged, and was not put back: %s",
			strings.Join(problems[:min(len(problems), 3)], "; "))
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
	if err := enterRestore(ctx, s, store, tell); err != nil {
		return 0, 0, err
	}
	if err := r.keepRevoked(ctx, store, tell); err != nil {
		return 0, 0, err
	}
	if err := store.RenewHistory(ctx, "", "restore", backoffice.InstantOf(time.Now())); err != nil {
		return 0, 0, err
	}
	if r.promotion != "" { // else the place would refuse what is older
		now := backoffice.InstantOf(time.Now())
		if err := backoffice.NoteDone(ctx, store, backoffice.DonePromotion, r.promotion, now); err != nil {
			return 0, 0, err
		}
	}
	if r.from == nil {
		r.from = files.ReadOnlyFolder(filepath.Join(r.backup, backupFiles))
	}
	into, err := r.openTarget(ctx, s, store)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, into.Close()) }()
	return copyFiles(ctx, store, into, r.from, tell)
}

// enterRestore notes in the register that later entries are lost. It rejects a store that the keyset does not open, and
// warns without a keyset.
func enterRestore(ctx context.Context, s *settings, store *sqlite.Store, tell func(string)) error {
	file, err := s.KeysetFile()
	if err != nil {
		return err
	}
	keys, err := file.Load()
	if errors.Is(err, fs.ErrNotExist) {
		tell(fmt.Sprintf("There is no keyset at %s: bring the backup's own before the next start, which makes no "+
			"other. To enter in the register of consultations which entries are lost, restore again with it.",
			s.Keyset))
		return nil
	}
	if err != nil {
		return err
	}
	if err := keys.Fits(ctx, store); err != nil {
		return err
	}
	return keys.EnterRestore(ctx, store)
}

// openTarget opens a new folder next to that of the files, or the bucket, which must be the store's own.
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

// ownFolder rejects a folder with the files of another database.
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

// copyInto copies a file into an open one, makes that durable and closes it.
func copyInto(target *os.File, from string) (err error) {
	defer func() { err = errors.Join(err, target.Close()) }()
	source, err := os.Open(from)
	if err != nil {
		return fmt.Errorf("cannot read the backup: %w", err)
	}
	defer source.Close()
	_, err = io.Copy(target, source)
	if err = errors.Join(err, target.Sync()); err != nil {
		return fmt.Errorf("cannot write beside the database: %w", err)
	}
	return nil
}
