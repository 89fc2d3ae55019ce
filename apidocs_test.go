package main

import (
	"context"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
)

// tool finds a program that a test needs beyond Go; without it the test is skipped, or fails in CI (CI=true), where
// scripts/test-tools.sh has installed all of them.
func tool(t *testing.T, name string) string {
	t.Helper()
	found, err := exec.LookPath(name)
	if err == nil {
		found, err = filepath.Abs(found)
	}
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s is not there: run scripts/test-tools.sh", name)
		}
		t.Skipf("%s is not there: run scripts/test-tools.sh", name)
	}
	return found
}

// runTool runs a program to its end, or fails with what it said.
func runTool(t *testing.T, folder string, env []string, name string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, name, args...)
	command.Dir, command.Env = folder, append(os.Environ(), env...)
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", filepath.Base(name), err, out)
	}
}

// The sentences are in apidocs/page/test/page.test.mjs.
func TestTheDocumentationPageInABrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser takes its time")
	}
	t.Parallel()
	node, chromium := tool(t, "node"), tool(t, "chromium")
	tool(t, "apidocs/page/node_modules/.bin/spectral") // all of the page's packages are there, or none
	o := openOffice(t)
	pair := o.pair(t, backoffice.AllScopes...)
	server := httptest.NewServer(o.handler)
	defer server.Close()
	runTool(t, "apidocs/page", []string{
		"CHROMIUM=" + chromium, "APIDOCS_TEST_URL=" + server.URL, "APIDOCS_TEST_ID=" + pair[0], "APIDOCS_TEST_SECRET=" + pair[1],
	}, node, "--test", "--test-reporter=spec", "test/page.test.mjs")
}
