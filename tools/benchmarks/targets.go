package main

import "fmt"

// target is something that was to be reached, with what was measured.
type target struct {
	what, measured string
	reached        bool
}

// atLeast and atMost hold a figure against a bound.
func atLeast(what string, value, bound float64) target {
	return target{fmt.Sprintf("%s: at least %s ×", what, figure(bound)), figure(value) + " ×", value >= bound}
}

func atMost(what string, value, bound float64, unit string) target {
	return target{fmt.Sprintf("%s: at most %s%s", what, figure(bound), unit), figure(value) + unit, value <= bound}
}

// cacheSize is how much this server keeps in memory when it is not told otherwise, in MB.
const cacheSize = 64 << 20 / 1e6

// targets holds the comparison against what this server promises, as far as was measured.
func (m *comparison) targets() (list []target) {
	for _, q := range m.queries {
		list = append(list, m.hot(q.name)...)
		list = append(list, m.cold(q.name)...)
	}
	if ours, floor := m.alone["cold"], m.alone["floor-b"]; ours.p50 > 0 && floor.p50 > 0 {
		list = append(list, atMost("Q1, no cache, one client alone, p50 of floor B", ours.p50/floor.p50, 1.5, " ×"))
	}
	return list
}

// hot are the targets of a query whose rows are in memory.
func (m *comparison) hot(q string) (list []target) {
	ours, ok := m.loaded[q]["backoffice"]
	if !ok {
		return nil
	}
	best, _ := m.best(q)
	floor := m.loaded[q]["floor-b"]
	bounds := map[string]struct{ peer, floor float64 }{"Q1": {20, 6}, "Q2": {3, 1.5}, "Q4": {20, 6}, "Q5": {3, 1.5}}
	if bound, ok := bounds[q]; ok {
		if best.throughput > 0 {
			list = append(list, atLeast(q+", throughput of the best peer", ours.throughput/best.throughput, bound.peer))
		}
		if floor.throughput > 0 {
			list = append(list, atLeast(q+", throughput of floor B", ours.throughput/floor.throughput, bound.floor))
		}
	}
	if q == "Q2" || q == "Q5" {
		list = append(list, atMost(q+", server CPU", ours.serverCPU, 0.09, " ms"))
	}
	if embedded := m.loaded[q]["embedded"]; q == "Q1" && embedded.throughput > 0 {
		list = append(list, atMost("Q1, throughput of our embedded store", ours.throughput/embedded.throughput, 1.25, " ×"))
	}
	return append(list, atMost(q+", memory (RSS) with all clients", ours.resident, 100+cacheSize, " MB"))
}

// cold are the targets of a query to a server without a cache.
func (m *comparison) cold(q string) (list []target) {
	ours, ok := m.loaded[q]["cold"]
	if !ok {
		return nil
	}
	name := q + ", no cache"
	best, quickest := m.best(q)
	floor := m.loaded[q]["floor-b"]
	if best.throughput > 0 {
		switch q {
		case "Q1", "Q4":
			list = append(list, atLeast(name+", throughput of the best peer", ours.throughput/best.throughput, 3),
				atMost(name+", p99 against the lowest of a peer", ours.p99/quickest, 1, " ×"))
		case "Q3":
			list = append(list, atLeast(name+", throughput of the best peer", ours.throughput/best.throughput, 5))
		case "Q5":
			list = append(list, atLeast(name+", throughput of the best peer", ours.throughput/best.throughput, 2))
		}
		if embedded := m.loaded[q]["embedded-cold"]; embedded.throughput > 0 {
			list = append(list, atLeast(name+", on the embedded store, throughput of the best peer", embedded.throughput/best.throughput, 1))
		}
	}
	if graphile := max(m.loaded[q]["postgraphile-1"].throughput, m.loaded[q]["postgraphile-2"].throughput); q == "Q2" && graphile > 0 {
		list = append(list, atLeast(name+", throughput of PostGraphile", ours.throughput/graphile, 1.3))
	}
	if floor.throughput > 0 && (q == "Q1" || q == "Q4") {
		list = append(list, atLeast(name+", throughput of floor B", ours.throughput/floor.throughput, 0.6),
			atMost(name+", server CPU of floor B", ours.serverCPU/floor.serverCPU, 1.5, " ×"))
	}
	if most, ok := map[string]float64{"Q1": 7, "Q2": 3, "Q4": 7}[q]; ok {
		n := m.statements[q]["cold"]
		list = append(list, target{fmt.Sprintf("%s, statements: at most %.0f", name, most), counted(n), n <= most && n > 0})
	}
	return append(list, atMost(name+", memory (RSS) with all clients", ours.resident, 100, " MB"))
}

// best is the peer with the most throughput, and the lowest p99 of any.
func (m *comparison) best(q string) (best figures, quickest float64) {
	for _, f := range m.peers(q) {
		if f.throughput > best.throughput {
			best = f
		}
		if quickest == 0 || f.p99 < quickest {
			quickest = f.p99
		}
	}
	return best, quickest
}

// peers are the figures of those that ours is held against.
func (m *comparison) peers(query string) (list []figures) {
	for _, s := range m.servers {
		if f, ok := m.loaded[query][s.name]; ok && s.peer {
			list = append(list, f)
		}
	}
	return list
}
