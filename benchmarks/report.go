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
	return os.WriteFile(path, []byte(replaceSection(string(old), section, text)), 0o644)
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
	return fmt.Sprintf("Measured %s on %s; PostgreSQL 15 on the same machine, %d rounds of %v a server and query in turn, medians.\n",
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

// markdown is the report of a comparison.
func (m *comparison) markdown(settings *settingsOfAll) string {
	var b strings.Builder
	b.WriteString(settings.heading())
	fmt.Fprintf(&b, "%s customers, %s relations, %s transcripts; %d connections to each server, and up to %d of each server to PostgreSQL. All answers were compared and are equal.\n",
		thousands(fmt.Sprint(m.office.Customers)), thousands(fmt.Sprint(m.office.Relations())), thousands(fmt.Sprint(m.office.Transcripts())), m.clients, m.pool)
	for _, q := range m.queries {
		fmt.Fprintf(&b, "\n### %s: %s (%s kB)\n\n", q.name, q.asks, figure(float64(m.sizes[q.name])/1000))
		rows := [][]string{{"server", "requests/s", "p50 ms", "p99 ms", "server CPU ms/request", "database CPU ms/request", "statements/request", "RSS MB", "PSS MB"}}
		rows = append(rows, m.rows(m.loaded[q.name], m.statements[q.name])...)
		b.WriteString(table(rows...))
	}
	if len(m.alone) > 0 {
		b.WriteString("\n### Q1, one client alone\n\n")
		rows := [][]string{{"server", "requests/s", "p50 ms", "p99 ms", "server CPU ms/request", "database CPU ms/request", "RSS MB", "PSS MB"}}
		for _, row := range m.rows(m.alone, nil) {
			rows = append(rows, slices.Delete(row, 6, 7))
		}
		b.WriteString(table(rows...))
	}
	if targets := m.targets(); len(targets) > 0 {
		b.WriteString("\n### What was to be reached\n\n" + verdicts(targets))
	}
	return b.String()
}

// verdicts is a table of targets.
func verdicts(targets []target) string {
	rows := [][]string{{"target", "measured", "reached"}}
	for _, t := range targets {
		rows = append(rows, []string{t.what, t.measured, map[bool]string{true: "yes", false: "**no**"}[t.reached]})
	}
	return table(rows...)
}

// rows are those of the servers that were measured.
func (m *comparison) rows(measured map[string]figures, statements map[string]float64) (rows [][]string) {
	for _, s := range m.servers {
		f, ok := measured[s.name]
		if !ok {
			continue
		}
		database, asked := figure(f.databaseCPU), counted(statements[s.name])
		if s.embedded {
			database, asked = "–", "–"
		}
		rows = append(rows, []string{s.title, figure(f.throughput), figure(f.p50), figure(f.p99), figure(f.serverCPU), database, asked, figure(f.resident), figure(f.shared)})
	}
	return rows
}
