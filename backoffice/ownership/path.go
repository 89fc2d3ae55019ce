package ownership

import (
	"cmp"
	"container/heap"
	"slices"
)

// Step is a holding in a chain.
type Step struct {
	Holding
	Cumulative float64 // the chain's percentage from the target to here
	// AtMost means that a share up to here is unknown; Cumulative counts all that was left of 100.
	AtMost bool
}

// Path is a chain of holdings.
type Path struct{ Steps []*Step }

// mostPartial bounds the work for the chains of one customer. It is only reached in rings that hold much more than
// 100 % of each other, in which longer and longer chains look as good.
const mostPartial = 20_000

// Paths are the first chains of holdings between the target and a customer: the largest first, then the shortest.
// None passes a customer twice. They are found one by one: a graph may have more chains than there is memory.
func (g *Graph) Paths(customerID string, first int) (paths []*Path) {
	end, known := g.index[customerID]
	if !known || end == target {
		return nil
	}
	weights := g.upperWeights()
	best := g.bestToward(end, weights)
	begun := &chains{{at: target, product: 1, promise: best[target].product}}
	for made := 1; len(*begun) > 0 && len(paths) < first; {
		c := heap.Pop(begun).(*chain)
		if c.at == end {
			paths = append(paths, g.path(c))
			continue
		}
		for _, holding := range g.outwards(c.at) {
			far := g.far(holding)
			if !best[far].known || c.passes(far) || made == mostPartial {
				continue
			}
			share, promise := fraction(weights[holding]), 0.0
			if best[c.at].product > 0 { // 1 for the best holding, without rounding: its chain stays the first
				promise = c.promise * (share * best[far].product / best[c.at].product)
			}
			heap.Push(begun, &chain{
				at: far, holding: holding, before: c, length: c.length + 1, made: made,
				product: c.product * share, promise: promise, total: c.length + 1 + best[far].length,
			})
			made++
		}
	}
	return paths
}

// path is a chain, from the target.
func (g *Graph) path(last *chain) *Path {
	steps := make([]*Step, last.length)
	for c := last; c.before != nil; c = c.before {
		steps[c.length-1] = &Step{Holding: g.holdings[c.holding], Cumulative: asPercent(c.product)}
	}
	for i, step := range steps {
		step.AtMost = !step.Share.known || i > 0 && steps[i-1].AtMost
	}
	return &Path{steps}
}

// rest is the best end of a path: the largest product of shares, and then the fewest holdings.
type rest struct {
	product float64
	length  int
	known   bool
}

// bestToward is the rest from each customer to the end; unknown where no chain leads there.
func (g *Graph) bestToward(end int32, weights []int32) []rest {
	best, back := make([]rest, len(g.ids)), Holdings-g.direction
	for open := (&chains{{at: end, promise: 1}}); len(*open) > 0; {
		c := heap.Pop(open).(*chain)
		if best[c.at].known {
			continue
		}
		best[c.at] = rest{product: c.promise, length: c.total, known: true}
		for _, holding := range g.toward(back, c.at) {
			if near := g.end(back, holding); !best[near].known {
				heap.Push(open, &chain{at: near, promise: fraction(weights[holding]) * c.promise, total: c.total + 1})
			}
		}
	}
	return best
}

// chain is the beginning of a path, from the target.
type chain struct {
	at, holding int32
	before      *chain
	length      int
	product     float64 // of its shares
	promise     float64 // the most that it can have at the end
	total       int     // its length then
	made        int     // breaks ties
}

func (c *chain) passes(customer int32) bool {
	for ; c != nil; c = c.before {
		if c.at == customer {
			return true
		}
	}
	return false
}

// chains is a heap: the largest promise first, then the shortest whole, then the nearest to its end.
type chains []*chain

func (c chains) Len() int      { return len(c) }
func (c chains) Swap(i, j int) { c[i], c[j] = c[j], c[i] }
func (c chains) Less(i, j int) bool {
	a, b := c[i], c[j]
	return cmp.Or(cmp.Compare(b.promise, a.promise), cmp.Compare(a.total, b.total),
		cmp.Compare(b.length, a.length), cmp.Compare(a.made, b.made)) < 0
}
func (c *chains) Push(begun any) { *c = append(*c, begun.(*chain)) }
func (c *chains) Pop() any {
	last := (*c)[len(*c)-1]
	*c = slices.Delete(*c, len(*c)-1, len(*c))
	return last
}
