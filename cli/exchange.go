package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.org/backoffice/files"
)

// exchange renames files and folders, or restores all old names when one rename fails. Nothing is ever overwritten.
type exchange struct {
	rename  func(from, to string) error // fails with fs.ErrExist when the name is taken
	moved   []named
	folders map[string]bool // to sync: their names are not durable yet
}

type named struct{ from, to string }

// move renames a path, if it exists.
func (x *exchange) move(from, to string) (there bool, err error) {
	if _, err := os.Lstat(from); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err := x.rename(from, to); err != nil {
		return true, fmt.Errorf("%s cannot be moved to %s: %w", from, to, cause(err))
	}
	x.moved = append(x.moved, named{from, to})
	x.folders[filepath.Dir(from)], x.folders[filepath.Dir(to)] = true, true
	return true, nil
}

// cause is an error without the path names, which the message around it has.
func cause(err error) error {
	if link := new(os.LinkError); errors.As(err, &link) {
		return link.Err
	}
	if path := new(fs.PathError); errors.As(err, &path) {
		return path.Err
	}
	return err
}

// sync makes the moves so far durable.
func (x *exchange) sync() error {
	for folder := range x.folders {
		if err := syncFolder(folder); err != nil {
			return err
		}
	}
	clear(x.folders)
	return nil
}

// back moves everything back, last first. Its error is why, plus the paths that it cannot move back.
func (x *exchange) back(why error) error {
	var left []string
	for _, moved := range slices.Backward(x.moved) {
		if err := x.rename(moved.to, moved.from); err != nil {
			left = append(left, fmt.Sprintf("%s is now %s", moved.from, moved.to))
		}
	}
	if len(left) > 0 {
		return fmt.Errorf("nothing was restored: %w; and not everything could be moved back: %s; "+
			"move it back before anything is started", why, strings.Join(left, "; "))
	}
	if err := x.sync(); err != nil {
		return fmt.Errorf("nothing was restored, and everything is at its place: %w, and %w", why, err)
	}
	return fmt.Errorf("nothing was restored, and everything is at its place: %w", why)
}

func syncFolder(path string) error { return files.SyncFolder(os.Open, path) }

// renameUnlessThere checks before it renames, for file systems that cannot do both atomically.
func renameUnlessThere(from, to string) error {
	switch _, err := os.Lstat(to); {
	case err == nil:
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: fs.ErrExist}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return os.Rename(from, to)
}
