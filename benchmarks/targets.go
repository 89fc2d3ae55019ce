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

// targets holds the comparison against what this server promises, as far as was measured.
func (m *comparison) targets() (list []target) {
	floorB, measuredFloor := "floor-b", false
	for _, q := range m.queries {
		ours, ok := m.loaded[q.name]["backoffice"]
		if !ok {
			continue
		}
		peers := m.peers(q.name)
		floor := m.loaded[q.name][floorB]
		measuredFloor = floor.throughput > 0
		best, quickest := figures{}, 0.0
		for _, f := range peers {
			if f.throughput > best.throughput {
				best = f
			}
			if quickest == 0 || f.p99 < quickest {
				quickest = f.p99
			}
		}
		if len(peers) > 0 {
			switch q.name {
			case "Q1", "Q4":
				list = append(list, atLeast(q.name+", throughput of the best peer", ours.throughput/best.throughput, 3),
					atMost(q.name+", p99 against the lowest of a peer", ours.p99/quickest, 1, " ×"))
			case "Q3":
				list = append(list, atLeast(q.name+", throughput of the best peer", ours.throughput/best.throughput, 5))
			case "Q5":
				list = append(list, atLeast(q.name+", throughput of the best peer", ours.throughput/best.throughput, 2))
			}
		}
		if graphile := max(m.loaded[q.name]["postgraphile-1"].throughput, m.loaded[q.name]["postgraphile-2"].throughput); q.name == "Q2" && graphile > 0 {
			list = append(list, atLeast("Q2, throughput of PostGraphile", ours.throughput/graphile, 1.3))
		}
		if measuredFloor && (q.name == "Q1" || q.name == "Q4") {
			list = append(list, atLeast(q.name+", throughput of floor B", ours.throughput/floor.throughput, 0.6),
				atMost(q.name+", server CPU of floor B", ours.serverCPU/floor.serverCPU, 1.5, " ×"))
		}
		if most, ok := map[string]float64{"Q1": 7, "Q2": 3, "Q4": 7}[q.name]; ok {
			n := m.statements[q.name]["backoffice"]
			list = append(list, target{fmt.Sprintf("%s, statements: at most %.0f", q.name, most), counted(n), n <= most && n > 0})
		}
		list = append(list, atMost(q.name+", memory (RSS) with all clients", ours.resident, 100, " MB"))
		if embedded := m.loaded[q.name]["embedded"]; embedded.throughput > 0 && len(peers) > 0 {
			list = append(list, atLeast(q.name+" on the embedded store, throughput of the best peer", embedded.throughput/best.throughput, 1))
		}
	}
	if ours, floor := m.alone["backoffice"], m.alone[floorB]; ours.p50 > 0 && floor.p50 > 0 {
		list = append(list, atMost("Q1, one client alone, p50 of floor B", ours.p50/floor.p50, 1.5, " ×"))
	}
	return list
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
