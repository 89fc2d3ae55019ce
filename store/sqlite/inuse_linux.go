package sqlite

import (
	"os"

	"golang.org/x/sys/unix"
)

// SQLite's locks are on these bytes of a database's file; a process that has it open with a log locks one of them.
const (
	lockStart  = 0x40000000
	lockLength = 512
)

// InUse reports whether a program has the database open, this one included.
func InUse(path string) (bool, error) {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if os.IsNotExist(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer func() { _ = file.Close() }()
	lock := unix.Flock_t{Type: unix.F_WRLCK, Whence: 0, Start: lockStart, Len: lockLength}
	// A lock of the open file excludes the process's own, and is not released with them.
	if err := unix.FcntlFlock(file.Fd(), unix.F_OFD_GETLK, &lock); err != nil {
		return false, err
	}
	return lock.Type != unix.F_UNLCK, nil
}
