package ownership

// elimination is a ring of which one company after another was taken out: its holders then hold directly what it
// held. It subtracts nothing (as Grassmann, Taksar and Heyman do it), so rounding stays below 1e-12 of a number even
// if hardly anything leaves the ring.
type elimination struct {
	pivots []float64 // of each company when it is taken out: what leaves it, and not to itself
	before [][]entry // of each company: its holders that were taken out earlier
	after  [][]entry // of each company: its holders that are still there when it is taken out
}

type entry struct {
	at     int32
	weight float64
}

// eliminate takes companies out in an order. A ring that nothing leaves is not finite.
func (g *Graph) eliminate(order []int32, weights []int32) (e *elimination, finite bool) {
	n := len(order)
	place := make(map[int32]int32, n)
	for i, c := range order {
		place[c] = int32(i)
	}
	e = &elimination{pivots: make([]float64, n), before: make([][]entry, n), after: make([][]entry, n)}
	leaks, row := make([]float64, n), make([]float64, n)
	for i, c := range order {
		leak := int64(whole)
		for _, holding := range g.holders.of(c) {
			if at, inside := place[g.arcs[holding].holder]; inside {
				leak -= int64(weights[holding])
				row[at] += fraction(weights[holding])
			}
		}
		leaks[i] = float64(leak) / whole
		for k := range i {
			weight := row[k]
			if weight == 0 {
				continue
			}
			row[k] = 0
			e.before[i] = append(e.before[i], entry{at: int32(k), weight: weight})
			weight /= e.pivots[k]
			leaks[i] += weight * leaks[k]
			for _, holder := range e.after[k] {
				row[holder.at] += weight * holder.weight
			}
		}
		row[i] = 0
		e.pivots[i] = leaks[i]
		for k := i + 1; k < n; k++ {
			if row[k] != 0 {
				e.after[i] = append(e.after[i], entry{at: int32(k), weight: row[k]})
				e.pivots[i] += row[k]
				row[k] = 0
			}
		}
		if e.pivots[i] <= 0 {
			return nil, false
		}
	}
	return e, true
}

// pass carries values from companies to their holders.
func (e *elimination) pass(values []float64) {
	for i, pivot := range e.pivots {
		for _, holder := range e.after[i] {
			values[holder.at] += values[i] / pivot * holder.weight
		}
	}
	for i := len(values) - 1; i >= 0; i-- {
		values[i] /= e.pivots[i]
		for _, holder := range e.before[i] {
			values[holder.at] += values[i] * holder.weight
		}
	}
}

// collect carries values from holders to their companies.
func (e *elimination) collect(values []float64) {
	for i := range values {
		for _, holder := range e.before[i] {
			values[i] += holder.weight / e.pivots[holder.at] * values[holder.at]
		}
	}
	for i := len(values) - 1; i >= 0; i-- {
		for _, holder := range e.after[i] {
			values[i] += holder.weight * values[holder.at]
		}
		values[i] /= e.pivots[i]
	}
}
