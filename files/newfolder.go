package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// NewFolder makes a folder next to the wanted one, to be renamed when complete; only its owner may read it. It fails
// when the wanted one exists and is not empty, and removes an empty one, which no rename replaces. remove deletes the
// folder; what killed runs of this machine left next to it is removed: locks of other machines' are not seen.
func NewFolder(wanted string) (partial string, remove func(), err error) {
	there, err := os.ReadDir(wanted)
	if len(there) > 0 {
		return "", nil, fmt.Errorf("the folder %s is not empty; pass one that does not exist", wanted)
	}
	if err == nil {
		err = os.Remove(wanted)
	}
	above := filepath.Dir(filepath.Clean(wanted))
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		err = os.MkdirAll(above, 0o700)
	}
	host, _ := os.Hostname()
	ours := ".backoffice-" + host + "-"
	pattern := ours + filepath.Base(wanted) + "-*.partial"
	switch {
	case err != nil:
	case locksInside:
		partial, err = os.MkdirTemp(above, pattern)
		remove = func() { _ = os.RemoveAll(partial) }
	default:
		clearLeft(above, ours+"*.partial")
		partial, remove, err = newLocked(above, pattern)
	}
	if err != nil {
		return "", nil, fmt.Errorf("cannot write %s: %w", wanted, err)
	}
	return partial, remove, nil
}
