package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"example.org/backoffice/tools/benchmarks/data"
)

// cacheCommand measures what is kept in memory by how a question is asked (the same one again and again, 1,000 in turn,
// each once), when little of the data fits, when the data change all the time, and over a slow line.
type cacheCommand struct {
	Customers int `default:"200000" help:"Customers in the data (${default})."`
	Writes    int `default:"200" help:"Customers that are changed a second beside Q1, each time another one (${default})."`
	Line      int `default:"20" help:"How many Mbit a second the slow line between client and server carries (${default})."`
}

// Validate checks sizes.
func (c *cacheCommand) Validate() error {
	if c.Customers < data.MinCustomers || c.Writes < 1 || c.Line < 1 {
		return fmt.Errorf("--customers: at least %d; --writes and --line: at least 1", data.MinCustomers)
	}
	return nil
}

// Run measures and reports.
func (c *cacheCommand) Run(ctx context.Context, settings *settingsOfAll) error {
	w, err := newWorkshop(ctx, settings)
	if err != nil {
		return err
	}
	defer w.close()
	office := data.Office{Customers: c.Customers}
	_, url, err := w.postgres(ctx, office)
	if err != nil {
		return err
	}
	servers, err := w.servers(ctx, map[string]bool{"backoffice": true, "cold": true, "postgraphile-2": true}, url, nil)
	if err != nil {
		return err
	}
	small, err := w.ours(ctx, "small", "**Backoffice**, cache of 16 MiB", w.pooled(url), "--cache", "16MiB")
	if err != nil {
		return err
	}
	started := map[string]*running{}
	for _, s := range append(servers, small) {
		if started[s.name], err = w.start(ctx, s); err != nil {
			return err
		}
	}
	hot, cold, peer := started["backoffice"], started["cold"], started["postgraphile-2"]
	rows := [][]string{costHead}
	measure := func(entrants ...entrant) (map[string]figures, error) {
		measured, err := w.alternate(ctx, entrants, w.Clients)
		for _, e := range entrants {
			rows = append(rows, costRow(e.name, measured[e.name]))
		}
		return measured, err
	}
	for _, q := range queries {
		all, err := hot.asks(ctx, q, office)
		if err != nil {
			return err
		}
		half := len(all) / 2 // for each its own: the database would have read the second's already
		_, err = measure(entrant{name: q.name + ", the same", server: hot, query: q, bodies: all[:1]},
			entrant{name: q.name + ", 1,000 in turn", server: hot, query: q, bodies: all[:min(maxVariants, len(all))]},
			entrant{name: q.name + ", each asked once", server: hot, query: q, bodies: all[:half], once: true},
			entrant{name: q.name + ", each asked once, no cache", server: cold, query: q, bodies: all[half:], once: true})
		if err != nil {
			return err
		}
	}
	scattered, err := hot.asks(ctx, queries[1], office)
	if err != nil {
		return err
	}
	half := len(scattered) / 2
	const once, onceCold = "Q2, each asked once, cache of 16 MiB", "the same, no cache"
	missing, err := measure(entrant{name: once, server: started["small"], query: queries[1], bodies: scattered[:half], once: true},
		entrant{name: onceCold, server: cold, query: queries[1], bodies: scattered[half:], once: true})
	if err != nil {
		return err
	}
	q1 := func(name string, at *running) entrant {
		return entrant{name: name, server: at, query: queries[0], bodies: queries[0].bodies(at.in, office)}
	}
	const quiet = "Q1, PostGraphile, 2 workers"
	calm, err := measure(q1(quiet, peer))
	if err != nil {
		return err
	}
	busyName := fmt.Sprintf("Q1 beside %d changes a second", c.Writes)
	var busy map[string]figures
	written, err := hot.changing(ctx, office, c.Writes, func() (err error) {
		busy, err = measure(q1(busyName, hot), q1(busyName+", no cache", cold))
		return err
	})
	if err != nil {
		return err
	}
	plain, packed, err := c.overLine(ctx, w, hot)
	if err != nil {
		return err
	}

	var b strings.Builder
	b.WriteString(w.heading())
	fmt.Fprintf(&b, "%s customers. %.0f changes a second went through the server with the cache; both answered Q1 meanwhile, in turn.\n\n", thousands(fmt.Sprint(office.Customers)), written)
	b.WriteString(table(rows...))
	fmt.Fprintf(&b, "\nQ1 over a line of %d Mbit/s, one client alone, p50: %s ms, with zstd %s ms.\n", c.Line, figure(plain.p50), figure(packed.p50))
	b.WriteString("\n" + verdicts([]target{
		atLeast(once+", throughput of no cache", missing[once].throughput/missing[onceCold].throughput, 0.95),
		atLeast(busyName+", throughput of PostGraphile without them", busy[busyName].throughput/calm[quiet].throughput, 8),
		atMost(fmt.Sprintf("Q1 over %d Mbit/s with zstd, p50 of without", c.Line), packed.p50/plain.p50, 0.2, " ×"),
	}))
	return w.report("cache", b.String())
}

