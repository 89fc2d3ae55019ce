package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// report prints a section and puts it into the report's file.
func (w *workshop) report(section, text string) error {
	fmt.Println(text)
	if w.Print {
		return nil
	}
	path := w.Report
	if !filepath.IsAbs(path) {
		path = filepath.Join(w.root, path)
	}
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(replaceSection(string(old), section, text)), 0o600)
}

// replaceSection puts a text between the marks of a section, and leaves what stands around it. A section that is not
// there yet comes at the end.
func replaceSection(document, section, text string) string {
	first, last := "<!-- benchmarks:"+section+" -->", "<!-- end of benchmarks:"+section+" -->"
	block := first + "\n" + strings.TrimSpace(text) + "\n" + last
	from := strings.Index(document, first)
	to := strings.Index(document, last)
	if from < 0 || to < from {
		if document != "" {
			document = strings.TrimRight(document, "\n") + "\n\n"
		}
		return document + block + "\n"
	}
	return document[:from] + block + document[to+len(last):]
}

// heading says when and on what figures were measured.
func (w *settingsOfAll) heading() string {
	return fmt.Sprintf("%s, %s, rounds: %d of %v.\n",
		time.Now().UTC().Format(time.DateOnly), machine(), w.Rounds, w.Duration)
}

// table lays out rows of Markdown; the first is the head, and all columns but the first are figures.
func table(rows ...[]string) string {
	var b strings.Builder
	for i, row := range rows {
		b.WriteString("| " + strings.Join(row, " | ") + " |\n")
		if i == 0 {
			b.WriteString("|---" + strings.Repeat("|--:", len(row)-1) + "|\n")
		}
	}
	return b.String()
}

// figure writes a number with as many places as it deserves.
func figure(value float64) string {
	switch {
	case value >= 100:
		return thousands(fmt.Sprintf("%.0f", value))
	case value >= 10:
		return fmt.Sprintf("%.1f", value)
	default:
		return fmt.Sprintf("%.2f", value)
	}
}

func thousands(digits string) string {
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// counted writes a number of statements: whole where it is.
func counted(value float64) string {
	if value == float64(int(value)) {
		return fmt.Sprint(int(value))
	}
	return fmt.Sprintf("%.1f", value)
}

// markdown is the report of a comparison: the throughput of every query, and the first query in detail.
func (m *comparison) markdown(settings *settingsOfAll) string {
	var b strings.Builder
	b.WriteString(settings.heading())
	fmt.Fprintf(&b, "%s customers, %s relations, %s transcripts; %d connections to each server, and up to %d from each server to PostgreSQL.\n\n",
		thousands(fmt.Sprint(m.office.Customers)), thousands(fmt.Sprint(m.office.Relations())), thousands(fmt.Sprint(m.office.Transcripts())), m.clients, m.pool)
	for _, q := range m.queries {
		fmt.Fprintf(&b, "- %s: %s (%s kB)\n", q.name, q.asks, figure(float64(m.sizes[q.name])/1000))
	}
	b.WriteString("\n### Requests per second\n\n" + table(m.throughputs()...))
	b.WriteString("\n### One request of " + m.queries[0].name + "\n\n" + table(m.details()...))
	if targets := m.targets(); len(targets) > 0 {
		missed := slices.DeleteFunc(slices.Clone(targets), func(t target) bool { return t.reached })
		fmt.Fprintf(&b, "\n### Targets\n\n%d of %d are met.\n\n", len(targets)-len(missed), len(targets))
		b.WriteString(verdicts(missed))
	}
	return b.String()
}

// verdicts is a list of targets.
func verdicts(targets []target) string {
	var b strings.Builder
	for _, t := range targets {
		fmt.Fprintf(&b, "- %s: %s%s\n", t.what, t.measured, map[bool]string{true: "", false: ", **missed**"}[t.reached])
	}
	return b.String()
}

// throughputs have a row for each server and a column for each query.
func (m *comparison) throughputs() [][]string {
	rows := [][]string{{"server"}}
	for _, q := range m.queries {
		rows[0] = append(rows[0], q.name)
	}
	for _, s := range m.servers {
		row, any := []string{s.title}, false
		for _, q := range m.queries {
			f, ok := m.loaded[q.name][s.name]
			if any = any || ok; ok {
				row = append(row, figure(f.throughput))
			} else {
				row = append(row, "–")
			}
		}
		if any {
			rows = append(rows, row)
		}
	}
	return rows
}

// details have all figures of the first query.
func (m *comparison) details() [][]string {
	first := m.queries[0].name
	rows := [][]string{{"server", "p50/p99, ms", "one client alone, ms", "CPU of server/database, ms", "memory RSS/PSS, MB", "statements"}}
	for _, s := range m.servers {
		f, ok := m.loaded[first][s.name]
		if !ok {
			continue
		}
		alone, statements, cpu := "–", "–", figure(f.serverCPU)
		if one, ok := m.alone[s.name]; ok {
			alone = figure(one.p50) + "/" + figure(one.p99)
		}
		if n, ok := m.statements[first][s.name]; ok {
			statements = counted(n)
		}
		held := figure(f.resident) + "/" + figure(f.shared)
		if s.at != "" {
			cpu, held = "–", "–"
		}
		if f.databaseCPU > 0 { // the store is not embedded
			cpu += "/" + figure(f.databaseCPU)
		}
		rows = append(rows, []string{s.title, figure(f.p50) + "/" + figure(f.p99), alone, cpu, held, statements})
	}
	return rows
}
