package main

import (
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// The short form of make chaos: each engine under a gateway that is killed a few times, and cut off from PostgreSQL.
func TestNothingIsLostWhenWhatRunsIsKilled(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it builds and kills the program")
	}
	binary := filepath.Join(t.TempDir(), "backoffice")
	if out, err := exec.Command("go", "build", "-o", binary, "../..").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	o := options{
		binary: binary, kills: 3, only: "the gateway killed (kill -9), all connections cut",
		within: time.Minute, // tests count; how long it takes is the command's to measure
	}
	if _, err := exec.LookPath("initdb"); err != nil {
		t.Log("PostgreSQL is not installed here")
		o.engine = "sqlite"
	}
	if whole, err := o.run(); err != nil || !whole {
		t.Error("not all is as it has to be", err)
	}
}
