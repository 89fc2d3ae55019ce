//go:build unix

package privacy

import (
	"errors"
	"os"
	"syscall"
)

// keepOwner gives a file the owner of the one that it replaces, and what its group may, if root runs a command for a
// server that is not. Others leave it to themselves.
func keepOwner(path, draft string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	of, ok := info.Sys().(*syscall.Stat_t)
	if !ok || os.Geteuid() != 0 {
		return nil
	}
	return errors.Join(os.Chown(draft, int(of.Uid), int(of.Gid)), os.Chmod(draft, info.Mode().Perm()&0o640))
}
