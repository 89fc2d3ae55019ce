package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"example.org/backoffice/tools/benchmarks/data"
)

// scaleCommand measures what answers cost as the data grows.
type scaleCommand struct {
	Many int `default:"1000000" help:"Customers of the large office (${default})."`
	Few  int `default:"10000" help:"Customers of the small one (${default})."`
	Deep int `default:"10000" help:"The page, of 50 customers, that is held against the first (${default})."`
}

const pageSize = 50

// Validate checks that the page exists.
func (c *scaleCommand) Validate() error {
	if c.Few < data.MinCustomers || c.Many < c.Few || c.Deep < 2 || c.Deep*pageSize >= c.Many {
		return fmt.Errorf("--few is at least %d, --many at least --few, and page --deep one of --many customers", data.MinCustomers)
	}
	return nil
}

// Run measures and reports.
func (c *scaleCommand) Run(ctx context.Context, settings *settingsOfAll) error {
	w, err := newWorkshop(ctx, settings)
	if err != nil {
		return err
	}
	defer w.close()
	many, few := data.Office{Customers: c.Many}, data.Office{Customers: c.Few}
	var servers []*running
	var database string
	for _, office := range []data.Office{few, many} {
		var url string
		if database, url, err = w.postgres(ctx, office); err != nil {
			return err
		}
		s, err := w.ours(ctx, database, thousands(fmt.Sprint(office.Customers))+" customers", w.pooled(url), cold...)
		if err != nil {
			return err
		}
		r, err := w.start(ctx, s)
		if err != nil {
			return err
		}
		servers = append(servers, r)
	}
	q1, err := w.alternate(ctx, entrants(servers, queries[0], many), w.Clients)
	if err != nil {
		return err
	}
	little, much := q1[servers[0].name], q1[servers[1].name]

	large := servers[1]
	cursor, err := large.cursorBefore(ctx, c.Deep)
	if err != nil {
		return err
	}
	of := func(name, text string) query { return query{name: name, ours: text} }
	pages := []query{
		of("first", fmt.Sprintf(`{ customers(first: %d) { nodes { id name } pageInfo { endCursor hasNextPage } } }`, pageSize)),
		of("deep", fmt.Sprintf(`{ customers(first: %d, after: %q) { nodes { id name } pageInfo { endCursor hasNextPage } } }`, pageSize, cursor)),
		of("total", `{ customers(first: 0) { totalCount } }`),
	}
	var contest []entrant
	for _, q := range pages {
		contest = append(contest, entrant{name: q.name, server: large, query: q, bodies: q.bodies(large.in, many)})
	}
	paged, err := w.alternate(ctx, contest, 1)
	if err != nil {
		return err
	}
	spent, err := w.cluster.spent(ctx, database, "%row_counts%", func() error { return large.ask(ctx, pages[2], many, 1, 200) })
	if err != nil {
		return err
	}

	cost := func(f figures) float64 { return f.serverCPU + f.databaseCPU }
	var b strings.Builder
	b.WriteString(w.heading())
	fmt.Fprintf(&b, "%s customers, %s relations and %s transcripts against %s customers, %s relations and %s transcripts.\n\n",
		thousands(fmt.Sprint(many.Customers)), thousands(fmt.Sprint(many.Relations())), thousands(fmt.Sprint(many.Transcripts())),
		thousands(fmt.Sprint(few.Customers)), thousands(fmt.Sprint(few.Relations())), thousands(fmt.Sprint(few.Transcripts())))
	b.WriteString(table(costHead,
		costRow(fmt.Sprintf("Q1, little data, %d clients", w.Clients), little), costRow(fmt.Sprintf("Q1, much data, %d clients", w.Clients), much),
		costRow("page 1 by cursor, one client", paged["first"]), costRow("page "+thousands(fmt.Sprint(c.Deep))+" by cursor, one client", paged["deep"]),
		costRow("unfiltered totalCount alone, one client", paged["total"])))
	b.WriteString("\n" + verdicts([]target{
		atMost("Q1 over much data against little, CPU of server and database", cost(much)/cost(little), 1.2, " ×"),
		atMost("deep page against the first, CPU of server and database", cost(paged["deep"])/cost(paged["first"]), 1.2, " ×"),
		atMost("unfiltered totalCount, time of its statement", spent, 1, " ms"),
		atMost("unfiltered totalCount, p50 of the whole request", paged["total"].p50, 1, " ms"),
	}))
	return w.report("scale", b.String())
}

var costHead = []string{"request", "requests/s", "p50 ms", "p99 ms", "server CPU ms/request", "database CPU ms/request"}

func costRow(what string, f figures) []string {
	return []string{what, figure(f.throughput), figure(f.p50), figure(f.p99), figure(f.serverCPU), figure(f.databaseCPU)}
}

// cursorBefore is the cursor after which a page begins. The page before it is asked for by its number.
func (r *running) cursorBefore(ctx context.Context, page int) (string, error) {
	body, err := json.Marshal(map[string]string{"query": fmt.Sprintf(`{ customers(page: %d, pageSize: %d) { pageInfo { endCursor } } }`, page-1, pageSize)})
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	a, err := r.post(ctx, queries[0], body)
	if err != nil {
		return "", err
	}
	var found struct {
		Data struct {
			Customers struct{ PageInfo struct{ EndCursor string } }
		}
	}
	if err := json.Unmarshal(a.body, &found); err != nil || a.status != http.StatusOK || found.Data.Customers.PageInfo.EndCursor == "" {
		return "", fmt.Errorf("page %d has no cursor: %.300s", page-1, a.body)
	}
	return found.Data.Customers.PageInfo.EndCursor, nil
}
