package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"example.org/backoffice/tools/benchmarks/data"
)

// exportsCommand measures what analysts ask: all customers as a file, and groups over them.
type exportsCommand struct {
	Customers int `default:"1000000" help:"Customers in the data (${default})."`
}

// Validate checks the size.
func (c *exportsCommand) Validate() error {
	if c.Customers < data.MinCustomers {
		return fmt.Errorf("--customers: at least %d", data.MinCustomers)
	}
	return nil
}

// exported are all customers with their responsible user and their address, and the same for psql.
const (
	exported = `{ customers { nodes { id type displayName kboNumber customerCode language email phone createdAt
		address { street houseNumber postalCode city country } responsible { id firstName lastName email } } } }`
	copied = `\copy (SELECT c.id, c.type, c.display_name, c.kbo_number, c.customer_code, c.language, c.email, c.phone, c.created_at,
		c.street, c.house_number, c.postal_code, c.city, c.country, u.id, u.first_name, u.last_name, u.email
		FROM customers c LEFT JOIN users u ON u.id = c.responsible_id) TO STDOUT WITH (FORMAT csv, HEADER)`
)

// grouping is a question for groups, and the same of the database alone.
type grouping struct{ title, asked, bare string }

var groupings = []grouping{
	{"customers by type", `{ customersAggregate(groupBy: [TYPE]) { groups { count keys { value } } } }`,
		"SELECT type, count(*) FROM customers GROUP BY 1 ORDER BY 2 DESC"},
	{"customers by city", `{ customersAggregate(groupBy: [CITY]) { groups { count keys { value } } } }`,
		"SELECT city, count(*) FROM customers GROUP BY 1 ORDER BY 2 DESC"},
	{"customers by responsible user and language", `{ customersAggregate(groupBy: [RESPONSIBLE, LANGUAGE]) { groups { count keys { value label } } } }`,
		`SELECT g.*, u.first_name || ' ' || u.last_name FROM (SELECT responsible_id, language, count(*) AS n FROM customers GROUP BY 1, 2) g
			LEFT JOIN users u ON u.id = g.responsible_id ORDER BY 3 DESC`},
	{"transcripts by status", `{ transcriptsAggregate(groupBy: [STATUS]) { groups { count completedCount averageProgress keys { value } } } }`,
		"SELECT status, count(*), count(*) FILTER (WHERE is_completed), avg(progress) FROM transcripts GROUP BY 1 ORDER BY 2 DESC"},
}

