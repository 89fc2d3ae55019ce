package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// writeFile writes a file that only its owner can read. The file has another name until it is complete, so nobody reads
// a part of it. Without replace, it fails if the path exists.
func writeFile(path string, replace bool, write func(io.Writer) error) (err error) {
	if _, there := os.Lstat(path); there == nil && !replace { // fail before any work
		return alreadyExists(path)
	}
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*.partial")
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", path, cause(err))
	}
	defer func() {
		_ = file.Close()
		if err != nil || !replace {
			_ = os.Remove(file.Name())
		}
	}()
	if err := write(file); err != nil {
		return err
	}
	if err = errors.Join(file.Sync(), file.Close()); err == nil {
		err = name(file.Name(), path, replace)
	}
	if errors.Is(err, fs.ErrExist) {
		return alreadyExists(path)
	}
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	return nil
}

func alreadyExists(path string) error {
	return fmt.Errorf("the file %s already exists: remove it, or pass another name", path)
}

// name gives a file its name. A hard link, unlike a rename, never overwrites.
func name(from, to string, replace bool) error {
	if replace {
		return os.Rename(from, to)
	}
	err := os.Link(from, to)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	if _, there := os.Lstat(to); there == nil { // the file system has no links
		return fs.ErrExist
	}
	return os.Rename(from, to)
}
