package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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

// The short form of make chaos: each engine under a gateway that is killed a few times, and each fault that takes
// little time once.
func TestNothingIsLostOrServedWrongWhenWhatRunsBreaks(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it builds and kills the program")
	}
	folder, err := os.MkdirTemp("", "chaos-") // the name of a test's own is too long for PostgreSQL's socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	if err := os.Chmod(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(folder, "backoffice")
	if err := buildWithClock(folder, binary); err != nil {
		t.Fatal(err)
	}
	// Tests count; how long it takes is the command's to measure.
	arguments := []string{"-binary", binary, "-kills", "3", "-once", "-brief", "-within", time.Minute.String()}
	engines := []string{"sqlite", "postgres"}
	if _, err := exec.LookPath("initdb"); err != nil {
		t.Log("PostgreSQL is not installed here")
		engines = engines[:1]
	}
	if out, err := exec.Command("unshare", "-rm", "true").CombinedOutput(); err != nil {
		t.Logf("no disk can be mounted here: %v %s", err, out)
		arguments = append(arguments, "-no-disks")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			command := exec.CommandContext(t.Context(), self, slices.Concat(arguments, []string{"-engine", engine, "-folder", filepath.Join(folder, engine)})...)
			command.Env = append(os.Environ(), "BACKOFFICE_CHAOS_TEST=1")
			if out, err := command.CombinedOutput(); err != nil {
				t.Errorf("not all is as it has to be: %v\n%s", err, out)
			}
		})
	}
}
