package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"example.org/backoffice/tools/benchmarks/data"
)

// compareCommand measures the servers side by side.
type compareCommand struct {
	Only      []string `placeholder:"SERVER" help:"Measure these servers alone (${servers})."`
	Queries   []string `placeholder:"QUERY" help:"Ask these queries alone (Q1 to Q5)."`
	Beside    string   `placeholder:"PROGRAM" help:"Measure this build of the server as well, over the same PostgreSQL data and the same embedded store: what it was before a change, say. Or, by its URL, any GraphQL server: start it over the database that is printed."`
	Words     string   `placeholder:"FILE" help:"The queries in the words of the server at that URL: a JSON object with a text for each of Q1 to Q5 that it is asked. Its answers must have the same values in the same order."`
	Customers int      `default:"200000" help:"Customers in the data, with twice as many relations and five times as many transcripts (${default})."`
}

// Validate checks names and sizes.
func (c *compareCommand) Validate() error {
	for _, name := range c.Only {
		if !slices.Contains(serverNames, name) {
			return fmt.Errorf("--only: there is no server %s", name)
		}
	}
	if c.Customers < data.MinCustomers {
		return fmt.Errorf("--customers: at least %d", data.MinCustomers)
	}
	if isURL(c.Beside) != (c.Words != "") {
		return errors.New("--words belongs to a URL that --beside names")
	}
	_, err := queriesNamed(c.Queries)
	return err
}

// comparison is what was measured. A server or query that was left out has no entry.
type comparison struct {
	office     data.Office
	servers    []server
	queries    []query
	sizes      map[string]int                // of the answers, by query
	loaded     map[string]map[string]figures // with all clients, by query and server
	alone      map[string]figures            // Q1 with one client, by server
	statements map[string]map[string]float64 // a request, by query and server
	pool       int
	clients    int
}

// Run measures and reports.
func (c *compareCommand) Run(ctx context.Context, settings *settingsOfAll) error {
	w, err := newWorkshop(ctx, settings)
	if err != nil {
		return err
	}
	defer w.close()
	m := &comparison{
		office: data.Office{Customers: c.Customers}, sizes: map[string]int{}, loaded: map[string]map[string]figures{},
		alone: map[string]figures{}, statements: map[string]map[string]float64{}, pool: w.Pool, clients: w.Clients,
	}
	if m.queries, err = queriesNamed(c.Queries); err != nil {
		return err
	}
	database, url, err := w.postgres(ctx, m.office)
	if err != nil {
		return err
	}
	names := map[string]bool{}
	for _, name := range serverNames {
		names[name] = len(c.Only) == 0 || slices.Contains(c.Only, name)
	}
	if m.servers, err = w.servers(ctx, names, url, func() (string, error) { return w.embedded(ctx, m.office) }); err != nil {
		return err
	}
	switch {
	case isURL(c.Beside):
		other, err := elsewhere(c.Beside, c.Words, url)
		if err != nil {
			return err
		}
		m.servers = append(m.servers, other)
	case c.Beside != "":
		if m.servers, err = w.beside(ctx, c.Beside, m.servers); err != nil {
			return err
		}
	}
	var servers []*running
	for _, s := range m.servers {
		r, err := w.start(ctx, s)
		if err != nil {
			return err
		}
		servers = append(servers, r)
	}
	for _, step := range []func(context.Context, *workshop, []*running, string) error{m.agree, m.count, m.race, m.single, m.agree} {
		if err := step(ctx, w, servers, database); err != nil {
			return err
		}
	}
	return w.report("comparison", m.markdown(settings))
}

// agree checks that all answers are equal.
func (m *comparison) agree(ctx context.Context, _ *workshop, servers []*running, _ string) (err error) {
	for _, q := range m.queries {
		if m.sizes[q.name], err = agree(ctx, servers, q, m.office); err != nil {
			return err
		}
		tellf("all answers to %s are equal (%.1f kB)", q.name, float64(m.sizes[q.name])/1000)
	}
	return nil
}

// count counts statements under load, which every client ends with a whole request.
func (m *comparison) count(ctx context.Context, w *workshop, servers []*running, database string) error {
	for _, q := range m.queries {
		m.statements[q.name] = map[string]float64{}
		for _, r := range servers {
			if !r.answers(q) || r.embedded {
				continue
			}
			if err := r.ask(ctx, q, m.office, w.Pool, 2*w.Pool); err != nil { // what is done once is not a request's
				return err
			}
			n := w.Clients
			ran, err := w.cluster.statements(ctx, database, n, func() error { return r.ask(ctx, q, m.office, w.Clients, n) })
			if err != nil {
				return err
			}
			m.statements[q.name][r.name] = ran
		}
	}
	return nil
}

// race measures with all clients.
func (m *comparison) race(ctx context.Context, w *workshop, servers []*running, _ string) (err error) {
	for _, q := range m.queries {
		if m.loaded[q.name], err = w.alternate(ctx, entrants(servers, q, m.office), w.Clients); err != nil {
			return err
		}
	}
	return nil
}

// single measures Q1 with one client alone.
func (m *comparison) single(ctx context.Context, w *workshop, servers []*running, _ string) (err error) {
	for _, q := range m.queries {
		if q.name == "Q1" {
			m.alone, err = w.alternate(ctx, entrants(servers, q, m.office), 1)
		}
	}
	return err
}

// entrant is what is measured in turn with others: a query to a server.
type entrant struct {
	name   string
	server *running
	query  query
	bodies [][]byte
	once   bool // each body is sent once: those of a warm-up, and of each round, are others
}

// entrants are the servers that are measured with a query, by their names.
func entrants(servers []*running, q query, office data.Office) (list []entrant) {
	for _, r := range servers {
		if r.answers(q) {
			list = append(list, entrant{name: r.name, server: r, query: q, bodies: q.bodies(r.in, office)})
		}
	}
	return list
}

// alternate measures entrants in turn, over and over, and returns the medians by name. A client alone, whose figures
// vary less, is measured half as long.
func (w *workshop) alternate(ctx context.Context, entrants []entrant, connections int) (map[string]figures, error) {
	duration := w.Duration
	if connections == 1 {
		duration = max(duration/2, time.Second)
	}
	runs := map[string][]figures{}
	for round := range w.Rounds {
		for _, e := range entrants {
			part, warm := e.bodies, e.bodies
			if e.once {
				part, warm = e.part(round, w.Rounds)
			}
			l, err := newLoad(w.scratch, "bodies", e.server.url(e.query), e.server.headers, part)
			if err != nil {
				return nil, err
			}
			before, err := newLoad(w.scratch, "warm", e.server.url(e.query), e.server.headers, warm)
			if err != nil {
				return nil, err
			}
			f, err := w.measure(ctx, e.server, before, l, connections, duration)
			if err != nil {
				return nil, err
			}
			tellf("%s, %d at a time, round %d, %s: %.0f requests/s, %.2f ms of CPU", e.query.name, connections, round+1, e.name, f.throughput, f.serverCPU)
			runs[e.name] = append(runs[e.name], f)
		}
	}
	found := make(map[string]figures, len(runs))
	for name, list := range runs {
		found[name] = medians(list)
	}
	return found, nil
}

// part are the bodies of one of several rounds, and, a fifth of them, those of its warm-up.
func (e entrant) part(round, rounds int) (bodies, warm [][]byte) {
	n := len(e.bodies) / rounds
	bodies = e.bodies[round*n : (round+1)*n]
	return bodies[n/5:], bodies[:n/5]
}