// Run measures and reports.
func (c *exportsCommand) Run(ctx context.Context, settings *settingsOfAll) error {
	w, err := newWorkshop(ctx, settings)
	if err != nil {
		return err
	}
	defer w.close()
	if _, err := exec.LookPath("psql"); err != nil {
		return errors.New("psql is not installed (Debian: apt-get install postgresql-client)")
	}
	office := data.Office{Customers: c.Customers}
	database, url, err := w.postgres(ctx, office)
	if err != nil {
		return err
	}
	s, err := w.ours(ctx, "backoffice", "**Backoffice**", w.pooled(url))
	if err != nil {
		return err
	}
	r, err := w.start(ctx, s)
	if err != nil {
		return err
	}
	runs := []export{
		{title: "psql `\\copy` of the same columns, joined", do: func(ctx context.Context) (taken, error) { return w.cluster.copied(ctx, database) }},
		{title: "CSV", do: func(ctx context.Context) (taken, error) { return r.export(ctx, "csv", exported) }},
		{title: "JSON Lines", do: func(ctx context.Context) (taken, error) { return r.export(ctx, "jsonl", exported) }},
	}
	for round := range w.Rounds {
		for i := range runs {
			tellf("round %d: %s", round+1, runs[i].title)
			if err := r.forgetPeak(); err != nil {
				return err
			}
			t, err := runs[i].do(ctx)
			if err != nil {
				return fmt.Errorf("%s: %w", runs[i].title, err)
			}
			if t.rows != c.Customers {
				return fmt.Errorf("%s: %d rows of %d", runs[i].title, t.rows, c.Customers)
			}
			if t.peak, err = r.peak(); err != nil {
				return err
			}
			runs[i].took = append(runs[i].took, t)
		}
	}
	freed, err := r.freedAfterKill(ctx)
	if err != nil {
		return err
	}
	rows := [][]string{{"all customers, with responsible user and address", "seconds", "rows/s", "MB", "first byte ms", "server's peak RSS MB"}}
	for i := range runs {
		m := runs[i].median()
		row := []string{runs[i].title, figure(m.whole.Seconds()), figure(m.rate()), figure(float64(m.size) / 1e6), figure(milliseconds(m.first)), figure(m.peak / 1e6)}
		if i == 0 {
			row[5] = "–"
		}
		rows = append(rows, row)
	}
	copied, csv, lines := runs[0].median(), runs[1].median(), runs[2].median()
	targets := []target{
		atLeast("CSV, rate of psql", csv.rate()/copied.rate(), 0.5), atLeast("JSON Lines, rate of psql", lines.rate()/copied.rate(), 0.4),
		atMost("peak RSS while the CSV is written", csv.peak/1e6, 100, " MB"), atMost("first byte of the CSV", milliseconds(csv.first), 200, " ms"),
		atMost("all is free again after a client was killed", milliseconds(freed), 1000, " ms"),
	}

	groups := [][]string{{"groups", "ms", "bare SQL, ms", "ratio, at most 1.20"}}
	for _, g := range groupings {
		ours, bare, err := w.grouped(ctx, r, url, g)
		if err != nil {
			return fmt.Errorf("%s: %w", g.title, err)
		}
		groups = append(groups, []string{g.title, figure(milliseconds(ours)), figure(milliseconds(bare)), figure(ours.Seconds() / bare.Seconds())})
	}

	var b strings.Builder
	fmt.Fprintf(&b, "Measured %s on %s; PostgreSQL 15 and the client on the same machine, %d rounds in turn, medians.\n%s customers, %s transcripts.\n\n",
		time.Now().UTC().Format(time.DateOnly), machine(), w.Rounds, thousands(fmt.Sprint(office.Customers)), thousands(fmt.Sprint(office.Transcripts())))
	b.WriteString(table(rows...) + "\n" + table(groups...) + "\n" + verdicts(targets))
	return w.report("exports", b.String())
}

// export is a way to take all customers, and what it has taken so far.
type export struct {
	title string
	do    func(context.Context) (taken, error)
	took  []taken
}

// taken are the figures of one export.
type taken struct {
	first, whole time.Duration
	rows         int
	size         int64
	peak         float64 // bytes, of the server
}

func (t taken) rate() float64 { return float64(t.rows) / t.whole.Seconds() }

// median is the run that took neither long nor short.
func (e *export) median() taken {
	sorted := slices.SortedFunc(slices.Values(e.took), func(a, b taken) int { return int(a.whole - b.whole) })
	return sorted[len(sorted)/2]
}

func milliseconds(d time.Duration) float64 { return d.Seconds() * 1000 }

// lineCounter counts what is written to it, and notes when the first of it came.
type lineCounter struct {
	begun time.Time
	taken
}

func (l *lineCounter) Write(p []byte) (int, error) {
	if l.size == 0 {
		l.first = time.Since(l.begun)
	}
	l.size += int64(len(p))
	l.rows += bytes.Count(p, []byte{'\n'})
	return len(p), nil
}

// copied is what psql takes.
func (c *cluster) copied(ctx context.Context, database string) (taken, error) {
	command := exec.CommandContext(ctx, "psql", "--no-psqlrc", "--quiet", "-v", "ON_ERROR_STOP=1", c.url(database))
	command.Stdin = strings.NewReader(strings.Join(strings.Fields(copied), " ") + "\n")
	var complaints tail
	out := lineCounter{begun: time.Now()}
	command.Stdout, command.Stderr = &out, &complaints
	if err := command.Run(); err != nil {
		return taken{}, fmt.Errorf("%w: %s", err, complaints.String())
	}
	out.whole = time.Since(out.begun)
	out.rows-- // the header
	return out.taken, nil
}

// exports is without a limit of time: an export takes as long as it takes. It reads as much at a time as curl does.
var exports = &http.Client{Transport: &http.Transport{ReadBufferSize: 64 << 10}}

