package ownership

import "example.org/backoffice/backoffice"

// The weights of a graph's holdings are in units. Shares count as recorded, also if those of a company add up to more
// than 100: such a graph is not complete, and lowering them might hide an owner.

// shareWeights count an unknown share 0.
func (g *Graph) shareWeights() []int32 {
	return backoffice.Mapped(g.holdings, func(h Holding) int32 { return h.Share.units })
}

// upperWeights count an unknown share as all that is left of 100 of its company.
func (g *Graph) upperWeights() []int32 {
	weights := g.shareWeights()
	for i := range weights {
		if !g.holdings[i].Share.known {
			weights[i] = max(0, whole-g.held[g.arcs[i].held])
		}
	}
	return weights
}

// voteWeights count unknown votes 0.
func (g *Graph) voteWeights() []int32 {
	return backoffice.Mapped(g.holdings, func(h Holding) int32 { return h.votes().units })
}
