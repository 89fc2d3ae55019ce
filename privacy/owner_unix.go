//go:build unix

package privacy

import (
	"errors"
	"os"
	"syscall"
)

// keepOwner gives a file the owner and the mode of the one that it replaces: root may run a command for a server that
// is not.
func keepOwner(path, draft string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if of, ok := info.Sys().(*syscall.Stat_t); ok && os.Geteuid() == 0 {
		err = os.Chown(draft, int(of.Uid), int(of.Gid))
	}
	return errors.Join(err, os.Chmod(draft, info.Mode().Perm()))
}
