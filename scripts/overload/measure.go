package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"example.org/backoffice/scripts/rig"
)

const (
	servers         = 0 // the gateway's and the database's processor
	crowdsProcessor = 1
	lightRate       = 100 // a second
	heavyPairs      = 4
	warm            = 2 * time.Second

	q1    = `{ customers(first: 50) { nodes { id name responsible { firstName lastName } relations(first: 10, direction: OUTGOING) { nodes { kind relatedCustomer { name } } } transcripts(first: 10) { nodes { id status checklist { name } financialYear { startDate } } } } } }`
	light = `query ($id: ID!) { customer(id: $id) { id displayName } }`
)

// What can be carried is looked for from a part of what a few connections get by asking as fast as they are answered, step by step upwards.
const (
	firstStep = 0.7
	nextStep  = 1.1

	carriedPart = .98 // of what is sent has to be answered
)

// found is what was measured on one engine.
type found struct {
	capacity float64 // the highest rate at which hardly anyone was refused
	best     float64 // the most that were answered in a second at any of those rates
	goodput  float64 // the same under overload
	calm     int64   // the most memory at those rates, in kB
	loaded   int64
	crowd    came
	seconds  float64
	alone    spread // of light requests
	beside   came   // likewise, under overload
	offered  float64
}

// gateway is a server with those who ask it.
type gateway struct {
	*rig.Server
	heavy, light []sent
}

func (o options) on(engine string) (f found, err error) {
	office := &rig.Office{Binary: o.binary, Folder: filepath.Join(o.folder, engine)}
	if err := os.MkdirAll(office.Folder, 0o755); err != nil {
		return f, err
	}
	office.Database = "sqlite:" + filepath.Join(office.Folder, "backoffice.db")
	if engine == "postgres" {
		var cluster *rig.Cluster
		if err := rig.OnProcessor(servers, func() (err error) {
			cluster, err = rig.NewCluster(filepath.Join(office.Folder, "postgres"))
			return err
		}); err != nil {
			return f, err
		}
		defer cluster.Stop()
		office.Database = cluster.URL(cluster.Address(), "postgres")
	}
	g, err := o.start(office)
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, g.Stop(time.Minute)) }()
	return f, o.measure(g, &f)
}

// start fills a store and serves it.
func (o options) start(office *rig.Office) (*gateway, error) {
	folder := filepath.Join(office.Folder, "office")
	if err := writeOffice(folder); err != nil {
		return nil, err
	}
	for _, arguments := range [][]string{{"migrate"}, {"import", folder}} {
		if _, err := office.Run(arguments...); err != nil {
			return nil, err
		}
	}
	g := &gateway{}
	body := func(query string, variables any) string {
		text, _ := json.Marshal(map[string]any{"query": query, "variables": variables}) // of texts alone
		return string(text)
	}
	for i := range heavyPairs {
		pair, err := office.Issue(fmt.Sprint("heavy ", i))
		if err != nil {
			return nil, err
		}
		g.heavy = append(g.heavy, sent{pair, body(q1, nil)})
	}
	g.heavy = append(g.heavy, g.heavy[0], g.heavy[0], g.heavy[0], g.heavy[0]) // the first sends more than all others together
	pair, err := office.Issue("light")
	if err != nil {
		return nil, err
	}
	for i := range customers {
		g.light = append(g.light, sent{pair, body(light, map[string]string{"id": fmt.Sprintf("customer-%04d", i)})})
	}
	if g.Server, err = office.NewServer("server"); err != nil {
		return nil, err
	}
	if err := rig.OnProcessor(servers, func() error { return g.Start(office, nil, strings.Fields(o.flags)...) }); err != nil {
		return nil, err
	}
	_, err = g.Ready(time.Minute)
	return g, err
}

func (o options) measure(g *gateway, f *found) error {
	send := func(requests []sent, rate float64) asking {
		return asking{Address: g.Address, Requests: requests, Rate: rate, Warm: warm, Duration: o.each}
	}
	f.seconds = o.each.Seconds()
	full := send(g.heavy, 0)
	full.Closed = 4
	c, err := full.run(5)
	if err != nil || c.Wrong > 0 {
		return fmt.Errorf("before it began: %d wrong answers (%s): %w", c.Wrong, c.Example, err)
	}
	rate := float64(c.Answered) / f.seconds
	if c, err = send(g.light, lightRate).run(0); err != nil {
		return err
	}
	f.alone = c.Served
	var carried bool
	if c.Answered == 0 || c.Wrong+c.Refused > 0 {
		return fmt.Errorf("light requests alone: %+v", c)
	}
	for rate *= firstStep; f.capacity == 0 || carried; rate *= nextStep {
		var most int64
		if c, most, err = g.watched(func() (came, error) { return send(g.heavy, rate).run(5) }); err != nil {
			return err
		}
		answered := float64(c.Answered) / f.seconds
		progressf("%.0f a second: %.0f answered, %.1f refused; %v", rate, answered, float64(c.Refused)/f.seconds, c.Served)
		f.best, f.calm = max(f.best, answered), max(f.calm, most)
		if carried = answered >= rate*carriedPart; carried {
			f.capacity = rate
		} else if f.capacity == 0 {
			rate /= 2
		}
	}
	f.offered = max(f.capacity, f.best) * o.times
	var all sync.WaitGroup
	var failed error
	all.Go(func() { f.beside, failed = send(g.light, lightRate).run(0) })
	f.crowd, f.loaded, err = g.watched(func() (came, error) { return send(g.heavy, f.offered).run(5) })
	all.Wait()
	f.goodput = float64(f.crowd.Answered) / f.seconds
	return errors.Join(err, failed)
}

