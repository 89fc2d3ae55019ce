package graphiql_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"example.org/backoffice/graphiql"
)

// limit is what all assets together may weigh, packed.
const limit = 2_500_000

func get(t *testing.T, method, target string, header http.Header) *http.Response {
	t.Helper()
	r := httptest.NewRequest(method, target, nil)
	maps.Copy(r.Header, header)
	w := httptest.NewRecorder()
	graphiql.Handler(graphiql.Real).ServeHTTP(w, r)
	return w.Result()
}

func body(t *testing.T, response *http.Response) []byte {
	t.Helper()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func directive(response *http.Response, name string) string {
	for part := range strings.SplitSeq(response.Header.Get("Content-Security-Policy"), "; ") {
		if value, ok := strings.CutPrefix(part, name+" "); ok {
			return value
		}
	}
	return ""
}

func TestThePageIsNeverKeptAndHasANewNonceEachTime(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 3 {
		response := get(t, "GET", graphiql.Path, nil)
		if response.StatusCode != http.StatusOK || response.Header.Get("Cache-Control") != "no-store" {
			t.Fatalf("status %d, Cache-Control %q", response.StatusCode, response.Header.Get("Cache-Control"))
		}
		page := string(body(t, response))
		nonce := regexp.MustCompile(`nonce="([^"]+)"`).FindStringSubmatch(page)
		if nonce == nil || len(nonce[1]) < 22 || seen[nonce[1]] {
			t.Fatalf("nonces of the page: %q, seen before: %v", nonce, seen)
		}
		seen[nonce[1]] = true
		if style := directive(response, "style-src"); style != "'self' 'nonce-"+nonce[1]+"'" {
			t.Errorf("style-src %s does not name the page's nonce", style)
		}
	}
}

func TestThePolicyLetsInNoInlineScriptAndNoOtherOrigin(t *testing.T) {
	t.Parallel()
	response := get(t, "GET", graphiql.Path, nil)
	for name, want := range map[string]string{
		"default-src":     "'none'",
		"script-src":      "'self'",
		"worker-src":      "'self'",
		"connect-src":     "'self'",
		"font-src":        "'self'",
		"img-src":         "'self' data:",
		"base-uri":        "'none'",
		"form-action":     "'none'",
		"frame-ancestors": "'none'",
	} {
		if got := directive(response, name); got != want {
			t.Errorf("%s %s, want %s", name, got, want)
		}
	}
	page := body(t, response)
	if inline := regexp.MustCompile(`(?i)<script(?:[^>]*)>[^<]|<style|\son\w+=`).Find(page); inline != nil {
		t.Errorf("the page holds inline %q", inline)
	}
	if other := regexp.MustCompile(`(?:src|href)="(?:[^/"]|//)[^"]*`).Find(page); other != nil {
		t.Errorf("the page refers to %q", other)
	}
}

func TestEveryAssetOfThePageIsServedForGoodAndPacked(t *testing.T) {
	t.Parallel()
	names := assets(t)
	total := 0
	for _, name := range names {
		response := get(t, "GET", graphiql.Path+"/assets/"+name, http.Header{"Accept-Encoding": {"br;q=1.0, gzip"}})
		packed := body(t, response)
		total += len(packed)
		h := response.Header
		if response.StatusCode != http.StatusOK || h.Get("Cache-Control") != "public, max-age=31536000, immutable" ||
			h.Get("Content-Type") == "" || h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %d %v", name, response.StatusCode, h)
		}
		if !regexp.MustCompile(`-[\w-]{8}\.\w+$`).MatchString(name) {
			t.Errorf("%s: kept for good, but no hash in its name", name)
		}
		if h.Get("Content-Encoding") != "gzip" {
			if !strings.HasSuffix(name, ".woff2") {
				t.Errorf("%s is not packed", name)
			}
			continue
		}
		unpacked, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want, err := io.ReadAll(unpacked)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		plain := get(t, "GET", graphiql.Path+"/assets/"+name, http.Header{"Accept-Encoding": {"gzip;q=0"}})
		if got := body(t, plain); plain.Header.Get("Content-Encoding") != "" || !bytes.Equal(got, want) {
			t.Errorf("%s: unpacked for a client that takes no gzip, it is not the same", name)
		}
	}
	t.Logf("%d assets, packed: %d bytes", len(names), total)
	if total > limit {
		t.Errorf("the assets weigh %d bytes packed, over %d", total, limit)
	}
}

func TestWhatIsNotThereIsRefused(t *testing.T) {
	t.Parallel()
	asset := graphiql.Path + "/assets/" + assets(t)[0]
	for _, c := range []struct {
		method, target string
		status         int
	}{
		{"HEAD", graphiql.Path, 200},
		{"HEAD", asset, 200},
		{"POST", graphiql.Path, 405},
		{"DELETE", asset, 405},
		{"GET", graphiql.Path + "/", 308},
		{"GET", graphiql.Path + "/nothing", 404},
		{"GET", graphiql.Path + "/assets/", 404},
		{"GET", graphiql.Path + "/assets/nothing.js", 404},
		{"GET", graphiql.Path + "/assets/../index.html", 404},
		{"GET", graphiql.Path + "/assets/..%2findex.html", 404},
		{"GET", asset + ".gz", 404},
	} {
		response := get(t, c.method, c.target, nil)
		if response.StatusCode != c.status {
			t.Errorf("%s %s: %d, want %d", c.method, c.target, response.StatusCode, c.status)
		}
		if c.status == 405 && response.Header.Get("Allow") != "GET, HEAD" {
			t.Errorf("%s %s: Allow %q", c.method, c.target, response.Header.Get("Allow"))
		}
	}
}

func TestTheLockNamesNoRegistry(t *testing.T) {
	t.Parallel()
	lock, err := os.ReadFile("page/package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	if found := regexp.MustCompile(`"resolved"|https?://[^"]*registry[^"]*`).Find(lock); found != nil {
		t.Errorf("package-lock.json holds %q", found)
	}
	for line := range strings.SplitSeq(string(must(os.ReadFile("page/package.json"))), "\n") {
		if regexp.MustCompile(`"[\^~*]|"latest"`).MatchString(line) {
			t.Errorf("package.json has a version that is not exact: %s", strings.TrimSpace(line))
		}
	}
}

// assets are the names under which the committed build's assets are served.
func assets(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir("dist/assets")
	if err != nil || len(entries) == 0 {
		t.Fatalf("no assets are built: %v", err)
	}
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = strings.TrimSuffix(entry.Name(), ".gz")
	}
	return names
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
