package graphqlhttp

import (
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The audits of graphql-http are a program for Node. Where that is missing the test is skipped, except in CI.
func TestEveryAuditOfGraphQLOverHTTPPasses(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			if os.Getenv("CI") != "" {
				t.Fatalf("%s is missing", tool)
			}
			t.Skipf("%s is missing", tool)
		}
	}
	if _, err := os.Stat(filepath.Join("audit", "node_modules", "graphql-http")); err != nil {
		install := exec.Command("npm", "ci", "--no-audit", "--no-fund")
		install.Dir = "audit"
		if out, err := install.CombinedOutput(); err != nil {
			t.Fatalf("npm ci: %v\n%s", err, out)
		}
	}
	server := httptest.NewServer(endpoint())
	t.Cleanup(server.Close)
	audit := exec.Command("node", "audit.mjs")
	audit.Dir = "audit"
	audit.Env = append(os.Environ(), "AUDIT_URL="+server.URL+"/graphql")
	out, err := audit.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
