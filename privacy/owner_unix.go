//go:build unix

package privacy

import (
	"os"
	"syscall"
)

// keepOwner gives a file the owner of the one that it replaces: root may run a command for a server that is not.
func keepOwner(path, draft string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	of, ok := info.Sys().(*syscall.Stat_t)
	if !ok || int(of.Uid) == os.Geteuid() {
		return nil
	}
	return os.Lchown(draft, int(of.Uid), int(of.Gid))
}
