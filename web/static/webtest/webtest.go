// Package webtest finds and runs what the tests of pages and clients need beyond Go: Node, a browser, npm's packages.
// It is for tests alone.
package webtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Tool finds a program that a test needs beyond Go; without it the test is skipped, or fails in CI (CI=true), where
// make deps has installed all of them.
func Tool(t *testing.T, name string) string {
	t.Helper()
	found, err := exec.LookPath(name)
	if err == nil {
		found, err = filepath.Abs(found)
	}
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s is not there: run make deps", name)
		}
		t.Skipf("%s is not there: run make deps", name)
	}
	return found
}

// Run runs a program to its end, or fails with what it said.
func Run(t *testing.T, folder string, env []string, name string, args ...string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), name, args...)
	command.Dir, command.Env = folder, append(os.Environ(), env...)
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", filepath.Base(name), err, out)
	}
}
