package graphiql_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"example.org/backoffice/web/graphiql"
)

// limit is what all assets together may weigh, packed.
const limit = 2_500_000

func get(t *testing.T, method, target string, header http.Header) *http.Response {
	t.Helper()
	r := httptest.NewRequest(method, target, nil)
	maps.Copy(r.Header, header)
	w := httptest.NewRecorder()
	graphiql.Handler(graphiql.Real, nil).ServeHTTP(w, r)
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

func TestWherePeopleSignInIsInThePageAndInItsPolicyAndNothingMore(t *testing.T) {
	t.Parallel()
	for _, of := range []struct{ issuer, tokens, connect string }{
		{"https://login.example/office", "https://login.example/office/token", "'self' https://login.example"},
		{"https://Login.example:8443", "", "'self' https://login.example:8443"},
		{"https://login.example", "https://tokens.example/token", "'self' https://login.example https://tokens.example"},
		{"http://[::1]:9000", "javascript:alert(1)", "'self' http://[::1]:9000"},
		{"https://login.example", "https://a;script-src *", "'self' https://login.example"},
		{"https://login.example", "https://*", "'self' https://login.example"},
	} {
		handler := graphiql.Handler(graphiql.Real, &graphiql.Provider{
			Issuer: of.issuer, Client: `a"><script>`, Scope: "openid & more", TokenEndpoint: func(context.Context) string { return of.tokens },
		})
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, graphiql.Path, http.NoBody))
		if got := directive(w.Result(), "connect-src"); got != of.connect {
			t.Errorf("%s, %s: connect-src %s", of.issuer, of.tokens, got)
		}
		if got := directive(w.Result(), "script-src"); got != "'self'" {
			t.Errorf("%s: script-src %s", of.tokens, got)
		}
		page := w.Body.String()
		for _, want := range []string{`name="oidc-issuer" content="` + of.issuer + `"`, `name="oidc-client" content="a&#34;&gt;&lt;script&gt;"`, `name="oidc-scope" content="openid &amp; more"`} {
			if !strings.Contains(page, want) {
				t.Errorf("the page has no %s", want)
			}
		}
	}
}

func TestTheProviderSendsPeopleBackToAPageThatAsksNobody(t *testing.T) {
	t.Parallel()
	handler := graphiql.Handler(graphiql.Real, &graphiql.Provider{Issuer: "https://login.example", Client: "page", TokenEndpoint: func(context.Context) string { return "" }})
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, graphiql.SignedIn+"?code=the-code&state=s", http.NoBody))
	response := w.Result()
	if response.StatusCode != http.StatusOK || response.Header.Get("Cache-Control") != "no-store" || response.Header.Get("Referrer-Policy") != "no-referrer" || directive(response, "default-src") != "'none'" || directive(response, "connect-src") != "" {
		t.Errorf("%d %v", response.StatusCode, response.Header)
	}
	if strings.Contains(w.Body.String(), "the-code") {
		t.Error("the page repeats the code")
	}
	w = httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest(http.MethodPost, graphiql.SignedIn, http.NoBody))
	if w.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d", w.Code)
	}
	if response := get(t, http.MethodGet, graphiql.SignedIn, nil); response.StatusCode != http.StatusNotFound {
		t.Errorf("without a provider: %d", response.StatusCode)
	}
	if page := string(body(t, get(t, http.MethodGet, graphiql.Path, nil))); strings.Contains(page, "__") || !strings.Contains(page, `name="oidc-issuer" content=""`) {
		t.Error("without a provider the page has a mark or names one")
	}
}
