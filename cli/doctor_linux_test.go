package cli

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

func TestTheDoctorTellsAnotherUserFromAFileThatIsDamaged(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "migrate")
	for _, name := range []string{"keyset.json", "backoffice.db"} {
		if err := os.Chmod(s.path(name), 0); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(self, append(s.settings(), "doctor")...)
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
	for _, what := range []string{"keyset.json", "backoffice.db"} {
		if !strings.Contains(string(said), "give this user the right to read and write "+s.path(what)) {
			t.Errorf("of %s it says %s", what, said)
		}
	}
	if strings.Contains(string(said), "restore it") {
		t.Errorf("it says %s", said)
	}
}