// beginExport asks for an export and returns when its head is there.
func (r *running) beginExport(ctx context.Context, format, query string) (*http.Response, error) {
	body, err := json.Marshal(map[string]string{"query": query})
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, fmt.Sprintf("http://127.0.0.1:%d/graphql/export?format=%s", r.port, format), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	for _, header := range r.headers {
		name, value, _ := strings.Cut(header, ": ")
		request.Header.Set(name, value)
	}
	return exports.Do(request)
}

// export takes an export to its end.
func (r *running) export(ctx context.Context, format, query string) (taken, error) {
	out := lineCounter{begun: time.Now()}
	response, err := r.beginExport(ctx, format, query)
	if err != nil {
		return taken{}, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(response.Body, 300))
		return taken{}, fmt.Errorf("status %d: %s", response.StatusCode, text)
	}
	if _, err := io.CopyBuffer(struct{ io.Writer }{&out}, response.Body, make([]byte, 64<<10)); err != nil {
		return taken{}, err
	}
	out.whole = time.Since(out.begun)
	if got := response.Trailer.Get("Export-Status"); got != "complete" {
		return taken{}, fmt.Errorf("the export ended as %q", got)
	}
	if format == "csv" {
		out.rows-- // the header
	}
	if told := response.Trailer.Get("Export-Rows"); told != strconv.Itoa(out.rows) {
		return taken{}, fmt.Errorf("%d rows came and %s are told", out.rows, told)
	}
	return out.taken, nil
}

// freedAfterKill goes away in the middle of an export, and tells how soon the credential may have the next one.
func (r *running) freedAfterKill(ctx context.Context) (time.Duration, error) {
	tellf("going away in the middle of an export")
	gone, leave := context.WithCancel(ctx)
	defer leave()
	response, err := r.beginExport(gone, "csv", exported)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	if _, err := io.CopyN(io.Discard, response.Body, 1<<20); err != nil {
		return 0, err
	}
	leave()
	begun := time.Now()
	for time.Since(begun) < time.Minute {
		next, err := r.beginExport(ctx, "jsonl", `{ customers(first: 1) { nodes { id } } }`)
		if err != nil {
			return 0, err
		}
		_, err = io.Copy(io.Discard, next.Body)
		if _ = next.Body.Close(); err != nil {
			return 0, err
		}
		switch next.StatusCode {
		case http.StatusOK:
			return time.Since(begun), nil
		case http.StatusTooManyRequests:
			time.Sleep(5 * time.Millisecond)
		default:
			return 0, fmt.Errorf("status %d", next.StatusCode)
		}
	}
	return 0, errors.New("the export goes on without its client")
}

// grouped asks for groups, of the server and of the database in turn, and returns the medians.
func (w *workshop) grouped(ctx context.Context, r *running, url string, g grouping) (ours, bare time.Duration, err error) {
	tellf("%s", g.title)
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	body, err := json.Marshal(map[string]string{"query": g.asked})
	if err != nil {
		return 0, 0, err
	}
	var took [2][]time.Duration
	for range 2*w.Rounds + 1 {
		begun := time.Now()
		a, err := r.post(ctx, queries[0], body)
		if err == nil && (a.status != http.StatusOK || !bytes.HasPrefix(a.body, []byte(`{"data":{`))) {
			err = fmt.Errorf("status %d: %.300s", a.status, a.body)
		}
		if err != nil {
			return 0, 0, err
		}
		took[0] = append(took[0], time.Since(begun))
		begun = time.Now()
		found, err := conn.Query(ctx, g.bare)
		if err != nil {
			return 0, 0, err
		}
		for found.Next() {
		}
		if err := found.Err(); err != nil {
			return 0, 0, err
		}
		took[1] = append(took[1], time.Since(begun))
	}
	for i := range took {
		slices.Sort(took[i])
	}
	return took[0][w.Rounds], took[1][w.Rounds], nil
}

// forgetPeak lets the kernel begin anew with the most memory that the server has held.
func (r *running) forgetPeak() error {
	return os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", r.pid()), []byte("5"), 0)
}

// peak is the most memory that the server has held since, in bytes.
func (r *running) peak() (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", r.pid()))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "VmHWM:" {
			kilobytes, err := strconv.ParseFloat(fields[1], 64)
			return kilobytes * 1024, err
		}
	}
	return 0, errors.New("the kernel tells no peak of memory")
}
