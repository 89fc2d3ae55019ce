package main

import (
	"strings"
	"testing"
)

func TestASectionIsReplacedAndWhatStandsAroundItStays(t *testing.T) {
	t.Parallel()
	document := "# Performance\n\nBefore.\n\n<!-- benchmarks:scale -->\nold\n<!-- end of benchmarks:scale -->\n\nAfter.\n"
	want := "# Performance\n\nBefore.\n\n<!-- benchmarks:scale -->\nnew\n<!-- end of benchmarks:scale -->\n\nAfter.\n"
	if got := replaceSection(document, "scale", "\nnew\n\n"); got != want {
		t.Errorf("%q", got)
	}
	twice := replaceSection(replaceSection(document, "width", "wide"), "width", "wider")
	if !strings.HasPrefix(twice, document) || strings.Count(twice, "benchmarks:width") != 2 || !strings.Contains(twice, "wider") {
		t.Errorf("%q", twice)
	}
	if got := replaceSection("", "width", "wide"); got != "<!-- benchmarks:width -->\nwide\n<!-- end of benchmarks:width -->\n" {
		t.Errorf("%q", got)
	}
}

func TestFiguresAreWrittenWithAsManyPlacesAsTheyDeserve(t *testing.T) {
	t.Parallel()
	for value, want := range map[float64]string{0.456: "0.46", 12.34: "12.3", 999.6: "1,000", 1234567: "1,234,567", 123: "123"} {
		if got := figure(value); got != want {
			t.Errorf("%v is written %s, want %s", value, got, want)
		}
	}
	if counted(7) != "7" || counted(16.46) != "16.5" {
		t.Error("a count of statements is whole where it can be")
	}
}

// inOneRun is a comparison in which every target is just reached.
func inOneRun() *comparison {
	floor := figures{throughput: 1000, serverCPU: 1, p99: 30, p50: 2}
	m := &comparison{
		queries: queries, loaded: map[string]map[string]figures{}, statements: map[string]map[string]float64{},
		servers: []server{{name: "backoffice"}, {name: "cold"}, {name: "embedded"}, {name: "embedded-cold"}, {name: "floor-b"}, {name: "postgraphile-2", peer: true}, {name: "yoga", peer: true}},
		alone:   map[string]figures{"cold": {p50: 3}, "floor-b": floor},
	}
	for _, q := range queries {
		hot := figures{throughput: map[string]float64{"Q1": 6000, "Q4": 6000}[q.name], serverCPU: 0.09, resident: 167}
		if hot.throughput == 0 {
			hot.throughput = 1500
		}
		cold := figures{throughput: 600, serverCPU: 1.5, p99: 100, resident: 99}
		m.loaded[q.name] = map[string]figures{
			"backoffice": hot, "cold": cold, "floor-b": floor,
			"postgraphile-2": {throughput: 120, p99: 110}, "yoga": {throughput: 60, p99: 100},
		}
		m.statements[q.name] = map[string]float64{"cold": map[string]float64{"Q1": 7, "Q2": 3, "Q3": 2, "Q4": 7, "Q5": 1}[q.name]}
	}
	m.loaded["Q1"]["embedded"], m.loaded["Q1"]["embedded-cold"] = figures{throughput: 4800}, figures{throughput: 120}
	return m
}

// set changes what was measured.
func (m *comparison) set(q, server string, change func(*figures)) {
	f := m.loaded[q][server]
	change(&f)
	m.loaded[q][server] = f
}

func TestTargetsAreHeldAgainstTheBestPeerAndTheFloor(t *testing.T) {
	t.Parallel()
	missed := func(m *comparison) (names []string) {
		for _, target := range m.targets() {
			if !target.reached {
				names = append(names, target.what)
			}
		}
		return names
	}
	if names := missed(inOneRun()); names != nil {
		t.Errorf("missed: %v", names)
	}
	for what, spoil := range map[string]func(m *comparison){
		"Q4, no cache, throughput of the best peer: at least 3.00 ×":     func(m *comparison) { m.loaded["Q4"]["yoga"] = figures{throughput: 201, p99: 200} },
		"Q4, no cache, p99 against the lowest of a peer: at most 1.00 ×": func(m *comparison) { m.loaded["Q4"]["yoga"] = figures{throughput: 1, p99: 99} },
		"Q4, no cache, server CPU of floor B: at most 1.50 ×":            func(m *comparison) { m.loaded["Q4"]["floor-b"] = figures{throughput: 1000, serverCPU: 0.9} },
		"Q2, no cache, statements: at most 3":                            func(m *comparison) { m.statements["Q2"]["cold"] = 3.5 },
		"Q1, no cache, one client alone, p50 of floor B: at most 1.50 ×": func(m *comparison) { m.alone["floor-b"] = figures{p50: 1.9} },
		"Q1, no cache, throughput of floor B: at least 0.60 ×":           func(m *comparison) { m.set("Q1", "cold", func(f *figures) { f.throughput = 599 }) },
		"Q3, no cache, memory (RSS) with all clients: at most 100 MB":    func(m *comparison) { m.set("Q3", "cold", func(f *figures) { f.resident = 101 }) },
		"Q5, throughput of the best peer: at least 3.00 ×": func(m *comparison) {
			m.loaded["Q5"]["yoga"] = figures{throughput: 501}
			m.set("Q5", "cold", func(f *figures) { f.throughput = 2000 })
		},
		"Q4, throughput of floor B: at least 6.00 ×":           func(m *comparison) { m.set("Q4", "backoffice", func(f *figures) { f.throughput = 5999 }) },
		"Q1, throughput of our embedded store: at most 1.25 ×": func(m *comparison) { m.set("Q1", "embedded", func(f *figures) { f.throughput = 4799 }) },
		"Q5, server CPU: at most 0.09 ms":                      func(m *comparison) { m.set("Q5", "backoffice", func(f *figures) { f.serverCPU = 0.1 }) },
		"Q2, memory (RSS) with all clients: at most 167 MB":    func(m *comparison) { m.set("Q2", "backoffice", func(f *figures) { f.resident = 168 }) },
	} {
		m := inOneRun()
		spoil(m)
		if names := missed(m); len(names) != 1 || names[0] != what {
			t.Errorf("missed %v, want %s", names, what)
		}
	}
}

func TestAReportHasARowForEachServerThatWasMeasured(t *testing.T) {
	t.Parallel()
	m := inOneRun()
	m.sizes = map[string]int{"Q1": 118000}
	text := m.markdown(&settingsOfAll{Rounds: 3})
	if strings.Count(text, "- Q1: ") != 1 || !strings.Contains(text, "(118 kB)") || !strings.Contains(text, "### Targets\n\n") ||
		!strings.Contains(text, " are met.") || strings.Contains(text, "**missed**") {
		t.Error(text)
	}
	columns := 0
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "|") {
			columns = 0
		} else if n := strings.Count(line, "|"); columns == 0 {
			columns = n
		} else if n != columns {
			t.Errorf("%d columns under a head of %d: %s", n-1, columns-1, line)
		}
	}
}
