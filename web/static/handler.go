// Package static serves a page that was built beforehand and is embedded in the program: an index.html, and assets
// whose names hold a hash of their content and which are packed with gzip.
//
// It serves files and nothing else: it knows no credentials, no operation and no store.
package static

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
)

// Nonce stands in index.html, and in the policy, where each answer has a nonce of its own.
const Nonce = "__CSP_NONCE__"

// Handler serves dist/index.html at a path, under a Content-Security-Policy, and what is in dist/assets below
// path + "/assets/", to GET and HEAD: 404 for any other path, 405 for any other method. It is to be mounted at path and
// path + "/*" without stripping the prefix. marks are what strings.NewReplacer takes: what stands in index.html, and
// what the answers have in its place. A dist without index.html is a mistake of the build: it panics.
func Handler(path string, dist fs.FS, policy string, marks ...string) http.Handler {
	page := Page(dist, "index.html", policy, marks...)
	assets := &assets{dist: dist}
	return read(func(w http.ResponseWriter, r *http.Request) {
		switch name, isAsset := strings.CutPrefix(r.URL.Path, path+"/assets/"); {
		case isAsset:
			assets.serve(w, r, name)
		case r.URL.Path == path:
			page.ServeHTTP(w, r)
		case r.URL.Path == path+"/":
			http.Redirect(w, r, path, http.StatusPermanentRedirect)
		default:
			http.NotFound(w, r)
		}
	})
}

// Page serves one page of dist at whatever path it is mounted, as Handler serves index.html. One that is not there is
// a mistake of the build: it panics.
func Page(dist fs.FS, name, policy string, marks ...string) http.Handler {
	page, err := fs.ReadFile(dist, "dist/"+name)
	if err != nil {
		panic("static: " + name + " is not embedded: " + err.Error())
	}
	page = []byte(strings.NewReplacer(marks...).Replace(string(page)))
	return read(func(w http.ResponseWriter, _ *http.Request) { servePage(w, page, policy) })
}

// read answers GET and HEAD alone.
func read(serve http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
			return
		}
		serve(w, r)
	})
}

func servePage(w http.ResponseWriter, page []byte, policy string) {
	nonce := rand.Text()
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store") // a stale page would ask for assets of an earlier build, with an old nonce
	h.Set("Content-Security-Policy", strings.ReplaceAll(policy, Nonce, nonce))
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	_, _ = w.Write(bytes.ReplaceAll(page, []byte(Nonce), []byte(nonce)))
}

// assets are the built files. Unpacking one takes 13 ms, so those that were are kept: there are few.
type assets struct {
	dist     fs.FS
	mu       sync.Mutex
	unpacked map[string][]byte
}

func (a *assets) unpack(name string, content []byte) ([]byte, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if known, ok := a.unpacked[name]; ok {
		return known, nil
	}
	reader, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	unpacked, err := io.ReadAll(reader)
	if err == nil {
		if a.unpacked == nil {
			a.unpacked = map[string][]byte{}
		}
		a.unpacked[name] = unpacked
	}
	return unpacked, err
}

// serve answers with a built file as it is embedded: packed, or unpacked for the rare client that can't unpack. Its
// name holds a hash of its content, so it may be kept for good.
func (a *assets) serve(w http.ResponseWriter, r *http.Request, name string) {
	if !fs.ValidPath(name) || strings.HasSuffix(name, ".gz") {
		http.NotFound(w, r)
		return
	}
	content, err := fs.ReadFile(a.dist, path.Join("dist/assets", name))
	packed := err != nil
	if packed {
		content, err = fs.ReadFile(a.dist, path.Join("dist/assets", name+".gz"))
	}
	if err != nil {
		http.NotFound(w, r)
		return
	}

	h := w.Header()
	h.Set("Content-Type", contentTypes[path.Ext(name)])
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("X-Content-Type-Options", "nosniff")
	if packed {
		h.Set("Vary", "Accept-Encoding")
		if acceptsGzip(r.Header.Values("Accept-Encoding")) {
			h.Set("Content-Encoding", "gzip")
		} else if content, err = a.unpack(name, content); err != nil {
			http.Error(w, "internal error", http.StatusInternalServerError)
			return
		}
	}
	h.Set("Content-Length", strconv.Itoa(len(content)))
	_, _ = w.Write(content)
}

// contentTypes is complete for what the builds put out. The standard library would ask the system, and machines differ.
var contentTypes = map[string]string{
	".css":   "text/css; charset=utf-8",
	".js":    "text/javascript; charset=utf-8",
	".svg":   "image/svg+xml",
	".ttf":   "font/ttf",
	".woff2": "font/woff2",
}

// acceptsGzip reads Accept-Encoding (RFC 9110, 12.5.3): a weight of 0 excludes; * is those not named.
func acceptsGzip(values []string) bool {
	star := false
	for item := range strings.SplitSeq(strings.Join(values, ","), ",") {
		coding, parameters, _ := mime.ParseMediaType(item)
		weight, err := strconv.ParseFloat(parameters["q"], 64)
		wanted := err != nil || weight != 0
		switch coding {
		case "gzip", "x-gzip":
			return wanted
		case "*":
			star = wanted
		}
	}
	return star
}
