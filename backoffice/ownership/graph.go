package ownership

import "sync"

// Graph is what was read from one customer, its target. It does not change, so several goroutines may use it.
type Graph struct {
	direction Direction
	ids       []string // in the order of reading, the target first
	levels    []int32  // of each: holdings between it and the target, along the shortest chain
	unread    int      // from here on nobody's holdings were read
	limited   bool     // MaxHoldings was reached
	holdings  []Holding
	arcs      []arc          // of each holding
	held      []int32        // of each customer: what was recorded of its shares, in units
	votes     []int32        // of each holding: see voteWeights
	allVotes  bool           // likewise
	holders   lists          // of each customer: the holdings of it
	holds     lists          // of each customer: the holdings that it has
	ranks     []int32        // of each customer: when to eliminate it from its ring
	connected [][]int32      // by any holding: see components
	stakes    func() []Stake // computed once
	index     map[string]int32
}

// arc is a holding in numbers of customers.
type arc struct{ holder, held int32 }

const target = 0

// grow adds a level: the holdings of the customers in which the graph ends so far.
func (g *Graph) grow(read map[string][]Holding) {
	for end := len(g.ids); g.unread < end && !g.limited; g.unread++ {
		for _, h := range read[g.ids[g.unread]] {
			if len(g.holdings) == MaxHoldings {
				g.limited = true
				return
			}
			_, far := h.ends(g.direction)
			if _, known := g.index[far]; !known {
				g.index[far] = int32(len(g.ids))
				g.ids = append(g.ids, far)
				g.levels = append(g.levels, g.levels[g.unread]+1)
			}
			g.holdings = append(g.holdings, h)
			g.arcs = append(g.arcs, arc{holder: g.index[h.HolderID], held: g.index[h.HeldID]})
		}
	}
}

// link prepares the lists by customer, after the last level.
func (g *Graph) link() {
	g.holders = listsOf(len(g.ids), g.arcs, func(a arc) int32 { return a.held })
	g.holds = listsOf(len(g.ids), g.arcs, func(a arc) int32 { return a.holder })
	g.held = make([]int32, len(g.ids))
	for i, a := range g.arcs {
		g.held[a.held] += g.holdings[i].Share.units
	}
	g.votes, g.allVotes = g.voteWeights()
	g.ranks = make([]int32, len(g.ids))
	g.connected = g.components(g.everyHolding())
	for _, component := range g.connected {
		for i, c := range g.eliminationOrder(component) {
			g.ranks[c] = int32(i)
		}
	}
	g.stakes = sync.OnceValue(g.computeStakes)
}

// toward are the holdings of a customer that lead to owners or to holdings, and end is where one leads.
func (g *Graph) toward(to Direction, customer int32) []int32 {
	if to == Owners {
		return g.holders.of(customer)
	}
	return g.holds.of(customer)
}

func (g *Graph) end(to Direction, holding int32) int32 {
	if to == Owners {
		return g.arcs[holding].holder
	}
	return g.arcs[holding].held
}

// outwards lead away from the target, and far is where one leads.
func (g *Graph) outwards(customer int32) []int32 { return g.toward(g.direction, customer) }
func (g *Graph) far(holding int32) int32         { return g.end(g.direction, holding) }

// lists are the numbers of holdings by customer, in one piece of memory.
type lists struct{ start, holding []int32 }

func listsOf(customers int, arcs []arc, by func(arc) int32) lists {
	l := lists{start: make([]int32, customers+2), holding: make([]int32, len(arcs))}
	for _, a := range arcs {
		l.start[by(a)+2]++
	}
	for i := 2; i < len(l.start); i++ {
		l.start[i] += l.start[i-1]
	}
	for i, a := range arcs {
		next := &l.start[by(a)+1]
		l.holding[*next] = int32(i)
		*next++
	}
	return l
}

func (l lists) of(customer int32) []int32 { return l.holding[l.start[customer]:l.start[customer+1]] }
