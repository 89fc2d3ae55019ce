package ownership

import (
	"math"
	"slices"
)

// integrated is the ownership between a customer and every other, all chains added: of each in the customer (Owners),
// or of the customer in each (Holdings). It is 1 for all, and may be more than 1 for companies in rings.
//
// It solves x = direct + Aᵀx without rounds: customers outside of rings one after another, and each ring by
// elimination. A ring that keeps 99.9999 % to itself takes no longer than others. A ring that keeps all, or more, has
// no finite solution: it and whoever holds it get +Inf.
func (g *Graph) integrated(weights []int32, from int32) []float64 {
	total := make([]float64, len(g.ids))
	total[from] = 1
	components := g.components(weights)
	in := make([]int32, len(g.ids)) // the component of each customer
	for i, component := range components {
		for _, c := range component {
			in[c] = int32(i)
		}
	}
	if g.direction == Holdings {
		for i, component := range components {
			for _, c := range component {
				for _, holding := range g.holders.of(c) {
					if h := g.arcs[holding].holder; in[h] != int32(i) && weights[holding] > 0 {
						total[c] += total[h] * fraction(weights[holding])
					}
				}
			}
			g.solveRing(component, weights, total)
		}
		return total
	}
	for i, component := range slices.Backward(components) {
		g.solveRing(component, weights, total)
		for _, c := range component {
			for _, holding := range g.holders.of(c) {
				if h := g.arcs[holding].holder; in[h] != int32(i) && weights[holding] > 0 {
					total[h] += total[c] * fraction(weights[holding])
				}
			}
		}
	}
	return total
}

func fraction(units int32) float64 { return float64(units) / whole }

// asPercent is a computed fraction in percent. No one owns more than all.
func asPercent(fraction float64) float64 { return 100 * min(fraction, 1) }

// solveRing replaces what comes into a component from outside by what its customers have when all turns of the ring
// are counted.
func (g *Graph) solveRing(component []int32, weights []int32, total []float64) {
	if len(component) == 1 {
		return
	}
	values := make([]float64, len(component))
	order := slices.SortedFunc(slices.Values(component), func(a, b int32) int { return int(g.ranks[a] - g.ranks[b]) })
	most := 0.0
	for i, c := range order {
		values[i] = total[c]
		most = max(most, values[i])
	}
	if most == 0 {
		return
	}
	e, finite := g.eliminate(order, weights)
	switch {
	case !finite || math.IsInf(most, 1):
		for i := range values {
			values[i] = math.Inf(1)
		}
	case g.direction == Owners:
		e.pass(values)
	default:
		e.collect(values)
	}
	for i, c := range order {
		total[c] = values[i]
	}
}
