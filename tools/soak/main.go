// Command soak lets the program serve a steady mix of reads and writes for a long time, and reports whether what it
// takes stays flat: memory, goroutines, descriptors, the write-ahead log and its own log. It ends with 1 when
// something does not, or when an answer was not what a client may expect.
//
// It serves an embedded store; with -engine postgres one on a PostgreSQL server that it starts for itself.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"example.org/backoffice/tools/rig"
)

type soak struct {
	engine, folder, binary string
	duration, every        time.Duration
	rate, customers        int

	server *rig.Server
	office *rig.Office
	ids    []string
	writer *rig.Client
	plain  *rig.Client // without privacy.read
	live   string      // where the program tells its live heap
	began  time.Time
	took   []sample
	came   outcome
}

func main() {
	s := &soak{}
	flag.StringVar(&s.engine, "engine", "sqlite", "sqlite or postgres")
	flag.StringVar(&s.folder, "folder", filepath.Join(os.TempDir(), "backoffice-soak"), "where everything is kept; it must not exist")
	flag.StringVar(&s.binary, "binary", "", "the program, when an earlier run has built it")
	flag.DurationVar(&s.duration, "duration", time.Hour, "how long")
	flag.DurationVar(&s.every, "every", 10*time.Second, "how often it looks what the server takes")
	flag.IntVar(&s.rate, "rate", 100, "requests a second")
	flag.IntVar(&s.customers, "customers", 2_000, "how many customers the store is filled with")
	flag.Parse()
	flat, err := s.run()
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(2)
	}
	if !flat {
		os.Exit(1)
	}
}

func (s *soak) run() (flat bool, err error) {
	if _, err := os.Stat(s.folder); err == nil {
		return false, fmt.Errorf("%s is there already; name another one with -folder", s.folder)
	}
	if err := os.MkdirAll(s.folder, 0o755); err != nil {
		return false, err
	}
	if s.binary == "" {
		s.binary = filepath.Join(s.folder, "backoffice")
		if err := s.build(); err != nil {
			return false, err
		}
	}
	port, err := rig.FreePort()
	if err != nil {
		return false, err
	}
	s.live = fmt.Sprint("127.0.0.1:", port)
	s.office = &rig.Office{Binary: s.binary, Folder: s.folder, Database: "sqlite:" + filepath.Join(s.folder, "backoffice.db")}
	if s.engine == "postgres" {
		cluster, err := rig.NewCluster(filepath.Join(s.folder, "postgres"), nil)
		if err != nil {
			return false, err
		}
		defer cluster.Stop()
		s.office.Database = cluster.URL(cluster.Address(), "postgres")
	}
	if err := s.prepare(); err != nil {
		return false, err
	}
	s.began = time.Now()
	watched := make(chan error, 1)
	go func() { watched <- s.watch() }()
	s.send()
	if err := <-watched; err != nil {
		return false, err
	}
	if err := s.server.Stop(30 * time.Second); err != nil {
		return false, fmt.Errorf("the server's end: %w", err)
	}
	return s.report(), nil
}

// prepare fills a new store and serves it.
func (s *soak) prepare() error {
	if _, err := s.office.Run("migrate"); err != nil {
		return err
	}
	all, err := s.office.Issue("soak", "privacy.read", "customers.write", "pti.write", "minfin.read", "settings.write", "users.write")
	if err != nil {
		return err
	}
	few, err := s.office.Issue("soak, without numbers", "customers.write")
	if err != nil {
		return err
	}
	if s.server, err = s.office.NewServer("server"); err != nil {
		return err
	}
	if err := s.server.Start(s.office, []string{liveVariable + "=" + s.live}); err != nil {
		return err
	}
	if _, err := s.server.Ready(time.Minute); err != nil {
		return err
	}
	s.writer, s.plain = rig.NewClient(s.server.Address, all, 8, time.Minute), rig.NewClient(s.server.Address, few, 8, time.Minute)
	s.ids, err = s.writer.Fill(s.customers)
	return err
}
