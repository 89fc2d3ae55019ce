package ownership

import (
	"math"
	"slices"
)

// solver finds the integrated ownership between a customer and every other, all chains added: of each in the customer
// (Owners), or of the customer in each (Holdings). It is 1 for all, and may be more than 1 for companies in rings.
//
// It solves x = direct + Aᵀx without rounds: customers outside of rings one after another, and each ring by
// elimination. A ring that keeps 99.9999 % to itself takes no longer than others. A ring that keeps all, or more, has
// no finite solution: it and whoever holds it get +Inf.
type solver struct {
	g          *Graph
	weights    []int32
	components [][]int32
	in         []int32 // the component of each customer
	rings      []*ring // of each component, once it was needed
}

type ring struct {
	order []int32 // in which its companies are eliminated
	*elimination
	finite bool
}

func (g *Graph) solver(weights []int32) *solver {
	s := &solver{g: g, weights: weights, components: g.components(weights), in: make([]int32, len(g.ids))}
	s.rings = make([]*ring, len(s.components))
	for i, component := range s.components {
		for _, c := range component {
			s.in[c] = int32(i)
		}
	}
	return s
}

// from solves for a customer.
func (s *solver) from(customer int32) []float64 {
	total := make([]float64, len(s.g.ids))
	total[customer] = 1
	if s.g.direction == Holdings {
		for i := range s.components {
			s.across(i, func(held, holder int32, share float64) { total[held] += total[holder] * share })
			s.solveRing(i, total)
		}
		return total
	}
	for i := range slices.Backward(s.components) {
		s.solveRing(i, total)
		s.across(i, func(held, holder int32, share float64) { total[holder] += total[held] * share })
	}
	return total
}

// across calls a function for each holding of a component that somebody outside has.
func (s *solver) across(component int, do func(held, holder int32, share float64)) {
	for _, held := range s.components[component] {
		for _, holding := range s.g.holders.of(held) {
			holder := s.g.arcs[holding].holder
			if s.in[holder] != int32(component) && s.weights[holding] > 0 {
				do(held, holder, fraction(s.weights[holding]))
			}
		}
	}
}

// solveRing replaces what comes into a component from outside by what its customers have when all turns of the ring
// are counted.
func (s *solver) solveRing(component int, total []float64) {
	members := s.components[component]
	most := 0.0
	for _, c := range members {
		most = max(most, total[c])
	}
	if len(members) == 1 || most == 0 {
		return
	}
	r := s.ring(component)
	values := make([]float64, len(members))
	for i, c := range r.order {
		values[i] = total[c]
	}
	switch {
	case !r.finite || math.IsInf(most, 1):
		for i := range values {
			values[i] = math.Inf(1)
		}
	case s.g.direction == Owners:
		r.pass(values)
	default:
		r.collect(values)
	}
	for i, c := range r.order {
		total[c] = values[i]
	}
}

func (s *solver) ring(component int) *ring {
	r := s.rings[component]
	if r == nil {
		r = &ring{order: slices.SortedFunc(slices.Values(s.components[component]), func(a, b int32) int {
			return int(s.g.ranks[a] - s.g.ranks[b])
		})}
		r.elimination, r.finite = s.g.eliminate(r.order, s.weights)
		s.rings[component] = r
	}
	return r
}

func fraction(units int32) float64 { return float64(units) / whole }

// asPercent is a computed fraction in percent, without the noise of its last bits: 50 % of 50 % is exactly 25 %, as are
// all products of two recorded percentages. No one owns more than all.
func asPercent(fraction float64) float64 { return math.Round(100*min(fraction, 1)*1e10) / 1e10 }
