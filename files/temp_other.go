//go:build !unix

package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

const locksInside = true

// lockFolder locks a new folder by an open file in it, which this system lets nobody remove. It locks no existing one.
func lockFolder(path string) (*os.File, error) {
	file, err := os.OpenFile(filepath.Join(path, "lock"), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return nil, errors.New("the folder belongs to another user")
	}
	return file, nil
}

// lockFile makes a file and locks it by having it open, since this system lets nobody remove it then.
func lockFile(path string) (*os.File, error) {
	_ = os.Remove(path) // of a process that ended
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		err = errLocked
	}
	return file, err
}