func progressf(format string, values ...any) { fmt.Fprintf(os.Stderr, format+"\n", values...) }

// watched does something and tells how much memory the gateway had at most meanwhile, in kB.
func (g *gateway) watched(do func() (came, error)) (came, int64, error) {
	var most atomic.Int64
	ended := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		for {
			select {
			case <-ended:
				return
			case <-time.After(50 * time.Millisecond):
			}
			status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", g.PID()))
			for line := range strings.Lines(string(status)) {
				var kilobytes int64
				if _, err := fmt.Sscanf(line, "VmRSS: %d kB", &kilobytes); err == nil {
					most.Store(max(most.Load(), kilobytes))
				}
			}
		}
	})
	c, err := do()
	close(ended)
	watching.Wait()
	return c, most.Load(), err
}

// print writes the table, and says whether all of it is as promised.
func (f found) print(out io.Writer, times float64) (reached bool) {
	reached = true
	fmt.Fprintf(out, "| | measured | to be reached | |\n|---|--:|--:|---|\n")
	row := func(what, measured, wanted string, ok bool) {
		word := "reached"
		if wanted == "" {
			word = ""
		} else if !ok {
			word, reached = "**missed**", false
		}
		fmt.Fprintf(out, "| %s | %s | %s | %s |\n", what, measured, wanted, word)
	}
	least, most := 0, 0
	for _, n := range f.crowd.ByPair {
		if most = max(most, n); least == 0 || n < least {
			least = n
		}
	}
	ratio := float64(f.beside.Served.P99) / float64(max(f.alone.P99, 1))
	row("carried: Q1 a second of which 98 % are answered", fmt.Sprintf("%.0f", f.capacity), "", true)
	row("most Q1 answered a second", fmt.Sprintf("%.0f", f.best), "", true)
	row(fmt.Sprintf("sent: %.3g × the most", times), fmt.Sprintf("%.0f", f.offered), "", true)
	row("answered a second then", fmt.Sprintf("%.0f, %.0f %% of the most", f.goodput, 100*f.goodput/f.best), "80 %", f.goodput >= .8*f.best)
	row("refusals (503): p50, p99, slowest", f.crowd.RefusedIn.String(), "p99 in 50 ms", f.crowd.RefusedIn.P99 <= 50*time.Millisecond)
	row("refusals without Retry-After, wrong answers, not sent", fmt.Sprintf("%d, %d, %d of %d", f.crowd.WithoutRetryAfter, f.crowd.Wrong+f.beside.Wrong, f.crowd.Unsent, int(f.offered*f.seconds)), "0", f.crowd.WithoutRetryAfter+f.crowd.Wrong+f.beside.Wrong+f.crowd.Unsent == 0)
	row("sent too late by: p50, p99, slowest", f.crowd.SentLate.String(), "", true)
	row("answers: p50, p99, slowest", f.crowd.Served.String(), "", true)
	row("light requests alone: p50, p99, slowest", f.alone.String(), "", true)
	row("light requests beside it", f.beside.Served.String()+fmt.Sprintf("; p99 %.1f ×", ratio), "p99 3 ×", ratio <= 3)
	row("light requests refused", fmt.Sprintf("%d of %d", f.beside.Refused, int(lightRate*f.seconds)), "0", f.beside.Refused == 0)
	row("answered to the four pairs, of which one sends 5/8", fmt.Sprintf("%d to %d each", least, most), "", true)
	row("memory (RSS)", fmt.Sprintf("%d MB, before %d MB", f.loaded>>10, f.calm>>10), "1.5 ×", float64(f.loaded) < 1.5*float64(f.calm))
	return reached
}

// String is for the table.
func (s spread) String() string {
	ms := func(d time.Duration) string { return fmt.Sprintf("%.3g", float64(d)/float64(time.Millisecond)) }
	return ms(s.P50) + ", " + ms(s.P99) + ", " + ms(s.Most) + " ms"
}
