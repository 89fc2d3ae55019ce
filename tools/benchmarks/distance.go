package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.org/backoffice/tools/benchmarks/data"
)

// distanceCommand measures what a way between server and database costs.
type distanceCommand struct {
	Customers int             `default:"200000" help:"Customers in the data (${default})."`
	Ways      []time.Duration `default:"0s,250us,500us,1ms,2ms" help:"How long each trip between a server and PostgreSQL takes, there and back (${default})."`
	Queries   []string        `default:"Q1,Q2,Q4" help:"What is asked (${default})."`
}

// Validate checks sizes and names.
func (c *distanceCommand) Validate() error {
	if c.Customers < data.MinCustomers {
		return fmt.Errorf("--customers: at least %d", data.MinCustomers)
	}
	_, err := queriesNamed(c.Queries)
	return err
}

// Run measures and reports.
func (c *distanceCommand) Run(ctx context.Context, settings *settingsOfAll) error {
	w, err := newWorkshop(ctx, settings)
	if err != nil {
		return err
	}
	defer w.close()
	asked, err := queriesNamed(c.Queries)
	if err != nil {
		return err
	}
	office := data.Office{Customers: c.Customers}
	database, _, err := w.postgres(ctx, office)
	if err != nil {
		return err
	}
	alone, loaded := map[string]map[time.Duration]figures{}, map[string]map[time.Duration]figures{}
	var titles []string
	for _, way := range c.Ways {
		far, err := w.cluster.behind(way)
		if err != nil {
			return err
		}
		servers, err := w.servers(ctx, map[string]bool{"backoffice": true, "cold": true, "postgraphile-2": true}, far.url(database), nil)
		if err != nil {
			return err
		}
		var up []*running
		for _, s := range servers {
			r, err := w.start(ctx, s)
			if err != nil {
				return err
			}
			up = append(up, r)
		}
		for _, q := range asked {
			for clients, found := range map[int]map[string]map[time.Duration]figures{1: alone, w.Clients: loaded} {
				tellf("%s with a way of %v, %d at a time", q.name, way, clients)
				measured, err := w.alternate(ctx, entrants(up, q, office), clients)
				if err != nil {
					return err
				}
				for _, r := range up {
					title := q.name + ", " + r.title
					if found[title] == nil {
						found[title] = map[time.Duration]figures{}
					}
					if !slices.Contains(titles, title) {
						titles = append(titles, title)
					}
					found[title][way] = measured[r.name]
				}
			}
		}
		for _, r := range up {
			r.close()
		}
		far.close()
	}
	return w.report("distance", c.markdown(w, titles, alone, loaded))
}

func (c *distanceCommand) markdown(w *workshop, titles []string, alone, loaded map[string]map[time.Duration]figures) string {
	var b strings.Builder
	b.WriteString(w.heading())
	head := []string{"round trip"}
	for _, way := range c.Ways {
		head = append(head, way.String())
	}
	slices.Sort(titles)
	rows := [][]string{head}
	for _, title := range titles {
		row := []string{title}
		for _, way := range c.Ways {
			row = append(row, figure(alone[title][way].p50)+"/"+figure(loaded[title][way].throughput))
		}
		rows = append(rows, row)
	}
	fmt.Fprintf(&b, "\np50 of one client in ms / requests per second of %d clients:\n\n%s", w.Clients, table(rows...))
	farthest := slices.Max(c.Ways)
	hot, peer := alone["Q1, **Backoffice**"][farthest], alone["Q1, PostGraphile, 2 workers"][farthest]
	if hot.p50 > 0 && peer.p50 > 0 {
		b.WriteString("\n" + verdicts([]target{atMost(fmt.Sprintf("Q1 over %v, p50 of one client against PostGraphile's", farthest), hot.p50/peer.p50, 1, " ×")}))
	}
	return b.String()
}
