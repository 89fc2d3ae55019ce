package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"example.org/backoffice/tools/benchmarks/data"
)

// widthCommand measures what Q1 costs as its answer grows.
type widthCommand struct {
	Customers int `default:"200000" help:"Customers in the data (${default})."`
}

const narrow, wide = 50, 500

// Validate checks that the wide answer is full.
func (c *widthCommand) Validate() error {
	if c.Customers < 5*wide {
		return fmt.Errorf("--customers: at least %d", 5*wide)
	}
	return nil
}

// Run measures and reports.
func (c *widthCommand) Run(ctx context.Context, settings *settingsOfAll) error {
	w, err := newWorkshop(ctx, settings)
	if err != nil {
		return err
	}
	defer w.close()
	office := data.Office{Customers: c.Customers}
	database, url, err := w.postgres(ctx, office)
	if err != nil {
		return err
	}
	s, err := w.ours(ctx, "backoffice", "Backoffice", w.pooled(url), cold...)
	if err != nil {
		return err
	}
	r, err := w.start(ctx, s)
	if err != nil {
		return err
	}
	var contest []entrant
	for _, n := range []int{narrow, wide} {
		name := fmt.Sprintf("Q1 with %d customers", n)
		q := query{name: "Q1", ours: fmt.Sprintf(nested, n)}
		contest = append(contest, entrant{name: name, server: r, query: q, bodies: q.bodies(r.in, office)})
	}
	measured, err := w.alternate(ctx, contest, w.Clients)
	if err != nil {
		return err
	}
	rows := [][]string{append(slices.Clone(costHead), "statements/request")}
	for _, e := range contest {
		ran, err := w.cluster.statements(ctx, database, w.Clients, func() error { return r.ask(ctx, e.query, office, w.Clients, w.Clients) })
		if err != nil {
			return err
		}
		rows = append(rows, append(costRow(e.name, measured[e.name]), counted(ran)))
	}
	few, many := measured[contest[0].name], measured[contest[1].name]
	var b strings.Builder
	b.WriteString(w.heading())
	b.WriteString("\n" + table(rows...))
	b.WriteString("\n" + verdicts([]target{
		atMost(fmt.Sprintf("Q1 with %d customers against %d, CPU of server and database", wide, narrow), (many.serverCPU+many.databaseCPU)/(few.serverCPU+few.databaseCPU), 11, " ×"),
		atMost("the same, CPU of the server alone", many.serverCPU/few.serverCPU, 11, " ×"),
	}))
	return w.report("width", b.String())
}
