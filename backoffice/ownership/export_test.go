package ownership

import "slices"

// Holdings are all that were read, level by level.
func (g *Graph) Holdings() []Holding { return slices.Clone(g.holdings) }

// Known reports whether the percentage was recorded.
func (p Percent) Known() bool { return p.known }
