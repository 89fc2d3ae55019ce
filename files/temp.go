package files

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
)

const tempPrefix = "backoffice-temp-"

// NewTemp makes and locks a temporary folder for copies of stored data: ClearTemp removes those of killed processes.
func NewTemp() (path string, remove func(), err error) {
	ClearTemp()
	return newLocked(os.TempDir(), tempPrefix)
}

func newLocked(above, pattern string) (path string, remove func(), err error) {
	for range 10 {
		if path, err = os.MkdirTemp(above, pattern); err != nil {
			break
		}
		var held *os.File
		if held, err = lockFolder(path); err == nil {
			return path, func() {
				_ = held.Close()
				_ = os.RemoveAll(path)
			}, nil
		}
		_ = os.Remove(path) // another process has just taken it for an abandoned one
	}
	return "", nil, fmt.Errorf("cannot make a folder: %w", err)
}

// ClearTemp removes the folders of killed processes, and logs their names.
func ClearTemp() { clearLeft(os.TempDir(), tempPrefix+"*") }

func clearLeft(above, pattern string) {
	left, _ := filepath.Glob(filepath.Join(above, pattern))
	for _, path := range left {
		held, err := lockFolder(path)
		if err != nil {
			continue // in use, or another user's
		}
		if err := os.RemoveAll(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			slog.Warn("a killed run left copies of the store's data, which cannot be removed",
				"folder", path, "cause", err)
		} else {
			slog.Warn("a killed run left copies of the store's data; removed them", "folder", path)
		}
		_ = held.Close()
	}
}
