// Package apidocs is the page at /docs: the REST interface's documentation, from which requests can be tried. It is
// Swagger UI as it is published with a small frame around it, put together by the folder page and embedded, so that the
// program needs neither Node nor any other address to show it.
//
// It serves files and nothing else: it knows no credentials, no operation and no store. The page itself reads
// /openapi.json of the same origin and talks to it with the credential pair that its user types in, which it keeps in
// memory only.
package apidocs

import (
	"bytes"
	"compress/gzip"
	"embed"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
)

// Path is where the page is; its assets are under Path + "/assets/".
const Path = "/docs"

// dist is the output of `npm run build` in the folder page: index.html, and assets with hashed names, packed with gzip.
//
//go:embed dist
var dist embed.FS

// policy lets the page load and ask nothing but its own origin. Swagger UI's pictures are in its style sheet.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; img-src 'self' data:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Handler serves the page at Path and its assets below, to GET and HEAD: 404 for any other path, 405 for any other
// method. It is to be mounted at Path and Path + "/*" without stripping the prefix.
func Handler() http.Handler {
	page, err := dist.ReadFile("dist/index.html")
	if err != nil {
		panic("apidocs: the page is not embedded: " + err.Error())
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
			return
		}
		switch name, isAsset := strings.CutPrefix(r.URL.Path, Path+"/assets/"); {
		case isAsset:
			serveAsset(w, r, name)
		case r.URL.Path == Path:
			servePage(w, page)
		case r.URL.Path == Path+"/":
			http.Redirect(w, r, Path, http.StatusPermanentRedirect)
		default:
			http.NotFound(w, r)
		}
	})
}

func servePage(w http.ResponseWriter, page []byte) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-cache") // a stale page would ask for assets of an earlier build
	h.Set("Content-Security-Policy", policy)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	_, _ = w.Write(page)
}

// serveAsset answers with a built file, packed as it is embedded or unpacked for the rare client that cannot unpack. Its
// name holds a hash of its content, so it may be kept for good.
func serveAsset(w http.ResponseWriter, r *http.Request, name string) {
	if !fs.ValidPath(name) {
		http.NotFound(w, r)
		return
	}
	packed, err := dist.ReadFile(path.Join("dist/assets", name+".gz"))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", contentTypes[path.Ext(name)])
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Vary", "Accept-Encoding")
	if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") || strings.Contains(r.Header.Get("Accept-Encoding"), "gzip;q=0") {
		unpacked, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			http.Error(w, "internal error", http.StatusInternalServerError)
			return
		}
		_, _ = io.Copy(w, unpacked)
		return
	}
	h.Set("Content-Encoding", "gzip")
	h.Set("Content-Length", strconv.Itoa(len(packed)))
	_, _ = w.Write(packed)
}

// contentTypes is complete for what the build puts out; the standard library's table differs from machine to machine.
var contentTypes = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".svg": "image/svg+xml",
}
