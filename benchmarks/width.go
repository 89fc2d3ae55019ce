package main

import (
	"context"
	"fmt"
	"strings"

	"example.org/backoffice/benchmarks/data"
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
	s, err := w.ours(ctx, "backoffice", "Backoffice", w.pooled(url))
	if err != nil {
		return err
	}
	r, err := w.start(ctx, s)
	if err != nil {
		return err
	}
	rows := [][]string{append(costHead, "statements/request")}
	measured := map[int]figures{}
	for _, n := range []int{narrow, wide} {
		q := query{name: fmt.Sprintf("Q1-%d", n), ours: fmt.Sprintf(nested, n)}
		found, err := w.alternate(ctx, []*running{r}, q, office, w.Clients)
		if err != nil {
			return err
		}
		ran, err := w.cluster.statements(ctx, database, func() error { return r.ask(ctx, q, office, w.Clients, w.Clients) })
		if err != nil {
			return err
		}
		measured[n] = found[r.name]
		rows = append(rows, append(costRow(fmt.Sprintf("Q1 with %d customers", n), measured[n]), counted(float64(ran)/float64(w.Clients))))
	}
	cost := func(n int) float64 { return measured[n].serverCPU + measured[n].databaseCPU }
	var b strings.Builder
	b.WriteString(w.heading())
	b.WriteString("\n" + table(rows...))
	b.WriteString("\n" + verdicts([]target{
		atMost(fmt.Sprintf("Q1 with %d customers against %d, CPU of server and database", wide, narrow), cost(wide)/cost(narrow), 11, " ×"),
		atMost("the same, CPU of the server alone", measured[wide].serverCPU/measured[narrow].serverCPU, 11, " ×"),
	}))
	return w.report("width", b.String())
}
