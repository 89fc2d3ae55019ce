package postgres

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"example.org/backoffice/store"
)

// snapshot is a transaction on one connection, maybe of a replica, in which all that a context reads sees one moment: that
// of the first statement, with which the transaction's beginning travels. Who has one waits for nothing but its own
// statements: a write in its context gives the connection back first.
type snapshot struct {
	reads *reads

	mu    sync.Mutex // one trip at a time
	from  *replica   // nil is the primary
	on    *lease     // nil before the first read
	begun bool
	told  bool  // something of this moment was answered, so nothing of another one may be
	lost  error // the transaction failed after that
	ended bool
}

type snapshotKey struct{}

func snapshotOf(ctx context.Context) *snapshot {
	s, _ := ctx.Value(snapshotKey{}).(*snapshot)
	return s
}

// BeginSnapshot implements store.Engine.
func (e *engine) BeginSnapshot(ctx context.Context) (context.Context, func()) {
	s := &snapshot{reads: e.reads}
	return context.WithValue(ctx, snapshotKey{}, s), s.end
}

// Query runs a statement as one of the snapshot's.
func (s *snapshot) Query(ctx context.Context, text string, args []any, each func(*store.Row) error) error {
	var batch pgx.Batch
	batch.Queue(text, args...)
	var refused error
	err := s.send(ctx, &batch, func(results pgx.BatchResults) (answered int, err error) {
		rows, err := results.Query()
		if err != nil {
			rows.Close()
			return 0, classify(ctx, err)
		}
		err = scan(rows, func(row *store.Row) error {
			answered = 1
			refused = each(row)
			return refused
		})
		if err == nil || refused != nil {
			return 1, nil
		}
		return answered, classify(ctx, err)
	})
	if refused != nil {
		return refused
	}
	return err
}

// send sends statements as reads.send does. A transaction that fails before anything of it was answered is begun anew
// where there is hope; one that fails later takes along all that would be read in it.
func (s *snapshot) send(ctx context.Context, batch *pgx.Batch, handle handler) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for attempt := 1; ; attempt++ {
		switch {
		case s.ended:
			return s.reads.sendAlone(ctx, batch, handle)
		case s.lost != nil:
			return s.lost
		}
		handled, err := s.trip(ctx, batch, handle)
		if err == nil {
			return nil
		}
		s.drop(err)
		elsewhere := s.from != nil && ctx.Err() == nil && s.reads.givenUp(ctx, s.from, err)
		if s.told {
			s.lost = err
			return err
		}
		again := attempt == 1 && isLost(err) && !errors.Is(err, errSilent)
		if handled || ctx.Err() != nil || !elsewhere && !again {
			return err
		}
	}
}

func (s *snapshot) place() *connections {
	if s.from != nil {
		return s.from.connections
	}
	return s.reads.primary
}

// trip sends a batch, behind the transaction's beginning if it is the first. It is called under mu.
func (s *snapshot) trip(ctx context.Context, batch *pgx.Batch, handle handler) (handled bool, err error) {
	if s.on == nil {
		s.from = s.reads.at(ctx)
		if s.on, err = s.place().take(ctx); err != nil {
			return false, err
		}
	}
	ctx, cancel := bounded(ctx, s.place().limit)
	defer cancel()
	conn := s.on.Conn()
	handled, err = s.results(ctx, conn, batch, handle)
	return handled, unanswered(ctx, conn, err)
}

const beginSnapshot = "begin isolation level repeatable read, read only"

func (s *snapshot) results(ctx context.Context, conn *pgx.Conn, batch *pgx.Batch, handle handler) (handled bool, err error) {
	sent := batch
	if !s.begun {
		sent = &pgx.Batch{}
		sent.Queue(beginSnapshot)
		sent.QueuedQueries = append(sent.QueuedQueries, batch.QueuedQueries...)
	}
	results := conn.SendBatch(ctx, sent)
	defer func() { _ = results.Close() }()
	if !s.begun {
		if _, err := results.Exec(); err != nil {
			return false, classify(ctx, err)
		}
		s.begun = true
	}
	answered, err := handle(results)
	s.told = s.told || answered > 0
	return true, err
}

// drop gives up a transaction that failed. It is called under mu.
func (s *snapshot) drop(err error) {
	if s.on == nil {
		return
	}
	if isLost(err) {
		s.place().pool.Reset()
	}
	s.giveBack("rollback")
}

// finishTime is how long the end of a transaction may take that wrote nothing.
const finishTime = time.Second

// giveBack ends the transaction and gives the connection back. It is called under mu.
func (s *snapshot) giveBack(how string) {
	finish(s.on, s.begun, how)
	s.on, s.begun = nil, false
}

func finish(on *lease, begun bool, how string) {
	defer on.Release()
	if conn := on.Conn().PgConn(); begun && !conn.IsClosed() {
		ctx, cancel := context.WithTimeout(context.Background(), finishTime)
		defer cancel()
		_ = conn.Exec(ctx, how).Close() // the pool keeps no connection within a transaction
	}
}

// renew lets the next read begin another moment.
func (s *snapshot) renew() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.on != nil {
		s.giveBack("commit")
	}
	s.told, s.lost = false, nil
}

// end waits for nothing: the answer needs no more of the store.
func (s *snapshot) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	if s.on != nil {
		go finish(s.on, s.begun, "commit")
		s.on, s.begun = nil, false
	}
}
