package main

import (
	"compress/gzip"
	"context"
	"io"
	"io/fs"
	"maps"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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

func TestAClientThatIsGeneratedFromTheOpenAPIDocumentCompilesAndWorks(t *testing.T) {
	if testing.Short() {
		t.Skip("generating and compiling take their time")
	}
	t.Parallel()
	node := tool(t, "node")
	generator, compiler := tool(t, "apidocs/page/node_modules/.bin/openapi-ts"), tool(t, "apidocs/page/node_modules/.bin/tsc")
	o := openOffice(t)
	pair := o.pair(t, backoffice.AllScopes...)
	server := httptest.NewServer(o.handler)
	defer server.Close()

	folder := t.TempDir()
	program, err := os.ReadFile("apidocs/page/test/uses-client.ts")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "uses-client.ts"), program, 0o600); err != nil {
		t.Fatal(err)
	}
	types, err := filepath.Abs("apidocs/page/node_modules/@types")
	if err != nil {
		t.Fatal(err)
	}
	runTool(t, folder, nil, generator, "--input", server.URL+"/openapi.json", "--output", filepath.Join(folder, "client"), "--client", "@hey-api/client-fetch", "--no-log-file")
	runTool(t, folder, nil, compiler, "--strict", "--noUncheckedIndexedAccess", "--target", "es2023", "--module", "commonjs", "--moduleResolution", "node10",
		"--esModuleInterop", "--skipLibCheck", "--typeRoots", types, "--types", "node", "--outDir", "built", "uses-client.ts")
	runTool(t, folder, []string{"CLIENT_TEST_URL=" + server.URL, "CLIENT_TEST_ID=" + pair[0], "CLIENT_TEST_SECRET=" + pair[1]}, node, "built/uses-client.js")
}

func TestTheCommittedDocumentationPageIsWhatItsSourcesGive(t *testing.T) {
	t.Parallel()
	node := tool(t, "node")
	tool(t, "apidocs/page/node_modules/.bin/spectral")
	built := t.TempDir()
	runTool(t, "apidocs/page", []string{"DIST=" + built}, node, "build.mjs")
	if want, got := unpacked(t, "apidocs/dist"), unpacked(t, built); !maps.Equal(want, got) {
		t.Error("apidocs/dist is stale: npm run --prefix apidocs/page build")
	}
}

// unpacked reads a folder, and through the packing of its files: versions of zlib pack the same bytes differently.
func unpacked(t *testing.T, folder string) map[string]string {
	t.Helper()
	contents := map[string]string{}
	err := fs.WalkDir(os.DirFS(folder), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		file, err := os.Open(filepath.Join(folder, name))
		if err != nil {
			return err
		}
		defer file.Close()
		var content io.Reader = file
		if strings.HasSuffix(name, ".gz") {
			if content, err = gzip.NewReader(file); err != nil {
				return err
			}
		}
		text, err := io.ReadAll(content)
		contents[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return contents
}
