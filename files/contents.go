package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"example.org/backoffice/backoffice"
)

// Contents are the names that a Folder has made in a folder, if it exists; others reports whether it has other ones.
func Contents(dir string) (names []string, others bool, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, false, fmt.Errorf("the folder of stored files cannot be read: %w", err)
	}
	_, rest, _ := strings.Cut(backoffice.NewFileKey(backoffice.NewUploadID()), "/")
	for _, entry := range entries {
		name := entry.Name()
		isShard := entry.IsDir() && backoffice.ValidFileKey(name+"/"+rest)
		if isShard || slices.Contains([]string{marker, partFolder, quarantine}, name) {
			names = append(names, name)
		} else {
			others = true
		}
	}
	return names, others, nil
}
