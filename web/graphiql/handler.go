// Package graphiql is the page at /graphiql: GraphiQL 5 with a small frame around it, built from the folder page and
// embedded, so that the program needs neither Node nor any other address to show it.
//
// It knows no credentials, no schema and no store. The page itself talks to POST /graphql of the same origin, with the
// credential that its user types in, or the access token of a person who signs in at an OpenID provider. It keeps
// either in memory only.
package graphiql

import (
	"context"
	"embed"
	"html"
	"net/http"
	"net/url"
	"strings"

	"example.org/backoffice/web/static"
)

const (
	// Path is where the page is; its assets are under Path + "/assets/".
	Path = "/graphiql"
	// SignedIn is where an OpenID provider sends people back to: the redirect address of the page's client.
	SignedIn = Path + "/signed-in"
	// FirstQuery is the page with the first worked query in its editor: what a newcomer should be shown.
	FirstQuery = Path + "#worked=relations"
)

// dist is the output of `npm run build` in the folder page. The fonts are not packed: they are by nature.
//
//go:embed dist
var dist embed.FS

// origins stands in the policy where what the page may ask beside its own origin does.
const origins = " __ORIGINS__"

// policy lets the page load nothing but what is its own origin's, and ask that and the OpenID provider alone: no
// inline script and no eval. The editor makes style elements as it runs, which carry the nonce; it positions its lines
// with style attributes in markup, which no nonce can cover, and its pictures of waves under a mistake are data.
const policy = "default-src 'none'; script-src 'self'; worker-src 'self'; " +
	"style-src 'self' 'nonce-" + static.Nonce + "'; style-src-attr 'unsafe-inline'; font-src 'self'; " +
	"img-src 'self' data:; connect-src 'self'" + origins + "; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// policySignedIn is for the page that gives an answer of the provider to the one that waits for it, which asks nobody.
const policySignedIn = "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Store is whose records the page works on.
type Store string

const (
	// Demo is a store that the demo filled: worked queries that write may be tried on its records.
	Demo Store = "demo"
	// Real is any other: such a query gets no identifier of a record that it did not make itself.
	Real Store = "real"
)

// Provider is where people sign in whom the page takes beside credentials.
type Provider struct {
	Issuer string // its URL, as its tokens spell it
	Client string // as what the page is known there: a public client
	Scope  string // what the page asks for, with openid
	// TokenEndpoint is the URL at which it gives tokens, as far as that is known.
	TokenEndpoint func(context.Context) string
}

// What stands in index.html where the page reads which store it is, and where people sign in.
const (
	storeMark  = "__STORE__"
	issuerMark = "__OIDC_ISSUER__"
	clientMark = "__OIDC_CLIENT__"
	scopeMark  = "__OIDC_SCOPE__"
)

// Handler serves the page; see static.Handler for how, and where to mount it. Without a provider, credentials sign in.
func Handler(store Store, provider *Provider) http.Handler {
	if provider == nil {
		return handlerFor(store, Provider{}, "")
	}
	alone := handlerFor(store, *provider, "")
	signedIn := static.Page(dist, "signed-in.html", policySignedIn)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case Path:
			handlerFor(store, *provider, provider.TokenEndpoint(r.Context())).ServeHTTP(w, r)
		case SignedIn:
			signedIn.ServeHTTP(w, r)
		default:
			alone.ServeHTTP(w, r)
		}
	})
}

func handlerFor(store Store, p Provider, tokenEndpoint string) http.Handler {
	allowed := ""
	for _, address := range []string{p.Issuer, tokenEndpoint} {
		if origin := originOf(address); origin != "" && !strings.Contains(allowed+" ", " "+origin+" ") {
			allowed += " " + origin
		}
	}
	return static.Handler(Path, dist, strings.Replace(policy, origins, allowed, 1), storeMark, string(store),
		issuerMark, html.EscapeString(p.Issuer), clientMark, html.EscapeString(p.Client),
		scopeMark, html.EscapeString(p.Scope))
}

// originOf is the origin of an address, empty for one that a policy cannot hold.
func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || (u.Scheme != "https" && u.Scheme != "http") || u.Host == "" ||
		strings.Trim(u.Host, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.:[]") != "" {
		return ""
	}
	return u.Scheme + "://" + strings.ToLower(u.Host)
}
