package parity

import (
	"compress/gzip"
	"io"
	"io/fs"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
	"example.org/backoffice/web/static/webtest"
)

// The sentences are in web/apidocs/page/test/page.test.mjs.
func TestTheDocumentationPageInABrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser takes its time")
	}
	t.Parallel()
	node, chromium := webtest.Tool(t, "node"), webtest.Tool(t, "chromium-headless-shell")
	webtest.Tool(t, "../../web/apidocs/page/node_modules/.bin/spectral") // all of the page's packages are there, or none
	o := gatewaytest.Open(t)
	credential := o.Credential(t, backoffice.AllScopes...)
	server := httptest.NewServer(o.Handler)
	defer server.Close()
	webtest.Run(t, "../../web/apidocs/page", []string{
		"CHROMIUM=" + chromium, "APIDOCS_TEST_URL=" + server.URL, "APIDOCS_TEST_ID=" + credential[0], "APIDOCS_TEST_SECRET=" + credential[1],
	}, node, "--test", "--test-reporter=spec", "test/page.test.mjs")
}

func TestAClientThatIsGeneratedFromTheOpenAPIDocumentCompilesAndWorks(t *testing.T) {
	if testing.Short() {
		t.Skip("generating and compiling take their time")
	}
	t.Parallel()
	node := webtest.Tool(t, "node")
	generator, compiler := webtest.Tool(t, "../../web/apidocs/page/node_modules/.bin/openapi-ts"), webtest.Tool(t, "../../web/apidocs/page/node_modules/.bin/tsc")
	o := gatewaytest.Open(t)
	credential := o.Credential(t, backoffice.AllScopes...)
	server := httptest.NewServer(o.Handler)
	defer server.Close()

	folder := t.TempDir()
	program, err := os.ReadFile("../../web/apidocs/page/test/uses-client.ts")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "uses-client.ts"), program, 0o600); err != nil {
		t.Fatal(err)
	}
	types, err := filepath.Abs("../../web/apidocs/page/node_modules/@types")
	if err != nil {
		t.Fatal(err)
	}
	webtest.Run(t, folder, nil, generator, "--input", server.URL+"/openapi.json", "--output", filepath.Join(folder, "client"), "--client", "@hey-api/client-fetch", "--no-log-file")
	webtest.Run(t, folder, nil, compiler, "--strict", "--noUncheckedIndexedAccess", "--target", "es2023", "--module", "commonjs", "--moduleResolution", "node10",
		"--esModuleInterop", "--skipLibCheck", "--typeRoots", types, "--types", "node", "--outDir", "built", "uses-client.ts")
	webtest.Run(t, folder, []string{"CLIENT_TEST_URL=" + server.URL, "CLIENT_TEST_ID=" + credential[0], "CLIENT_TEST_SECRET=" + credential[1]}, node, "built/uses-client.js")
}

func TestTheCommittedDocumentationPageIsWhatItsSourcesGive(t *testing.T) {
	t.Parallel()
	node := webtest.Tool(t, "node")
	webtest.Tool(t, "../../web/apidocs/page/node_modules/.bin/spectral")
	built := t.TempDir()
	webtest.Run(t, "../../web/apidocs/page", []string{"DIST=" + built}, node, "build.mjs")
	if want, got := unpacked(t, "../../web/apidocs/dist"), unpacked(t, built); !maps.Equal(want, got) {
		t.Error("web/apidocs/dist is stale: npm run --prefix web/apidocs/page build")
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
