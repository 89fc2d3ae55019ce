// Package graphiql is the page at /graphiql: GraphiQL 5 with a small frame around it, built from the folder page and
// embedded, so that the program needs neither Node nor any other address to show it.
//
// It knows no credentials, no schema and no store. The page itself talks to POST /graphql of the same origin, with the
// credential pair that its user types in and that it keeps in memory only.
package graphiql

import (
	"embed"
	"net/http"

	"example.org/backoffice/static"
)

const (
	// Path is where the page is; its assets are under Path + "/assets/".
	Path = "/graphiql"
	// FirstQuery is the page with the first worked query in its editor: what a newcomer should be shown.
	FirstQuery = Path + "#worked=relations"
)

// dist is the output of `npm run build` in the folder page. The fonts are not packed: they are by nature.
//
//go:embed dist
var dist embed.FS

// policy lets the page load and ask nothing but its own origin: no inline script and no eval. The editor makes style
// elements as it runs, which carry the nonce; it positions its lines with style attributes in markup, which no nonce can
// cover, and its pictures of waves under a mistake are data.
const policy = "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self' 'nonce-" + static.Nonce + "'; " +
	"style-src-attr 'unsafe-inline'; font-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; " +
	"form-action 'none'; frame-ancestors 'none'"

// Store is whose records the page works on.
type Store string

const (
	// Demo is a store that the demo filled: worked queries that write may be tried on its records.
	Demo Store = "demo"
	// Real is any other: such a query gets no identifier of a record that it did not make itself.
	Real Store = "real"
)

// storeMark stands in index.html where the page reads which store it is.
const storeMark = "__STORE__"

// Handler serves the page; see static.Handler for what it answers and where to mount it.
func Handler(store Store) http.Handler {
	return static.Handler(Path, dist, policy, storeMark, string(store))
}