// overLine measures Q1 of one client over a slow line, as it is and compressed.
func (c *cacheCommand) overLine(ctx context.Context, w *workshop, hot *running) (plain, packed figures, err error) {
	const perMegabit = 1_000_000 / 8 / 1_000 // kB
	line, address, err := limited(fmt.Sprintf("127.0.0.1:%d", hot.port), c.Line*perMegabit)
	if err != nil {
		return plain, packed, err
	}
	defer line.Stop()
	for coding, found := range map[string]*figures{"": &plain, "Accept-Encoding: zstd": &packed} {
		far := *hot
		far.at = "http://" + address + "/graphql"
		if coding != "" {
			far.headers = append(slices.Clone(hot.headers), coding)
		}
		e := entrant{name: "line", server: &far, query: queries[0], bodies: queries[0].bodies(inOurs, data.Office{Customers: c.Customers})}
		measured, err := w.alternate(ctx, []entrant{e}, 1)
		if err != nil {
			return plain, packed, err
		}
		*found = measured["line"]
	}
	return plain, packed, nil
}

// asks are questions of a query's shape, each another one: pages that begin after any of the customers, or, of a query
// about one customer, any customer. Their order is none of the tables'.
func (r *running) asks(ctx context.Context, q query, office data.Office) ([][]byte, error) {
	if q.vary {
		q.over = office.Customers
		return q.bodies(r.in, office), nil
	}
	const deepest = 1_000 // customers that are left for the last page
	cursors, err := r.cursors(ctx, office.Busy()-deepest)
	if err != nil {
		return nil, err
	}
	text := strings.Replace(q.ours, "{ customers(", "query ($after: String) { customers(after: $after, ", 1)
	bodies := make([][]byte, len(cursors))
	for i := range bodies {
		body, err := json.Marshal(map[string]any{"query": text, "variables": map[string]string{"after": cursors[i*step%len(cursors)]}})
		if err != nil {
			return nil, err
		}
		bodies[i] = body
	}
	return bodies, nil
}

// cursors are those of the first n customers.
func (r *running) cursors(ctx context.Context, n int) (cursors []string, err error) {
	const text = `query ($after: String) { customers(first: 500, after: $after) { edges { cursor } } }`
	variables := map[string]string{}
	for len(cursors) < n {
		body, err := json.Marshal(map[string]any{"query": text, "variables": variables})
		if err != nil {
			return nil, err
		}
		a, err := r.post(ctx, queries[0], body)
		if err != nil {
			return nil, err
		}
		var found struct {
			Data struct {
				Customers struct{ Edges []struct{ Cursor string } }
			}
		}
		if err := json.Unmarshal(a.body, &found); err != nil || len(found.Data.Customers.Edges) == 0 {
			return nil, fmt.Errorf("there are no cursors: %.300s", a.body)
		}
		for _, edge := range found.Data.Customers.Edges {
			cursors = append(cursors, edge.Cursor)
		}
		variables["after"] = cursors[len(cursors)-1]
	}
	return cursors[:n], nil
}

// changing changes customers of the office, one after the other, while something is done, and tells how many a second.
func (r *running) changing(ctx context.Context, office data.Office, rate int, do func() error) (each float64, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var done atomic.Int64
	failed := make(chan error, 1)
	const together = 16
	run := time.Now().Unix() // data that are kept have the codes of the runs before, and what has its value already is no change
	turns := time.NewTicker(time.Second / time.Duration(rate))
	defer turns.Stop()
	for range together {
		go func() {
			for {
				select {
				case <-ctx.Done():
					return
				case <-turns.C:
				}
				n := int(done.Add(1))
				if err := r.change(ctx, office.CustomerID(n*104_729%office.Customers), fmt.Sprintf("%d-%d", run, n)); err != nil && ctx.Err() == nil {
					select {
					case failed <- err:
					default:
					}
				}
			}
		}()
	}
	start := time.Now()
	err = do()
	each = float64(done.Load()) / time.Since(start).Seconds()
	select {
	case failure := <-failed:
		return each, failure
	default:
		return each, err
	}
}

// change changes a customer.
func (r *running) change(ctx context.Context, id, code string) error {
	const text = `mutation ($input: UpdateCustomerInput!) { updateCustomer(input: $input) { customer { id } userErrors { code } } }`
	body, err := json.Marshal(map[string]any{"query": text, "variables": map[string]any{"input": map[string]any{"id": id, "customerCode": code}}})
	if err != nil {
		return err
	}
	a, err := r.post(ctx, queries[0], body)
	if err == nil && (a.status != http.StatusOK || !bytes.Contains(a.body, []byte(`"userErrors":[]`))) {
		err = fmt.Errorf("a change was refused with status %d: %.300s", a.status, a.body)
	}
	return err
}
