package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"example.org/backoffice/tools/rig"
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
			cluster, err = rig.NewCluster(filepath.Join(office.Folder, "postgres"), nil)
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
		credential, err := office.Issue(fmt.Sprint("heavy ", i))
		if err != nil {
			return nil, err
		}
		g.heavy = append(g.heavy, sent{credential, body(q1, nil)})
	}
	g.heavy = append(g.heavy, g.heavy[0], g.heavy[0], g.heavy[0], g.heavy[0]) // the first sends more than all others together
	credential, err := office.Issue("light")
	if err != nil {
		return nil, err
	}
	for i := range customers {
		g.light = append(g.light, sent{credential, body(light, map[string]string{"id": fmt.Sprintf("customer-%04d", i)})})
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
	if c.Answered == 0 || c.Wrong+c.Refused > 0 {
		return fmt.Errorf("light requests alone: %+v", c)
	}
	if err := f.climb(rate, func(rate float64) (answered float64, most int64, err error) {
		c, most, err := g.watched(func() (came, error) { return send(g.heavy, rate).run(5) })
		answered = float64(c.Answered) / f.seconds
		progressf("%.0f a second: %.0f answered, %.1f refused; %v", rate, answered, float64(c.Refused)/f.seconds, c.Served)
		return answered, most, err
	}); err != nil {
		return err
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
