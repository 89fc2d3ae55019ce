package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"example.org/backoffice/tools/benchmarks/data"
)

// cacheCommand measures the cache where it helps least: when nearly nothing that is asked is in it, and when what is
// in it changes all the time.
type cacheCommand struct {
	Customers int `default:"200000" help:"Customers in the data (${default})."`
	Writes    int `default:"200" help:"Customers that are changed a second beside Q1, each time another one (${default})."`
}

// Validate checks sizes.
func (c *cacheCommand) Validate() error {
	if c.Customers < data.MinCustomers || c.Writes < 1 {
		return fmt.Errorf("--customers: at least %d; --writes: at least 1", data.MinCustomers)
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

	scattered := queries[1]
	scattered.over = office.Customers
	missing, err := w.alternate(ctx, entrants([]*running{started["small"], cold}, scattered, office), w.Clients)
	if err != nil {
		return err
	}
	calm, err := w.alternate(ctx, entrants([]*running{hot, cold, peer}, queries[0], office), w.Clients)
	if err != nil {
		return err
	}
	var busy map[string]figures
	written, err := hot.changing(ctx, office, c.Writes, func() (err error) {
		busy, err = w.alternate(ctx, entrants([]*running{hot, cold}, queries[0], office), w.Clients)
		return err
	})
	if err != nil {
		return err
	}

	var b strings.Builder
	b.WriteString(w.heading())
	fmt.Fprintf(&b, "%s customers. The changes go through the server with the cache; both answer Q1 meanwhile, in turn.\n\n", thousands(fmt.Sprint(office.Customers)))
	b.WriteString(table(costHead,
		costRow("one customer of all, at random, cache of 16 MiB", missing["small"]), costRow("the same, no cache", missing["cold"]),
		costRow("Q1", calm["backoffice"]), costRow("Q1, no cache", calm["cold"]), costRow("Q1, PostGraphile, 2 workers", calm[peer.name]),
		costRow(fmt.Sprintf("Q1 beside %.0f changes a second", written), busy["backoffice"]), costRow("the same, no cache", busy["cold"])))
	b.WriteString("\n" + verdicts([]target{
		atLeast("one customer of all at random, throughput of no cache", missing["small"].throughput/missing["cold"].throughput, 0.95),
		atLeast(fmt.Sprintf("Q1 beside %d changes a second, throughput of PostGraphile without them", c.Writes), busy["backoffice"].throughput/calm[peer.name].throughput, 8),
	}))
	return w.report("cache", b.String())
}

// changing changes customers of the office, one after the other, while something is done, and tells how many a second.
func (r *running) changing(ctx context.Context, office data.Office, rate int, do func() error) (each float64, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var done atomic.Int64
	failed := make(chan error, 1)
	const together = 16
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
				if err := r.change(ctx, office.CustomerID(n*104_729%office.Customers), n); err != nil && ctx.Err() == nil {
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
func (r *running) change(ctx context.Context, id string, n int) error {
	const text = `mutation ($input: UpdateCustomerInput!) { updateCustomer(input: $input) { customer { id } userErrors { code } } }`
	body, err := json.Marshal(map[string]any{"query": text, "variables": map[string]any{"input": map[string]any{"id": id, "customerCode": fmt.Sprintf("changed-%d", n)}}})
	if err != nil {
		return err
	}
	a, err := r.post(ctx, queries[0], body)
	if err == nil && (a.status != http.StatusOK || !bytes.Contains(a.body, []byte(`"userErrors":[]`))) {
		err = fmt.Errorf("a change was refused with status %d: %.300s", a.status, a.body)
	}
	return err
}
