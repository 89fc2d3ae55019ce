package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// The tests are the command as well, since it runs itself again where it may mount disks.
func TestMain(m *testing.M) {
	if os.Getenv("BACKOFFICE_CHAOS_TEST") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// The short form of make chaos: each engine under a gateway that is killed a few times, and each fault that takes little time once.
func TestNothingIsLostOrServedWrongWhenWhatRunsBreaks(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it builds and kills the program")
	}
	folder := t.TempDir()
	if err := os.Chmod(filepath.Dir(folder), 0o755); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(folder, "backoffice")
	if err := buildWithClock(folder, binary); err != nil {
		t.Fatal(err)
	}
	// Tests count; how long it takes is the command's to measure.
	arguments := []string{"-binary", binary, "-folder", filepath.Join(folder, "offices"), "-kills", "3", "-once", "-brief", "-within", time.Minute.String()}
	if _, err := exec.LookPath("initdb"); err != nil {
		t.Log("PostgreSQL is not installed here")
		arguments = append(arguments, "-engine", "sqlite")
	}
	if out, err := exec.Command("unshare", "-rm", "true").CombinedOutput(); err != nil {
		t.Logf("no disk can be mounted here: %v %s", err, out)
		arguments = append(arguments, "-no-disks")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), self, arguments...)
	command.Env = append(os.Environ(), "BACKOFFICE_CHAOS_TEST=1")
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("not all is as it has to be: %v\n%s", err, out)
	}
}
