package feed

import (
	"os"
	"path/filepath"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
	"example.org/backoffice/web/static/webtest"
)

// The sentences are in testdata/clients/follow.mjs: graphql-sse, graphql-ws, Apollo Client and urql.
func TestEveryClientFollowsTheFeed(t *testing.T) {
	t.Parallel()
	node := webtest.Tool(t, "node")
	webtest.Tool(t, "../../testdata/clients/node_modules/.bin/tsc") // all of the packages are there, or none
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := os.Symlink(filepath.Join(here, "../../testdata/clients/node_modules"), filepath.Join(folder, "node_modules")); err != nil {
		t.Fatal(err)
	}
	o := gatewaytest.Open(t)
	f := o.Follower(t, o.Credential(t, backoffice.AllScopes...))
	webtest.Run(t, folder, []string{"BACKOFFICE_CLIENT_ID=" + f.Credential[0], "BACKOFFICE_CLIENT_SECRET=" + f.Credential[1], "BACKOFFICE_ORIGIN=" + f.Address},
		node, "--test", "--test-force-exit", "--test-reporter=spec", filepath.Join(here, "../../testdata/clients/follow.mjs"))
}
