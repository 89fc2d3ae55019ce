// Package graphiql is the page at /graphiql: GraphiQL 5 with a small frame around it, built from the folder page and
// embedded, so that the program needs neither Node nor any other address to show it.
//
// It serves files and nothing else: it knows no credentials, no schema and no store. The page itself talks to
// POST /graphql of the same origin, with the credential pair that its user types in and that it keeps in memory only.
package graphiql

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"embed"
	"encoding/base64"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
)

const (
	// Path is where the page is; its assets are under Path + "/assets/".
	Path = "/graphiql"
	// FirstQuery is the page with the first worked query in its editor: what a newcomer should be shown.
	FirstQuery = Path + "#worked=relations"
)

// dist is the output of `npm run build` in the folder page: index.html, and under assets files with hashed names,
// packed with gzip but for the fonts, which are packed by nature.
//
//go:embed dist
var dist embed.FS

// noncePlace stands in index.html where each answer has a nonce of its own.
const noncePlace = "__CSP_NONCE__"

// Handler serves the page at Path and its assets below, to GET and HEAD: 404 for any other path, 405 for any other
// method. It is to be mounted at Path and Path + "/*" without stripping the prefix.
func Handler() http.Handler {
	page, err := dist.ReadFile("dist/index.html")
	if err != nil {
		panic("graphiql: the page is not embedded: " + err.Error())
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

// servePage answers with the page under a policy that lets it load and ask nothing but its own origin.
func servePage(w http.ResponseWriter, page []byte) {
	nonce := newNonce()
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store") // a stale page would ask for assets of an earlier build, with an old nonce
	h.Set("Content-Security-Policy", policy(nonce))
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	_, _ = w.Write(bytes.ReplaceAll(page, []byte(noncePlace), []byte(nonce)))
}

// policy is the page's Content-Security-Policy. No inline script and no eval. The editor makes style elements as it
// runs: they carry the nonce. It also positions its lines with style attributes in markup, which no nonce can cover.
func policy(nonce string) string {
	return strings.Join([]string{
		"default-src 'none'",
		"script-src 'self'",
		"worker-src 'self'",
		"style-src 'self' 'nonce-" + nonce + "'",
		"style-src-attr 'unsafe-inline'",
		"font-src 'self'",
		"img-src 'self' data:", // the editor draws the waves under a mistake
		"connect-src 'self'",
		"base-uri 'none'",
		"form-action 'none'",
		"frame-ancestors 'none'",
	}, "; ")
}

// serveAsset answers with a built file as it is embedded: packed, or unpacked for the rare client that can't unpack.
// Its name holds a hash of its content, so it may be kept for good.
func serveAsset(w http.ResponseWriter, r *http.Request, name string) {
	if !fs.ValidPath(name) || strings.HasSuffix(name, ".gz") {
		http.NotFound(w, r)
		return
	}
	content, err := dist.ReadFile(path.Join("dist/assets", name))
	packed := err != nil
	if packed {
		content, err = dist.ReadFile(path.Join("dist/assets", name+".gz"))
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
		if !acceptsGzip(r.Header.Values("Accept-Encoding")) {
			unpacked, err := gzip.NewReader(bytes.NewReader(content))
			if err != nil {
				http.Error(w, "internal error", http.StatusInternalServerError)
				return
			}
			_, _ = io.Copy(w, unpacked)
			return
		}
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Content-Length", strconv.Itoa(len(content)))
	_, _ = w.Write(content)
}

// contentTypes is complete for what the build puts out. The standard library's table would ask the system's, which
// differ from machine to machine.
var contentTypes = map[string]string{
	".css":   "text/css; charset=utf-8",
	".js":    "text/javascript; charset=utf-8",
	".svg":   "image/svg+xml",
	".ttf":   "font/ttf",
	".woff2": "font/woff2",
}

// acceptsGzip reads Accept-Encoding (RFC 9110, 12.5.3): a coding counts unless its weight is 0, and * stands for those
// not named.
func acceptsGzip(values []string) bool {
	star := false
	for _, value := range values {
		for item := range strings.SplitSeq(value, ",") {
			coding, weight, _ := strings.Cut(item, ";")
			wanted := !zeroWeight(weight)
			switch strings.ToLower(strings.TrimSpace(coding)) {
			case "gzip", "x-gzip":
				return wanted
			case "*":
				star = wanted
			}
		}
	}
	return star
}

func zeroWeight(parameter string) bool {
	name, value, _ := strings.Cut(strings.TrimSpace(parameter), "=")
	if !strings.EqualFold(strings.TrimSpace(name), "q") {
		return false
	}
	q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	return err == nil && q == 0
}

func newNonce() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails: it ends the program if the system has no randomness
	return base64.RawURLEncoding.EncodeToString(b[:])
}
