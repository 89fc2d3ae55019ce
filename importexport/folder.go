package importexport

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// open opens what to import, and finds its files by what they have.
func (i *Importer) open(name string) (*os.Root, map[string]string, error) {
	info, err := os.Stat(name)
	single := err == nil && info.Mode().IsRegular()
	if err == nil && !single && !info.IsDir() { // opening a named pipe would wait
		return nil, nil, fmt.Errorf("cannot open the folder: %s is not a folder", name)
	}
	folder, base := name, filepath.Base(name)
	if single {
		folder = filepath.Dir(name)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, nil, fmt.Errorf("cannot open the folder: %w", err)
	}
	var files map[string]string
	if single {
		files, err = i.only(base)
	} else {
		files, err = i.filesOf(root)
	}
	if err != nil {
		_ = root.Close()
		return nil, nil, err
	}
	return root, files, nil
}

// only is the file that is imported alone. Its name, or the mapping's, tells what it has.
func (i *Importer) only(base string) (map[string]string, error) {
	if !slices.Contains(append(ends, endsOfText...), end(base)) {
		return nil, notRead(base)
	}
	of := strings.ToLower(stem(base))
	if !slices.Contains(stems(), of) {
		if len(i.Mapping) != 1 {
			return nil, fmt.Errorf("%s does not say which records it has: name it as one of %s, or pass a --mapping "+
				"(backoffice import FILE --propose writes one)", base, strings.Join(stems(), ", "))
		}
		of = slices.Collect(maps.Keys(i.Mapping))[0]
	}
	return map[string]string{of: base}, nil
}

// filesOf finds the files to import of a folder. It rejects a folder without any, or with a misspelt one: that must not
// look like an import. It skips hidden files, and those that mark a workbook as open.
func (i *Importer) filesOf(folder *os.Root) (map[string]string, error) {
	entries, err := fs.ReadDir(folder.FS(), ".")
	if err != nil {
		return nil, fmt.Errorf("cannot read the folder: %w", err)
	}
	found, strange := map[string]string{}, []string{}
	for _, entry := range entries {
		name := entry.Name()
		of := strings.ToLower(stem(name))
		known := slices.Contains(stems(), of)
		switch other := found[of]; {
		case strings.HasPrefix(name, "~$"), strings.HasPrefix(name, "."), name == reasonsFile:
			continue
		case known && slices.Contains(endsOfOthers, end(name)):
			return nil, notRead(name)
		case !slices.Contains(ends, end(name)) && !(known && slices.Contains(endsOfText, end(name))):
			continue
		case !known:
			strange = append(strange, name)
			continue
		case other != "":
			return nil, fmt.Errorf("the folder has both %s and %s; keep one", other, name)
		}
		found[of] = name
	}
	switch {
	case len(strange) == 1 && len(found) == 0 && len(i.Mapping) == 1: // as in the rejects of such a file
		return i.only(strange[0])
	case len(strange) > 0:
		return nil, fmt.Errorf("the folder has %q, which import does not read; it reads %s.ndjson (or .csv, .xlsx)",
			strange[0], strings.Join(stems(), ".ndjson, "))
	case len(found) == 0:
		return nil, fmt.Errorf("the folder has none of the files that import reads: %s.ndjson",
			strings.Join(stems(), ".ndjson, "))
	}
	return found, nil
}

// The extensions of texts that Excel saves besides CSV, and of spreadsheets that import does not read.
var (
	endsOfText   = []string{".txt", ".tsv"}
	endsOfOthers = []string{".xls", ".xlsm", ".xlsb", ".ods"}
)

func notRead(name string) error {
	return fmt.Errorf("import does not read %s: save it as .xlsx or as CSV UTF-8", name)
}

// stems are the names of the files without their extension, in order.
func stems() (names []string) {
	for _, t := range inOrder() {
		names = append(names, stem(t.fileName()))
	}
	return names
}
