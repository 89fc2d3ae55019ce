package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// fault is something that breaks. breaks returns when the fault has ended, and what can come back has been let come back.
type fault struct {
	engine string // the only one that can break so; "" is both
	name   string
	before time.Duration // of work, each time
	often  int           // how many times; 0 is as often as gateways are killed
	breaks func(*stand) error
}

func (f fault) times(s *stand) int {
	if f.often == 0 {
		return s.kills
	}
	return f.often
}

var faults = []fault{
	{"", "the gateway killed (kill -9)", 100 * time.Millisecond, 0, func(s *stand) error {
		s.gone.Store(true)
		s.server.Kill()
		return s.server.Start(s.office, nil) // as systemd does
	}},
	{"", "the gateway stopped under load and started", 300 * time.Millisecond, 5, func(s *stand) error {
		s.gone.Store(true)
		if err := s.server.Stop(20 * time.Second); err != nil {
			return err
		}
		return s.server.Start(s.office, nil)
	}},
	{"postgres", "PostgreSQL restarted", 500 * time.Millisecond, 3, func(s *stand) error { return s.cluster.Restart() }},
	{"postgres", "PostgreSQL killed, back after 1 s", 500 * time.Millisecond, 3, func(s *stand) error {
		s.cluster.Kill()
		time.Sleep(time.Second)
		return s.cluster.Start()
	}},
	{"postgres", "PostgreSQL frozen for 3 s", 500 * time.Millisecond, 2, frozen(3 * time.Second)},
	{"postgres", "PostgreSQL frozen for 20 s", 500 * time.Millisecond, 1, frozen(20 * time.Second)},
	{"postgres", "all connections cut", 500 * time.Millisecond, 5, func(s *stand) error {
		s.proxy.Stop()
		return s.proxy.Start()
	}},
	{"postgres", "200 ms of delay for 5 s", 500 * time.Millisecond, 1, poisoned(`{"type":"latency","stream":"downstream","attributes":{"latency":200}}`, 5*time.Second)},
	{"postgres", "everything dropped silently for 3 s", 500 * time.Millisecond, 2, poisoned(`{"type":"timeout","stream":"downstream","attributes":{"timeout":0}}`, 3*time.Second)},
	{"postgres", "all of PostgreSQL's connections taken by others for 3 s", 500 * time.Millisecond, 1, exhausted},
}

func frozen(d time.Duration) func(*stand) error {
	return func(s *stand) error {
		s.cluster.Freeze()
		time.Sleep(d)
		s.cluster.Thaw()
		return nil
	}
}

func poisoned(toxic string, d time.Duration) func(*stand) error {
	return func(s *stand) error {
		if _, err := s.proxy.Toxics.AddToxicJson(strings.NewReader(toxic)); err != nil {
			return err
		}
		time.Sleep(d)
		s.proxy.Toxics.ResetToxics(context.Background())
		return nil
	}
}

// exhausted cuts the gateway's connections while others take all that there are.
func exhausted(s *stand) error {
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
