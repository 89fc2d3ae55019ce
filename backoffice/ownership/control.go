package ownership

// control computes whom a holder controls, in exact units: companies of which it has more than half of the votes.
type control struct {
	g       *Graph
	shared  bool    // more than half of the shares is control, too
	votes   []int64 // of each customer: the votes that the holder and all that it controls have
	shares  []int64 // likewise
	touched []int32
}

// of forgets the last holder. A company that comes under control brings all that it has, until no other comes along.
func (c *control) of(holder int32) {
	for _, held := range c.touched {
		c.votes[held], c.shares[held] = 0, 0
	}
	c.touched = c.touched[:0]
	controlled := []int32{holder}
	for len(controlled) > 0 {
		company := controlled[len(controlled)-1]
		controlled = controlled[:len(controlled)-1]
		for _, holding := range c.g.holds.of(company) {
			held, h := c.g.arcs[holding].held, &c.g.holdings[holding]
			before := c.controls(held)
			c.votes[held] += int64(c.g.votes[holding])
			c.shares[held] += int64(h.Share.units)
			c.touched = append(c.touched, held)
			if !before && c.controls(held) && held != holder {
				controlled = append(controlled, held)
			}
		}
	}
}

func (c *control) controls(held int32) bool {
	return c.votes[held] > whole/2 || c.shared && c.shares[held] > whole/2
}

// most is how many of the target's votes or shares a holder and all that it controls have, whichever are more.
func (c *control) most(holder string) float64 {
	c.of(c.g.index[holder])
	return asPercent(float64(max(c.votes[target], c.shares[target])) / whole)
}

func (g *Graph) control(shared bool) *control {
	return &control{g: g, shared: shared, votes: make([]int64, len(g.ids)), shares: make([]int64, len(g.ids))}
}
