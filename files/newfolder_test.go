//go:build unix

package files_test

import (
	"os"
	"path/filepath"
	"testing"

	"example.org/backoffice/files"
)

func TestANewFolderTakesThePlaceOfAnEmptyOneAndLeavesOtherMachinesTheirs(t *testing.T) {
	t.Parallel()
	above := t.TempDir()
	host, _ := os.Hostname()
	killed, others, wanted := filepath.Join(above, ".backoffice-"+host+"@y-1.partial"), filepath.Join(above, ".backoffice-"+host+"-2@y-1.partial"), filepath.Join(above, "x")
	for _, folder := range []string{killed, others, wanted} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	partial, _, err := files.NewFolder(wanted)
	if err == nil {
		err = files.RenameFolder(partial, wanted)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(killed); err == nil {
		t.Error("what a killed run of this machine left is still there")
	}
	if _, err := os.Stat(others); err != nil {
		t.Error("what another machine writes is gone")
	}
	if _, _, err := files.NewFolder(above); err == nil {
		t.Error("a folder that is not empty is replaced")
	}
}
