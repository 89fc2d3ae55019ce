package gateway

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"sync"

	"example.org/backoffice/auth"
	"example.org/backoffice/graphqlhttp"
	"example.org/backoffice/limits"
)

// gate stands before everything when there is too much to do. What a refusal takes is taken from those that are
// answered, so a request that admission would refuse at once is refused before it is routed, logged and signed in. It
// is taken for the pair's that it names: a wrong secret gets the refusal that the right one would get, and nothing is
// ever let in here.
type gate struct {
	server
	admission *limits.Admission
	endpoint  *graphqlhttp.GraphQL
	next      http.Handler
	refuse    http.HandlerFunc
}

// newGate makes one before next.
func (s server) newGate(admission *limits.Admission, endpoint *graphqlhttp.GraphQL, next http.Handler) *gate {
	refused := endpoint.Refusal(context.Background(), limits.Busy()) // the same for all
	return &gate{s, admission, endpoint, next, func(w http.ResponseWriter, r *http.Request) { endpoint.RefuseWith(w, r, refused) }}
}

// longestKnown is the longest body whose cost is looked for.
const longestKnown = 64 << 10

var bodyBuffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !g.admission.Crowded() || !mayBeKnown(r) {
		g.next.ServeHTTP(w, r)
		return
	}
	body := bodyBuffers.Get().(*bytes.Buffer)
	defer func() { body.Reset(); bodyBuffers.Put(body) }()
	_, err := io.CopyN(body, r.Body, r.ContentLength)
	if err == nil {
		if cost, ok := g.endpoint.KnownCost(body.Bytes()); ok && g.admission.Refuses(r.Header.Get(auth.ClientIDHeader), cost) {
			g.http.Shed(w, r, "/graphql", g.refuse, g.admission.Busiest)
			return
		}
	}
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(body, r.Body), r.Body}
	g.next.ServeHTTP(w, r)
}

// mayBeKnown picks the plain requests: what a page of another origin asks has headers that only the way of all
// requests knows.
func mayBeKnown(r *http.Request) bool {
	return r.Method == http.MethodPost && r.URL.Path == "/graphql" && r.ContentLength > 0 && r.ContentLength <= longestKnown &&
		r.Header["Origin"] == nil && r.Header["X-Explain"] == nil && r.Header["Content-Encoding"] == nil && !graphqlhttp.WantsEvents(r)
}
