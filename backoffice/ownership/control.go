package ownership

// control computes whom a holder controls, in exact units.
type control struct {
	g       *Graph
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
			before := c.votes[held]
			c.votes[held] += int64(c.g.votes[holding])
			c.shares[held] += int64(h.Share.units)
			c.touched = append(c.touched, held)
			if before <= whole/2 && c.votes[held] > whole/2 && held != holder {
				controlled = append(controlled, held)
			}
		}
	}
}
