//go:build unix

package privacy

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestAKeysetFileThatRootChangesStaysItsOwners(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root gives files to others")
	}
	file := KeysetFile{Path: filepath.Join(t.TempDir(), "keyset.json")}
	keys, err := file.Create()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Chown(file.Path, 4321, 8765), os.Chmod(file.Path, 0o644)); err != nil {
		t.Fatal(err)
	}
	for _, change := range []func() error{
		func() error { return keys.rewrite(func(h handles) error { _, err := h.add(); return err }) },
		func() error { return file.rewrap(newKEK(t)) },
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(file.Path)
		if err != nil {
			t.Fatal(err)
		}
		if of := info.Sys().(*syscall.Stat_t); of.Uid != 4321 || of.Gid != 8765 || info.Mode() != 0o640 {
			t.Errorf("it is that of %d:%d, %v", of.Uid, of.Gid, info.Mode())
		}
	}
}
