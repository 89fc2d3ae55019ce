package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// NewFolder makes a folder next to the wanted one, to be renamed when complete; only its owner may read it. It fails
// when the wanted one exists and is not empty. remove deletes the folder. What killed runs left next to it is removed:
// of this machine, since locks of others are not visible, and of the same name.
func NewFolder(wanted string) (partial string, remove func(), err error) {
	there, err := os.ReadDir(wanted)
	if len(there) > 0 {
		return "", nil, fmt.Errorf("the folder %s is not empty; pass one that does not exist", wanted)
	}
	above := filepath.Dir(filepath.Clean(wanted))
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		err = os.MkdirAll(above, 0o700)
	}
	host, _ := os.Hostname()
	pattern := ".backoffice-" + host + "@" + filepath.Base(wanted) + "-*.partial"
	switch {
	case err != nil:
	case locksInside:
		partial, err = os.MkdirTemp(above, pattern)
		remove = func() { _ = os.RemoveAll(partial) }
	default:
		clearLeft(above, ".backoffice-"+host+"@*.partial")
		clearLeft(above, ".backoffice-*@"+filepath.Base(wanted)+"-*.partial") // in a container of another name
		partial, remove, err = newLocked(above, pattern)
	}
	if err != nil {
		return "", nil, fmt.Errorf("cannot write %s: %w", wanted, err)
	}
	return partial, remove, nil
}

// RenameFolder also replaces an empty folder, which os.Rename does not.
func RenameFolder(from, to string) error {
	if there, err := os.Lstat(to); err == nil && there.IsDir() {
		_ = os.Remove(to)
	}
	return os.Rename(from, to)
}
