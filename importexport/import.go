package importexport

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/privacy"
)

type Importer struct {
	Store backoffice.Store
	Files backoffice.FileStore
	Keys  *privacy.Keyset
	// Rejects, if it is not empty, is a folder that does not exist yet, or is empty. Lines that cannot be loaded go
	// there as they are, with their reasons and files, and all others are loaded.
	Rejects string
	// Repair are the folder's names of fields that are left out of a line when they are what is wrong with it.
	Repair []string
	// Mapping gives columns of CSV files, by the file's name without its end and the column's, the field that they are
	// for; "" passes one over. A column without is for the field of its own name.
	Mapping map[string]map[string]string
	// DryRun does all in a transaction that is not committed, for the counts alone: of bad lines as well, which do not
	// end it. While it goes on it keeps other writers waiting, as any transaction of the store does; the embedded
	// store is better copied.
	DryRun bool
	// Portion, if it is not 0, bounds the lines without attachments that are written at a time; fewer when they take long.
	// Others write in between, and readers see part of a file. After a cut the next import goes on.
	Portion int
	// Action is what the change log calls it; "" for import. ClientID is the pair that asked for it, "" for none.
	Action, ClientID string
	// Progress, if there is one, is told from time to time how far a file has been read.
	Progress func(Progress)
	// Waiting, if there is one, is told once of another import for whose end this one waits.
	Waiting func(Running)
}

// Progress is how far the reading or writing of a file has come.
type Progress struct {
	File    string
	Writing bool // what was read and is to change is being written
	Records int
	Done    int64 // bytes of the file, or records when it is written
	Size    int64
}

// Loaded counts what the lines of one file have done.
type Loaded struct {
	File      string
	Created   int
	Updated   int
	Deleted   int
	Unchanged int // as the store had it already, or deleted before
	Rejected  int // could not be loaded
	Reasons   []Reason
	Bad       []BadLine // the first MaxBadLines of the rejected lines
	Repaired  []BadLine // that were loaded without what was wrong with them
}

func (l Loaded) Lines() int { return l.Created + l.Updated + l.Deleted + l.Unchanged + l.Rejected }

type importing struct {
	*Importer
	folder   *os.Root
	sources  []opened
	now      time.Time
	repairs  map[string]bool
	rejects  *rejects      // nil when there is no folder for them
	rejected rejectedIDs   // so far
	stream   bool          // lines come from a Stream
	dry      backoffice.Tx // in which a dry run is made
}

// Import loads the files of a folder in their order, each in a transaction of its own, and stops at the first that
// cannot be loaded. It waits for another import that runs. It returns what was loaded, also when there is an error: a
// *BadFile when a file has bad lines, one of the folder's or of the store's otherwise. Importing the same folder again
// changes nothing.
func (i *Importer) Import(ctx context.Context, folder string) (all []Loaded, err error) {
	if info, err := os.Stat(folder); err == nil && !info.IsDir() { // to open a named pipe would wait
		return nil, fmt.Errorf("cannot open the folder: %s is not a folder", folder)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("cannot open the folder: %w", err)
	}
	defer func() { _ = root.Close() }()
	if err := checkFolder(root); err != nil {
		return nil, err
	}
	im, err := i.importing(root)
	if err != nil {
		return nil, err
	}
	if i.Rejects != "" {
		if im.rejects, err = newRejects(i.Rejects); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, im.rejects.close()) }()
	}
	if !i.DryRun {
		end, err := i.turn(ctx)
		if err != nil {
			return nil, err
		}
		defer end()
	}
	defer im.closeAll()
	if err := im.openAll(); err != nil {
		return nil, err
	}
	if i.DryRun {
		return im.rehearse(ctx)
	}
	return im.loadAll(ctx)
}

func (i *Importer) importing(folder *os.Root) (im *importing, err error) {
	im = &importing{Importer: i, folder: folder, now: time.Now(), rejected: rejectedIDs{seed: maphash.MakeSeed()}}
	im.repairs, err = repairable(i.Repair)
	return im, err
}

// opened is a table with the file of its lines.
type opened struct {
	table
	source source
}

// openAll opens every file: an unreadable one, or one with an unknown column, is found before anything is loaded.
func (im *importing) openAll() error {
	for _, t := range inOrder() {
		src, err := t.open(im)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		im.sources = append(im.sources, opened{t, src})
	}
	return nil
}

func (im *importing) closeAll() {
	for _, o := range im.sources {
		o.source.close()
	}
}

func (im *importing) loadAll(ctx context.Context) (all []Loaded, err error) {
	for _, o := range im.sources {
		loaded, err := o.loadFrom(ctx, im, o.source)
		if err != nil {
			return all, err
		}
		all = append(all, loaded)
	}
	return all, nil
}

// checkFolder refuses a folder without any file that import reads, and one with a file that import would read under
// another name: a misspelt name must not look like an import.
func checkFolder(folder *os.Root) error {
	entries, err := fs.ReadDir(folder.FS(), ".")
	if err != nil {
		return fmt.Errorf("cannot read the folder: %w", err)
	}
	known := map[string]bool{}
	names := make([]string, len(tables))
	for i, t := range inOrder() {
		known[stem(t.fileName())], names[i] = true, t.fileName()
	}
	found := map[string]string{}
	for _, entry := range entries {
		name := entry.Name()
		if !slices.Contains(ends, path.Ext(name)) || name == reasonsFile {
			continue
		}
		switch other := found[stem(name)]; {
		case !known[stem(name)]:
			return fmt.Errorf("the folder holds %q, which is none of the files that import reads: %s (or .csv, .xlsx)", name, strings.Join(names, ", "))
		case other != "":
			return fmt.Errorf("the folder holds both %s and %s; only one of them can be what is meant", other, name)
		}
		found[stem(name)] = name
	}
	if len(found) == 0 {
		return fmt.Errorf("the folder holds none of the files that import reads: %s", strings.Join(names, ", "))
	}
	return nil
}
