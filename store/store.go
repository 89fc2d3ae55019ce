package store

import (
	"context"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"example.org/backoffice/backoffice"
)

type Store struct {
	readers
	engine  Engine
	poller  *poller
	pings   singleflight.Group
	mirror  knownMirror
	keyUse  atomic.Pointer[keyUse]
	writing atomic.Pointer[time.Time] // since when a transaction has the only writer's lock
}

var _ backoffice.Store = (*Store)(nil)

// New makes the store of an open database whose schema is up to date. Close closes the engine.
func New(engine Engine) *Store {
	n := nounsOn(engine.Dialect())
	s := &Store{readers: n.readers(source{send: engine.Send, begun: true}), engine: engine}
	s.poller = newPoller(s)
	if e, ok := engine.(Listening); ok {
		if l := e.Listener(s.Poll); l != nil {
			s.Listen(l)
		}
	}
	return s
}

// Through is the same store with something between it and its engine, such as a recorder of statements.
func (s *Store) Through(wrap func(Engine) Engine) *Store { return New(wrap(s.engine)) }

// Ping implements backoffice.Store. Concurrent callers share one answer, so all readiness checks need one connection.
func (s *Store) Ping(ctx context.Context) error {
	answer := s.pings.DoChan("", func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), pingTime)
		defer cancel()
		return nil, s.engine.Ping(ctx)
	})
	select {
	case shared := <-answer:
		return shared.Err
	case <-ctx.Done():
		return backoffice.Fault(ctx.Err(), "checking whether the store is ready")
	}
}

func (s *Store) Clock(ctx context.Context) (at backoffice.Instant, err error) {
	err = s.primary().Query(ctx, "SELECT "+naming("server", "clock")+s.nouns.dialect.now, nil,
		func(row *Row) error { at = row.Instant(0); return nil })
	return at, err
}

const pingTime = 5 * time.Second

func (s *Store) Gauges() []backoffice.Gauge {
	if known, ok := s.engine.(interface{ Gauges() []backoffice.Gauge }); ok {
		return known.Gauges()
	}
	return nil
}

func GaugesOfPool(name string, scheduler *Scheduler) []backoffice.Gauge {
	labels := []string{"pool", name}
	return []backoffice.Gauge{
		{Name: "store_connections_in_use", Help: "Connections to the store in use.", Labels: labels,
			Read: func() int64 { used, _ := scheduler.Stats(); return int64(used) }},
		{Name: "store_connections_waited_for", Help: "Callers waiting for a connection to the store.", Labels: labels,
			Read: func() int64 { _, waiting := scheduler.Stats(); return int64(waiting) }},
	}
}

func (s *Store) Close() error {
	s.poller.close()
	return s.engine.Close()
}

// Snapshot runs do with reads of one snapshot, for one caller at a time and until do returns. Others go on writing.
func (s *Store) Snapshot(ctx context.Context, do func(ctx context.Context, reads backoffice.Readers) error) error {
	return s.engine.Snapshot(ctx, func(ctx context.Context, to Sender) error {
		reads := s.nouns.readers(oneSnapshot(to))
		return do(ctx, &reads)
	})
}

func (s *Store) BeginSnapshot(ctx context.Context) backoffice.Snapshot {
	reads := s.engine.BeginSnapshot()
	if s.nouns.viewOf(ctx) == nil {
		return reads
	}
	return &snapshot{Snapshot: reads, of: backoffice.RestrictionOf(ctx)}
}

func (s *Store) RenewSnapshot(ctx context.Context) {
	forgetSnapshot(ctx)
	s.engine.RenewSnapshot(ctx)
}

func (s *Store) Write(ctx context.Context, do func(ctx context.Context, tx backoffice.Tx) error) error {
	return s.write(ctx, func(ctx context.Context, tx *tx) error { return do(ctx, tx) })
}

func (s *Store) write(ctx context.Context, do func(ctx context.Context, tx *tx) error) error {
	forgetSnapshot(ctx)       // because the engine releases it
	defer forgetSnapshot(ctx) // and what others read alongside meanwhile
	late, noted, err := s.attempt(ctx, false, do)
	if late {
		_, noted, err = s.attempt(ctx, true, do)
	}
	if err == nil && noted != nil {
		noted.Noted()
	}
	return err
}

// attempt runs a transaction. late reports that it failed with a write that waited; with eager none does.
func (s *Store) attempt(ctx context.Context, eager bool,
	do func(ctx context.Context, tx *tx) error) (late bool, noted *backoffice.Act, err error) {
	err = s.engine.Write(ctx, func(ctx context.Context, to Sender) error {
		if s.nouns.dialect.lock == "" { // writers wait for each other
			since := time.Now()
			s.writing.Store(&since)
			defer s.writing.Store(nil)
		}
		tx := &tx{store: s, to: to, visible: visibility{mark: backoffice.InstantOf(time.Now())},
			restricted: s.nouns.viewOf(ctx) != nil, eager: eager}
		tx.conn = Conn{counted{inTx{tx}, s.nouns}}
		tx.nounReader, tx.In = nounReader{nouns: s.nouns, from: oneSnapshot(inTx{tx})}, tx
		tx.copier, _ = to.(Copier)
		tx.batchConn, _ = to.(BatchConn)
		defer func() { late = tx.late }()
		if err := do(ctx, tx); err != nil {
			return err
		}
		if tx.failed != nil {
			return tx.failed
		}
		if err := tx.StaysInView(ctx); err != nil {
			return err
		}
		if err := tx.finish(ctx); err != nil {
			return err
		}
		if err := tx.countErased(ctx); err != nil {
			return err
		}
		noted = tx.noted
		return s.renewKeyUse(ctx, tx.conn)
	})
	return late || violationOf(err) != nil && !eager, noted, err
}

// primary runs statements that must see everything durable when they were sent.
func (s *Store) primary() Conn { return Conn{counted{s.engine.Primary(), s.nouns}} }
