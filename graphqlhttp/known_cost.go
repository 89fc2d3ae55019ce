package graphqlhttp

import (
	"hash/maphash"
	"sync/atomic"

	"github.com/vektah/gqlparser/v2/ast"
)

// knownCosts are the costs of bodies that were asked for lately, by what they hash to: the same body comes again and
// again from those who send too much. A body may take another's place.
type knownCosts struct {
	seed  maphash.Seed
	costs [1 << 10]atomic.Pointer[knownCost]
}

type knownCost struct {
	hash uint64
	cost int
}

// KnownCost is what the operation in a request's body costs, when that is known from the body alone: its document was
// prepared before, and costs the same with all variables.
func (g *GraphQL) KnownCost(body []byte) (cost int, ok bool) {
	hash := maphash.Bytes(g.knownCosts.seed, body)
	place := &g.knownCosts.costs[hash%uint64(len(g.knownCosts.costs))]
	if known := place.Load(); known != nil && known.hash == hash {
		return known.cost, true
	}
	if cost, ok = g.costOf(string(body)); ok {
		place.Store(&knownCost{hash, cost})
	}
	return cost, ok
}

func (g *GraphQL) costOf(body string) (cost int, ok bool) {
	asked, unread := parseBody(body, g.limits.Nesting)
	if unread != nil || asked.query == "" || asked.documentID != "" || asked.apollo || g.documents.known == nil {
		return 0, false
	}
	document, ok := g.documents.known.GetIfPresent(known{text: asked.query})
	if !ok || len(document.operations) != 1 || document.operations[0].Operation == ast.Subscription {
		return 0, false
	}
	return document.operations[0].price.Fixed()
}
