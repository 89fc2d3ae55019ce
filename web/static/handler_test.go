package static_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"example.org/backoffice/web/static"
)

const script = "let shown = true\n"

func built(t *testing.T) fstest.MapFS {
	t.Helper()
	var packed bytes.Buffer
	packer := gzip.NewWriter(&packed)
	_, _ = io.WriteString(packer, script)
	if err := packer.Close(); err != nil {
		t.Fatal(err)
	}
	return fstest.MapFS{
		"dist/index.html":              {Data: []byte(`<meta nonce="` + static.Nonce + `">`)},
		"dist/assets/page-1234.js.gz":  {Data: packed.Bytes()},
		"dist/assets/font-1234.woff2":  {Data: []byte("font")},
		"dist/assets/broken-123.js.gz": {Data: []byte("not packed")},
		"dist/licenses.md":             {Data: []byte("not served")},
	}
}

func get(t *testing.T, target, acceptEncoding string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, target, nil)
	if acceptEncoding != "" {
		r.Header.Set("Accept-Encoding", acceptEncoding)
	}
	w := httptest.NewRecorder()
	static.Handler("/page", built(t), "style-src 'nonce-"+static.Nonce+"'").ServeHTTP(w, r)
	return w.Result()
}

func read(t *testing.T, response *http.Response) string {
	t.Helper()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestThePageAndItsPolicyShareANonceThatNoOtherAnswerHas(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 3 {
		response := get(t, "/page", "")
		_, nonce, _ := strings.Cut(read(t, response), `nonce="`)
		nonce, _, _ = strings.Cut(nonce, `"`)
		if len(nonce) < 22 || seen[nonce] || response.Header.Get("Content-Security-Policy") != "style-src 'nonce-"+nonce+"'" {
			t.Errorf("nonce %q, seen before: %v, %s", nonce, seen, response.Header.Get("Content-Security-Policy"))
		}
		seen[nonce] = true
	}
}

func TestGzipIsServedToThoseWhoTakeItAlone(t *testing.T) {
	t.Parallel()
	for accept, want := range map[string]string{
		"":                        "",
		"gzip":                    "gzip",
		"GZIP":                    "gzip",
		"br, gzip;q=0.1":          "gzip",
		"gzip; q=0":               "",
		"gzip;q=0.000, *":         "",
		"*":                       "gzip",
		"*;q=0":                   "",
		"identity":                "",
		"deflate, gzip ;q=1.0, *": "gzip",
	} {
		response := get(t, "/page/assets/page-1234.js", accept)
		if got := response.Header.Get("Content-Encoding"); got != want {
			t.Errorf("Accept-Encoding %q: served as %q, want %q", accept, got, want)
		}
		if response.Header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("Accept-Encoding %q: Vary %q", accept, response.Header.Get("Vary"))
		}
		if want == "" && read(t, response) != script {
			t.Errorf("Accept-Encoding %q: not what was packed", accept)
		}
	}
}

func TestWhatIsUnpackedForOneIsKeptForTheNext(t *testing.T) {
	t.Parallel()
	dist := built(t)
	handler := static.Handler("/page", dist, "")
	for range 2 {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/page/assets/page-1234.js", nil))
		if w.Body.String() != script || w.Header().Get("Content-Length") != strconv.Itoa(len(script)) {
			t.Errorf("%v %s", w.Header(), w.Body)
		}
		dist["dist/assets/page-1234.js.gz"].Data = []byte("not packed") // nobody unpacks it again
	}
}

func TestWhatIsPackedByNatureIsServedAsItIs(t *testing.T) {
	t.Parallel()
	response := get(t, "/page/assets/font-1234.woff2", "gzip")
	if response.Header.Get("Content-Encoding") != "" || response.Header.Get("Content-Type") != "font/woff2" || read(t, response) != "font" {
		t.Errorf("%v", response.Header)
	}
}

func TestNothingBesideThePageAndItsAssetsIsServed(t *testing.T) {
	t.Parallel()
	for target, status := range map[string]int{
		"/page/":                          http.StatusPermanentRedirect,
		"/page/licenses.md":               http.StatusNotFound,
		"/page/assets/":                   http.StatusNotFound,
		"/page/assets/../licenses.md":     http.StatusNotFound,
		"/page/assets/page-1234.js.gz":    http.StatusNotFound,
		"/page/assets/nothing-1234.js":    http.StatusNotFound,
		"/page/assets/broken-123.js":      http.StatusInternalServerError,
		"/page/assets/%2e%2e/licenses.md": http.StatusNotFound,
	} {
		if response := get(t, target, ""); response.StatusCode != status {
			t.Errorf("%s: %d, want %d", target, response.StatusCode, status)
		}
	}
}
