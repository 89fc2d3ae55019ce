//go:build unix

package files

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// locksInside reports whether the lock is a file in the folder.
const locksInside = false

// lockFolder locks a folder until it is closed or the process ends. Errors: another process has it, or it is gone.
func lockFolder(path string) (*os.File, error) {
	folder, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	if err = unix.Flock(int(folder.Fd()), unix.LOCK_EX|unix.LOCK_NB); err == nil {
		err = stillThere(folder, path)
	}
	if err != nil {
		_ = folder.Close()
		return nil, err
	}
	return folder, nil
}

// stillThere fails when a folder was removed before it could be locked.
func stillThere(folder *os.File, path string) error {
	is, err := folder.Stat()
	if err != nil {
		return err
	}
	now, err := os.Lstat(path)
	if err == nil && !os.SameFile(is, now) {
		err = fs.ErrNotExist
	}
	return err
}

// lockFile makes and locks a file until it is closed or the process ends. It fails with errLocked when another has it.
func lockFile(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	if err = unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		if errors.Is(err, unix.EWOULDBLOCK) {
			err = errLocked
		}
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}
