package ownership

import "slices"

// Natural reports whether a customer is a natural person, whom nobody owns.
type Natural func(customerID string) bool

// Target is the customer that the graph was read from.
func (g *Graph) Target() string { return g.ids[target] }

// Layers is how many levels of holdings there are.
func (g *Graph) Layers() int {
	return int(g.levels[len(g.levels)-1]) // they were read in this order
}

// Truncated reports whether holdings may be missing: a limit was reached, or a last level has companies.
func (g *Graph) Truncated(natural Natural) bool {
	return g.limited || slices.ContainsFunc(g.ids[g.unread:], func(id string) bool { return !natural(id) })
}

// UnknownShares is of how many holdings the share is unknown.
func (g *Graph) UnknownShares() (n int) {
	for i := range g.holdings {
		if !g.holdings[i].Share.known {
			n++
		}
	}
	return n
}

// Complete reports whether nothing is missing: no limit was reached, all shares are known, and no company has more
// than 100 %. Upwards, every company must have exactly 100 %; downwards, its other holders are not read.
func (g *Graph) Complete(natural Natural) bool { return g.complete(natural, 0) }

// complete lets each company lack some units.
func (g *Graph) complete(natural Natural, lacking int32) bool {
	if g.Truncated(natural) || g.UnknownShares() > 0 {
		return false
	}
	for c, id := range g.ids {
		if g.held[c] > whole || g.direction == Owners && g.held[c] < whole-lacking && !natural(id) {
			return false
		}
	}
	return true
}

// Cycle is a ring: companies that hold parts of each other, directly or not.
type Cycle struct {
	CustomerIDs []string
	Closed      bool // they hold all of each other: nobody outside stands behind them
}

// Cycles are the rings, in the order in which they were read.
func (g *Graph) Cycles() (cycles []*Cycle) {
	for _, component := range g.connected {
		if len(component) == 1 {
			continue
		}
		component = slices.Sorted(slices.Values(component))
		inside := map[int32]int64{}
		for _, c := range component {
			inside[c] = 0
		}
		for i, a := range g.arcs {
			if _, holder := inside[a.holder]; holder {
				if _, held := inside[a.held]; held {
					inside[a.held] += int64(g.holdings[i].Share.units)
				}
			}
		}
		cycle := &Cycle{Closed: true}
		for _, c := range component {
			cycle.CustomerIDs = append(cycle.CustomerIDs, g.ids[c])
			cycle.Closed = cycle.Closed && inside[c] >= whole
		}
		cycles = append(cycles, cycle)
	}
	slices.SortFunc(cycles, func(a, b *Cycle) int {
		return int(g.index[a.CustomerIDs[0]] - g.index[b.CustomerIDs[0]])
	})
	return cycles
}

// Complex reports whether three companies or more are between the target and an owner of whom no owner is recorded
// (downwards: a company that holds nothing). The longest chain counts, with all companies of each ring that it passes.
func (g *Graph) Complex() bool {
	const many = 3
	components := slices.Clone(g.connected)
	if g.direction == Owners {
		slices.Reverse(components) // what is held before its owners
	}
	before := make([]int, len(g.ids)) // the companies on the longest chain so far, the target not counted
	for _, component := range components {
		longest, more := 0, len(component)
		for _, c := range component {
			longest = max(longest, before[c])
			if c == target {
				more--
			}
		}
		for _, c := range component {
			for _, holding := range g.outwards(c) {
				far := g.far(holding)
				if slices.Contains(component, far) {
					continue
				}
				before[far] = max(before[far], longest+more)
				if before[far] >= many && len(g.outwards(far)) == 0 {
					return true
				}
			}
		}
	}
	return false
}

func (g *Graph) everyHolding() []int32 {
	return slices.Repeat([]int32{1}, len(g.holdings))
}
