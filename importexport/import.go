package importexport

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/privacy"
)

// Importer loads folders into a store.
type Importer struct {
	Store backoffice.Store
	Files backoffice.FileStore
	Keys  *privacy.Keyset
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
}

// Lines is how many lines there were.
func (l Loaded) Lines() int { return l.Created + l.Updated + l.Deleted + l.Unchanged }

// importing is one run of an importer.
type importing struct {
	*Importer
	folder *os.Root
	now    time.Time
}

// Import loads the files of a folder in their order, each in a transaction of its own, and stops at the first that cannot be
// loaded. It waits for another import that runs. It returns what was loaded, also when there is an error: a *BadFile when a file has bad lines, one of the
// folder's or of the store's otherwise. Importing the same folder again changes nothing.
func (i *Importer) Import(ctx context.Context, folder string) ([]Loaded, error) {
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
	end, err := i.turn(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	im := &importing{Importer: i, folder: root, now: time.Now()}
	var all []Loaded
	for _, t := range inOrder() {
		loaded, err := t.load(ctx, im)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
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
		known[t.fileName()], names[i] = true, t.fileName()
	}
	found := false
	for _, entry := range entries {
		switch name := entry.Name(); {
		case known[name]:
			found = true
		case path.Ext(name) == ".ndjson":
			return fmt.Errorf("the folder holds %q, which is none of the files that import reads: %s", name, strings.Join(names, ", "))
		}
	}
	if !found {
		return fmt.Errorf("the folder holds none of the files that import reads: %s", strings.Join(names, ", "))
	}
	return nil
}
