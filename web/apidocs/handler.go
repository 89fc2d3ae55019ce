// Package apidocs is the page at /docs: the REST interface's documentation, from which requests can be tried. It is
// Swagger UI as it is published with a small frame around it, put together by the folder page and embedded, so that the
// program needs neither Node nor any other address to show it.
//
// It knows no credentials, no operation and no store. The page itself reads /openapi.json of the same origin and talks
// to it with the credential that its user types in, which it keeps in memory only.
package apidocs

import (
	"embed"
	"net/http"

	"example.org/backoffice/web/static"
)

// Path is where the page is; its assets are under Path + "/assets/".
const Path = "/docs"

// dist is the output of `npm run build` in the folder page.
//
//go:embed dist
var dist embed.FS

// policy lets the page load and ask nothing but its own origin. Swagger UI's pictures are in its style sheet.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; " +
	"img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Handler serves the page; see static.Handler for what it answers and where to mount it.
func Handler() http.Handler { return static.Handler(Path, dist, policy) }
