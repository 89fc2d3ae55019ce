package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"

	"example.org/backoffice/tools/rig"
)

// environment is a gateway over a store that is broken.
type environment struct {
	engine     string
	kills      int
	office     *rig.Office
	server     *rig.Server
	credential rig.Credential

	cluster *rig.Cluster     // of PostgreSQL
	proxy   *toxiproxy.Proxy // before it

	small bool // the data are on disks of their own
	disks disks

	withClock string      // the program with a clock that can be set; "" when no fault is one of clocks
	second    *rig.Server // which runs it
	both      atomic.Bool // it serves

	gone  atomic.Bool // the server is being killed, or stopped
	noted *noted      // of the fault that is under way
	said  []string    // by commands that failed as they had to
}

// at is a path in the environment's folder.
func (s *environment) at(name string) string { return filepath.Join(s.office.Folder, name) }

func (s *environment) open() (err error) {
	if err := os.MkdirAll(s.office.Folder, 0o755); err != nil {
		return err
	}
	if s.small {
		if err := s.mount(); err != nil {
			return err
		}
	}
	s.office.Database = "sqlite:" + filepath.Join(s.at("store"), "backoffice.db")
	if s.engine == "postgres" {
		var flags []string
		if s.small { // a log that stays small, in a folder that does not exist yet, on a disk of its own
			flags = []string{"--wal-segsize=1", "--waldir=" + filepath.Join(s.disks.log.Path, "wal")}
		}
		if s.cluster, err = rig.NewCluster(s.at("store"), nil, flags...); err != nil {
			return err
		}
		server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
		s.proxy = toxiproxy.NewProxy(server, "postgres", "127.0.0.1:0", s.cluster.Address())
		if err := s.proxy.Start(); err != nil {
			return err
		}
		s.office.Database = s.cluster.URL(s.proxy.Listen, "postgres")
	}
	if _, err := s.office.Run("migrate"); err != nil {
		return err
	}
	if err := s.importFiles("checklists", checklists()); err != nil {
		return err
	}
	if s.credential, err = s.office.Issue("chaos", "privacy.read", "customers.write", "settings.write", "pti.write"); err != nil {
		return err
	}
	if s.server, err = s.office.NewServer("server"); err != nil {
		return err
	}
	if s.second, err = s.office.NewServer("second"); err != nil {
		return err
	}
	s.server.Flags = []string{"--slow", "500ms"} // what a delay is told by
	if err := s.server.Start(s.office, nil); err != nil {
		return err
	}
	_, err = s.server.Ready(time.Minute)
	return err
}

func (s *environment) close() {
	if s.server != nil && s.server.Lives() {
		_ = s.server.Stop(time.Minute)
	}
	if s.proxy != nil {
		s.proxy.Stop()
	}
	if s.cluster != nil {
		s.cluster.Stop()
	}
	s.disks.close()
}

// under lets clients work before a fault, during it and after it, and counts. A fault happens as often as it says;
// each time all has to be well again.
func (s *environment) under(f fault) (counts, error) {
	of := &noted{}
	s.noted, s.said = of, nil
	from, fromSecond := s.server.LogSize(), s.second.LogSize()
	entries, err := s.entries()
	if err != nil {
		return counts{}, err
	}
	follower := &follower{checker: s.newChecker("Follower")}
	if err := follower.begin(); err != nil {
		return counts{}, err
	}
	checkers := make([]*checker, 4)
	for i := range checkers {
		checkers[i] = s.newChecker(fmt.Sprint("Checker ", i))
		checkers[i].turn = i * 1_000_000
		if err := checkers[i].begin(); err != nil {
			return counts{}, err
		}
	}
	until := make(chan struct{})
	var all sync.WaitGroup
	for _, w := range checkers {
		all.Go(func() { w.run(until) })
	}
	all.Go(func() { follower.run(until) })
	all.Go(func() { s.balance(until) })
	err = s.repeat(f, of)
	if err == nil {
		time.Sleep(300 * time.Millisecond)
	}
	close(until)
	all.Wait()
	if err != nil {
		return counts{}, err
	}
	for _, w := range checkers {
		w.verify()
	}
	follower.finish(checkers)
	s.newChecker("Counter").tally(checkers)
	if err := s.numbered(follower.began); err != nil {
		return counts{}, err
	}
	after, err := s.entries()
	if err != nil {
		return counts{}, err
	}
	of.unentered = max(0, of.disclosed-(after-entries))
	if _, err := s.office.Run("consultations", "verify"); err != nil {
		of.addf(&of.wrong, "the register: %v", err)
	}
	lines, err := s.server.LogSince(from)
	if err != nil {
		return counts{}, err
	}
	if second, err := s.second.LogSince(fromSecond); err == nil {
		lines = append(lines, second...)
	}
	of.lines = of.words(f.says, append(s.said, lines...))
	return of.counts, nil
}

func (s *environment) newChecker(name string) *checker {
	return &checker{
		client: rig.NewClient(s.server.Address, s.credential, 2, 30*time.Second), elsewhere: rig.NewClient(s.second.Address, s.credential, 2, 30*time.Second),
		both: s.both.Load, of: s.noted, name: name, deaf: s.gone.Load,
	}
}

// repeat has a fault happen as often as it does, and waits each time until all is well.
func (s *environment) repeat(f fault, of *noted) error {
	prober := &checker{client: rig.NewClient(s.server.Address, s.credential, 1, 10*time.Second), of: &noted{}, name: "Prober", deaf: func() bool { return true }}
	if err := prober.begin(); err != nil {
		return err
	}
	for range max(f.times(s), 1) {
		time.Sleep(f.before)
		if err := f.breaks(s); err != nil {
			return err
		}
		took, err := s.healthy(prober)
		of.mu.Lock()
		of.healthy = max(of.healthy, took)
		if err != nil {
			of.byHand++
			of.example = err.Error() + "; " + of.example + "; " + prober.of.example
		}
		of.mu.Unlock()
		if err != nil {
			return nil
		}
		s.gone.Store(false)
		if f.then != nil {
			if err := f.then(s); err != nil {
				return err
			}
		}
	}
	return nil
}

// balance asks whether the server is ready, as a balancer before it does.
func (s *environment) balance(until <-chan struct{}) {
	for {
		select {
		case <-until:
			return
		case <-time.After(250 * time.Millisecond):
			s.server.IsReady()
		}
	}
}

// healthy waits until the server is ready and a write is acknowledged.
func (s *environment) healthy(prober *checker) (time.Duration, error) {
	began := time.Now()
	for time.Since(began) < mostPatience {
		if !s.server.Lives() {
			return time.Since(began), errors.New("the server has ended by itself")
		}
		if s.server.IsReady() && prober.write() {
			return time.Since(began), nil
		}
		if len(prober.open) > 0 {
			prober.read()
		}
		time.Sleep(10 * time.Millisecond)
	}
	return time.Since(began), errors.New("not healthy within 30 s")
}

// mostPatience is after how long somebody would have to do something.
const mostPatience = 30 * time.Second

// entries are how many the register of consultations has.
func (s *environment) entries() (n int, err error) {
	out, err := s.office.Run("consultations", "list", "--format", "jsonl")
	if err != nil {
		return 0, err
	}
	return bytes.Count(out, []byte("\n")), nil
}
