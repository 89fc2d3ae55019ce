package main

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"
)

func processors() int { return runtime.NumCPU() }

// figures are what one run, or the medians of several, have shown.
type figures struct {
	throughput  float64 // requests a second
	p50, p99    float64 // milliseconds
	serverCPU   float64 // milliseconds a request, of the server's processes
	databaseCPU float64 // milliseconds a request, of PostgreSQL's
	resident    float64 // megabytes of the server's processes under load
	shared      float64 // the same, counting what they share once
}

// longest is how long a server may take for its first answer when all clients ask at once.
const longest = 30 * time.Second

// measure runs a load once against a server that another has warmed up; longer, when it has answered nothing in that time.
func (w *workshop) measure(ctx context.Context, r *running, before, l load, connections int, duration time.Duration) (figures, error) {
	if w.Warmup > 0 {
		if _, err := before.run(ctx, connections, w.Warmup); err != nil {
			return figures{}, fmt.Errorf("%s: %w: %s", r.title, err, r.said())
		}
	}
	server, database, err := w.settled(ctx, r)
	if err != nil {
		return figures{}, err
	}
	held := make(chan memory, 1)
	timer := time.AfterFunc(duration*9/10, func() { held <- server.memory() })
	defer timer.Stop()
	o, err := l.run(ctx, connections, duration)
	if err != nil {
		return figures{}, fmt.Errorf("%s: %w: %s", r.title, err, r.said())
	}
	serverAfter, databaseAfter, err := w.trees(r)
	if err != nil {
		return figures{}, err
	}
	if o.Requests == 0 {
		if duration >= longest {
			return figures{}, fmt.Errorf("%s answers nothing within %v", r.title, duration)
		}
		return w.measure(ctx, r, before, l, connections, 5*duration)
	}
	m := <-held
	// When wrk ends, every connection has a request that was begun and is, on average, half done.
	requests := float64(o.Requests) + float64(connections)/2
	each := func(d time.Duration) float64 { return d.Seconds() * 1000 / requests }
	return figures{
		throughput: float64(o.Requests) / o.Microseconds * 1e6, p50: o.P50 / 1000, p99: o.P99 / 1000,
		serverCPU: each(serverAfter.cpu - server.cpu), databaseCPU: each(databaseAfter.cpu - database.cpu),
		resident: float64(m.resident) / (1 << 20), shared: float64(m.proportional) / (1 << 20),
	}, nil
}

// settled waits until server and database have ended what the last client has left behind.
func (w *workshop) settled(ctx context.Context, r *running) (server, database tree, err error) {
	const patience, pause = 40, 50 * time.Millisecond
	for range patience {
		if server, database, err = w.trees(r); err != nil {
			return server, database, err
		}
		before := server.cpu + database.cpu
		select {
		case <-ctx.Done():
			return server, database, ctx.Err()
		case <-time.After(pause):
		}
		if server, database, err = w.trees(r); err != nil || server.cpu+database.cpu-before <= tick {
			return server, database, err
		}
	}
	return server, database, nil
}

func (w *workshop) trees(r *running) (server, database tree, err error) {
	if r.process != nil {
		if server, err = treeOf(r.pid()); err != nil {
			return server, database, err
		}
	}
	database, err = treeOf(w.cluster.PID())
	return server, database, err
}

// medians takes the median of each figure, and the most memory that was seen.
func medians(runs []figures) figures {
	of := func(figure func(figures) float64) float64 {
		values := make([]float64, len(runs))
		for i, run := range runs {
			values[i] = figure(run)
		}
		return median(values)
	}
	m := figures{
		throughput: of(func(f figures) float64 { return f.throughput }),
		p50:        of(func(f figures) float64 { return f.p50 }), p99: of(func(f figures) float64 { return f.p99 }),
		serverCPU: of(func(f figures) float64 { return f.serverCPU }), databaseCPU: of(func(f figures) float64 { return f.databaseCPU }),
	}
	for _, run := range runs {
		m.resident, m.shared = max(m.resident, run.resident), max(m.shared, run.shared)
	}
	return m
}

// median is the middle value, or the mean of the two in the middle; 0 of none.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}
