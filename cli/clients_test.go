package cli

import (
	"os"
	"path/filepath"
	"testing"

	"example.org/backoffice/web/static/webtest"
)

// The sentences are in testdata/clients/run.mjs, which runs the blocks of docs/clients.md as they stand there.
func TestEveryClientWorksAsItsPageSays(t *testing.T) {
	if testing.Short() {
		t.Skip("six tools take their time")
	}
	t.Parallel()
	node := webtest.Tool(t, "node")
	webtest.Tool(t, "../testdata/clients/node_modules/.bin/tsc") // all of the packages are there, or none
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := os.Symlink(filepath.Join(here, "../testdata/clients/node_modules"), filepath.Join(folder, "node_modules")); err != nil {
		t.Fatal(err)
	}
	newShell(t).demo(t, func(printed []string) {
		webtest.Run(t, folder, []string{
			"CLIENTS_PAGE=" + filepath.Join(here, "../docs/clients.md"),
			"BACKOFFICE_CLIENT_ID=" + printed[2], "BACKOFFICE_CLIENT_SECRET=" + printed[3], "BACKOFFICE_ORIGIN=" + printed[4],
		}, node, "--test", "--test-reporter=spec", filepath.Join(here, "../testdata/clients/run.mjs"))
	})
}
