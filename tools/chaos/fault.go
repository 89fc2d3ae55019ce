package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// fault is something that breaks. breaks returns when the fault has ended, and what can come back has been let come
// back.
type fault struct {
	engine string // the only one that can break so; "" is both
	name   string
	before time.Duration // of work, each time
	often  int           // how many times; 0 is as often as gateways are killed
	breaks func(*environment) error

	says  []string                 // of which each has to be in a line of the log, or in what a command that failed said
	long  bool                     // it takes time, and a quicker one is of its kind
	small bool                     // it is of the disks, which are small
	then  func(*environment) error // what has to work when all is well again; may be nil
}

func (f fault) times(s *environment) int {
	if f.often == 0 {
		return s.kills
	}
	return f.often
}

var faults = []fault{
	{name: "the gateway killed (kill -9)", before: 100 * time.Millisecond, breaks: func(s *environment) error {
		s.gone.Store(true)
		s.server.Kill()
		return s.server.Start(s.office, nil) // as systemd does
	}, says: []string{`"serving"`}},
	{name: "the gateway stopped under load and started", before: 300 * time.Millisecond, often: 5, breaks: func(s *environment) error {
		s.gone.Store(true)
		if err := s.server.Stop(20 * time.Second); err != nil {
			return err
		}
		return s.server.Start(s.office, nil)
	}, says: []string{`"stopping"`, `"serving"`}},
	{engine: "postgres", name: "PostgreSQL restarted", long: true, before: half, often: 3, breaks: func(s *environment) error { return s.cluster.Restart() }, says: []string{told, starting}},
	{engine: "postgres", name: "PostgreSQL killed, back after 1 s", long: true, before: half, often: 3, breaks: func(s *environment) error {
		s.cluster.Kill()
		time.Sleep(time.Second)
		return s.cluster.Start()
	}, says: []string{"connecting to PostgreSQL failed"}},
	{engine: "postgres", name: "PostgreSQL frozen for 3 s", long: true, before: half, often: 2, breaks: frozen(3 * time.Second), says: []string{slow}},
	{engine: "postgres", name: "PostgreSQL frozen for 20 s", long: true, before: half, often: 1, breaks: frozen(20 * time.Second), says: []string{told, "no answer in time"}},
	{engine: "postgres", name: "all connections cut", before: half, often: 5, breaks: func(s *environment) error {
		s.proxy.Stop()
		return s.proxy.Start()
	}, says: []string{told}},
	{engine: "postgres", name: "200 ms of delay for 5 s", long: true, before: half, often: 1, breaks: poisoned(`{"type":"latency","stream":"downstream","attributes":{"latency":200}}`, 5*time.Second), says: []string{slow}},
	{engine: "postgres", name: "everything dropped silently for 3 s", long: true, before: half, often: 2, breaks: poisoned(`{"type":"timeout","stream":"downstream","attributes":{"timeout":0}}`, 3*time.Second), says: []string{"no answer in time"}},
	{engine: "postgres", name: "all of PostgreSQL's connections taken by others for 3 s", long: true, before: half, often: 1, breaks: exhausted, says: []string{"all its connections are taken"}},
	{engine: "postgres", name: "a second gateway whose clock is a day ahead", before: half, often: 1, breaks: apart(24 * time.Hour), says: []string{"clock and the database's are apart"}},
	{engine: "postgres", name: "a second gateway whose clock is a day behind", before: half, often: 1, breaks: apart(-24 * time.Hour), says: []string{"clock and the database's are apart"}},

	{engine: "sqlite", name: "the store's disk full for 2 s, during writes", before: half, often: 2, small: true, breaks: full(storeDisk, lasting(2*time.Second)), says: []string{diskFull}},
	{engine: "sqlite", name: "the store's disk full during an import", before: half, often: 1, small: true, breaks: fullBut(2<<20, storeDisk, importing), then: importAgain,
		says: []string{diskFull, "import: "}},
	{engine: "sqlite", name: "the disk full during a backup", before: half, often: 1, small: true, breaks: fullBut(1<<20, filesDisk, backingUp), then: backUpAgain,
		says: []string{"no space left on device"}},
	{engine: "postgres", name: "PostgreSQL's disk full for 2 s, during writes", before: half, often: 2, small: true, breaks: full(storeDisk, lasting(2*time.Second)), says: []string{diskFull}},
	{engine: "postgres", name: "PostgreSQL's disk full during an import", before: half, often: 1, small: true, breaks: fullBut(2<<20, storeDisk, importing), then: importAgain,
		says: []string{diskFull, "import: "}},
	{engine: "postgres", name: "the disk of PostgreSQL's log full, which ends it, until it is started again", before: half, often: 1, small: true, breaks: func(s *environment) error {
		if err := full(logDisk, withoutLog)(s); err != nil {
			return err
		}
		_, err := s.cluster.Revive()
		return err
	}, says: []string{starting}},
	{name: "the disk of stored files full for 2 s, during uploads", before: half, often: 2, small: true, breaks: full(filesDisk, lasting(2*time.Second)), says: []string{"no space left on device"}},
}

const (
	half     = 500 * time.Millisecond
	told     = "connections to PostgreSQL were lost"
	starting = "it is starting, recovering or stopping"
	slow     = "slow operation"
	diskFull = "the disk is full"
)

func frozen(d time.Duration) func(*environment) error {
	return func(s *environment) error {
		s.cluster.Freeze()
		time.Sleep(d)
		s.cluster.Thaw()
		return nil
	}
}

func poisoned(toxic string, d time.Duration) func(*environment) error {
	return func(s *environment) error {
		if _, err := s.proxy.Toxics.AddToxicJson(strings.NewReader(toxic)); err != nil {
			return err
		}
		time.Sleep(d)
		s.proxy.Toxics.ResetToxics(context.Background())
		return nil
	}
}

// exhausted cuts the gateway's connections while others take all that there are.
func exhausted(s *environment) error {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	var taken []*pgx.Conn
	defer func() {
		for _, conn := range taken {
			_ = conn.Close(context.Background())
		}
	}()
	s.proxy.Stop()
	for {
		conn, err := pgx.Connect(ctx, s.cluster.URL(s.cluster.Address(), "postgres"))
		if err != nil {
			break
		}
		taken = append(taken, conn)
	}
	if err := s.proxy.Start(); err != nil {
		return err
	}
	if len(taken) == 0 {
		return errors.New("no connection could be taken")
	}
	time.Sleep(3 * time.Second)
	return nil
}
