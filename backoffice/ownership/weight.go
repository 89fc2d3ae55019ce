package ownership

import "example.org/backoffice/backoffice"

// The weights of a graph's holdings are in units. Shares count as recorded, also if those of a company add up to more
// than 100: such a graph is not complete, and lowering them might hide an owner.

// shareWeights count an unknown share 0.
func (g *Graph) shareWeights() []int32 {
	return backoffice.Map(g.holdings, func(h Holding) int32 { return h.Share.units })
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

// voteWeights count unknown votes as many as the shares, but all of a company's together no more than its known votes
// leave of 100. All are known if they add up to 100 in each company of which any are.
func (g *Graph) voteWeights() (weights []int32, all bool) {
	weights, all = g.shareWeights(), true
	recorded, others := map[int32]int64{}, map[int32]int64{} // of each company: the known votes; the shares without
	for i, a := range g.arcs {
		if vote := g.holdings[i].Vote; vote.known {
			recorded[a.held] += int64(vote.units)
			weights[i] = vote.units
		} else {
			others[a.held] += int64(weights[i])
		}
	}
	for i, a := range g.arcs {
		votes, told := recorded[a.held]
		all = all && (!told || votes == whole)
		if left := max(0, whole-votes); told && !g.holdings[i].Vote.known && others[a.held] > left {
			weights[i] = int32(int64(weights[i]) * left / others[a.held])
		}
	}
	return weights, all
}
