package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// withoutRights is what a command says to a user who may read and write only what the files' modes permit.
func (s *shell) withoutRights(t *testing.T, args ...string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(self, append(s.settings(), args...)...)
	command.Env = append(os.Environ(), "TEST_BACKOFFICE_PROGRAM=1")
	if os.Getuid() == 0 { // who may read everything: without that right, then
		if _, err := exec.LookPath("setpriv"); err != nil {
			t.Skip(err)
		}
		command = exec.Command("setpriv", append([]string{"--bounding-set=-all", "--inh-caps=-all", self}, command.Args[1:]...)...)
		command.Env = append(os.Environ(), "TEST_BACKOFFICE_PROGRAM=1")
	}
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	said, _ := command.CombinedOutput()
	return string(said)
}

func TestTheDoctorWritesNoReceiptsAndNoticesThatItCould(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "migrate")
	folder := t.TempDir()
	receipt := filepath.Join(folder, "receipt")
	if err := os.WriteFile(receipt, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for mode, wants := range map[os.FileMode]string{0o700: "ok        receipts: 1 found", 0o500: "wrong     receipts: "} {
		for _, location := range []string{folder, "file:" + folder} {
			if err := os.Chmod(folder, mode); err != nil {
				t.Fatal(err)
			}
			if said := s.withoutRights(t, "doctor", "--receipts="+location); !strings.Contains(said, wants) {
				t.Errorf("of %s with mode %o it says %s", location, mode, said)
			}
			if left := lies(t, folder); len(left) != 1 || left[0] != receipt {
				t.Errorf("%q are left", left)
			}
		}
	}
	if err := os.Chmod(folder, 0o700); err != nil { // the test's folder is removed
		t.Fatal(err)
	}
}

func TestFilesAndReceiptsMayBeAtTheRootOfADiskWhoseOwnFolderOnlyRootReads(t *testing.T) {
	t.Parallel()
	s, _ := backedUp(t)
	receipts := t.TempDir()
	for _, disk := range []string{s.path("files"), receipts} {
		if err := os.Mkdir(filepath.Join(disk, "lost+found"), 0); err != nil {
			t.Fatal(err)
		}
	}
	if said := s.withoutRights(t, "backup", s.path("again")); !strings.Contains(said, "holds the store and 6 files") {
		t.Errorf("backup says %s", said)
	}
	if said := s.withoutRights(t, "doctor", "--receipts="+receipts); !strings.Contains(said, "ok        receipts: 0 found") {
		t.Errorf("doctor says %s", said)
	}
}

func TestTheDoctorTellsAnotherUserFromAFileThatIsDamaged(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "migrate")
	for _, name := range []string{"keyset.json", "backoffice.db"} {
		if err := os.Chmod(s.path(name), 0); err != nil {
			t.Fatal(err)
		}
	}
	said := s.withoutRights(t, "doctor")
	for _, what := range []string{"keyset.json", "backoffice.db"} {
		if !strings.Contains(said, "give this user the right to read and write "+s.path(what)) {
			t.Errorf("of %s it says %s", what, said)
		}
	}
	if strings.Contains(said, "restore it") {
		t.Errorf("it says %s", said)
	}
}
