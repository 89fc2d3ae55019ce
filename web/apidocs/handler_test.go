package apidocs

import (
	"compress/gzip"
	"io"
	"io/fs"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

func get(method, path string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, r)
	return w
}

func TestThePageAsksForWhatIsThere(t *testing.T) {
	t.Parallel()
	page := get("GET", "/docs")
	if page.Code != 200 || !strings.Contains(page.Header().Get("Content-Security-Policy"), "default-src 'none'") {
		t.Fatalf("%d %v", page.Code, page.Header())
	}
	assets := regexp.MustCompile(`"(/docs/assets/[^"]+)"`).FindAllStringSubmatch(page.Body.String(), -1)
	if len(assets) != 6 {
		t.Errorf("the page has %d assets", len(assets))
	}
	for _, asset := range assets {
		packed, plain := get("GET", asset[1], "Accept-Encoding", "br, gzip"), get("GET", asset[1])
		if packed.Code != 200 || plain.Code != 200 || packed.Header().Get("Content-Encoding") != "gzip" || plain.Header().Get("Content-Encoding") != "" || plain.Header().Get("Content-Type") == "" {
			t.Errorf("%s: %d %v", asset[1], packed.Code, packed.Header())
			continue
		}
		unpacked, err := gzip.NewReader(packed.Body)
		if err != nil {
			t.Fatal(err)
		}
		if content, err := io.ReadAll(unpacked); err != nil || string(content) != plain.Body.String() {
			t.Errorf("%s differs when it is not packed: %v", asset[1], err)
		}
	}
}

func TestNothingElseIsServed(t *testing.T) {
	t.Parallel()
	for path, status := range map[string]int{"/docs/": 308, "/docs/x": 404, "/docs/assets/": 404, "/docs/assets/../index.html": 404, "/docs/assets/nothing.js": 404} {
		if w := get("GET", path); w.Code != status {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
	if w := get("POST", "/docs"); w.Code != 405 || w.Header().Get("Allow") != "GET, HEAD" {
		t.Errorf("POST: %d", w.Code)
	}
}

func TestTheBuiltFilesNameNoRegistry(t *testing.T) {
	t.Parallel()
	files, err := fs.Glob(dist, "dist/*.html")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, name := range files {
		content, err := dist.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(content), "//") {
			t.Errorf("%s leads elsewhere", name)
		}
	}
}
