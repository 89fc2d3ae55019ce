package ownership

import (
	"cmp"
	"slices"
)

// Stake is what one customer has in another: an owner in the target (Owners), or the target in a company (Holdings).
// Computed numbers are percentages from 0 to 100. Companies in a ring own parts of themselves; whatever is more than
// 100 is shown as 100.
type Stake struct {
	CustomerID string
	Direct     bool    // has a holding without another company between
	Share      float64 // direct and through others, all chains added; an unknown share counts 0: the lower bound
	UpperBound float64 // as Share, if each unknown share were all that is left of 100
	Vote       float64 // as Share, by votes
	// Control is how many votes a holder and the companies that it controls have. It controls a company if they have
	// more than half of its votes. It is another number than Vote, which multiplies.
	Control float64
}

// Stakes are those of every owner, or in every held company, the largest share first.
// They must not be changed.
func (g *Graph) Stakes() []Stake { return g.stakes() }

func (g *Graph) computeStakes() []Stake {
	shares := g.shareWeights()
	known := g.solver(shares).from(target)
	upper, voted := known, known // mostly, all shares are known and bear their votes
	if weights := g.upperWeights(); !slices.Equal(weights, shares) {
		upper = g.solver(weights).from(target)
	}
	if !slices.Equal(g.votes, shares) {
		voted = g.solver(g.votes).from(target)
	}
	stakes := make([]Stake, 0, len(g.ids)-1)
	control := g.control(false)
	if g.direction == Holdings {
		control.of(target)
	}
	for i := 1; i < len(g.ids); i++ {
		c := int32(i)
		s := Stake{
			CustomerID: g.ids[i],
			Share:      asPercent(known[i]), UpperBound: asPercent(upper[i]), Vote: asPercent(voted[i]),
		}
		held := c
		if g.direction == Owners {
			control.of(c)
			held = target
		}
		s.Control = asPercent(float64(control.votes[held]) / whole)
		stakes = append(stakes, s)
	}
	for _, holding := range g.outwards(target) {
		stakes[g.far(holding)-1].Direct = true
	}
	slices.SortFunc(stakes, func(a, b Stake) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(b.UpperBound, a.UpperBound),
			cmp.Compare(a.CustomerID, b.CustomerID))
	})
	return stakes
}
