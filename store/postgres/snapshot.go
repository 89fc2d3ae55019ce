package postgres

import (
	"context"
	"slices"
	"sync"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store"
)

// snapshot is a transaction on one connection, maybe of a replica, in which all reads of a context see the same state.
// It begins with the first statement. Its holder waits for nothing else: a write in its context returns the connection
// first.
type snapshot struct {
	reads *reads

	mu    sync.Mutex // one round trip at a time
	from  *replica   // nil is the primary
	on    *lease     // nil before the first read
	begun bool
	told  bool  // something of this snapshot was answered, so nothing of another one may be
	lost  error // the transaction failed after that
	ended bool
}

func (*snapshot) Unwrap() backoffice.Snapshot { return nil }

func snapshotOf(ctx context.Context) *snapshot { return backoffice.SnapshotOf[*snapshot](ctx) }

func (e *engine) BeginSnapshot() backoffice.Snapshot { return &snapshot{reads: e.reads} }

// send runs statements as store.Engine's Send does. A transaction that fails before its first answer is begun anew if
// that may help; after a later failure nothing more can be read in it.
func (s *snapshot) send(ctx context.Context, statements []*store.Statement, last bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		s, last = &snapshot{reads: s.reads}, true
	}
	again := true
	for len(statements) > 0 {
		if s.lost != nil {
			store.FailAll(statements, s.lost)
			return
		}
		answered, sent, err := s.trip(ctx, statements, last)
		s.told = s.told || answered > 0
		if statements = statements[answered:]; err == nil {
			return
		}
		s.drop(err)
		elsewhere := s.from != nil && ctx.Err() == nil && s.reads.givenUp(ctx, s.from, err)
		switch {
		case s.told:
			s.lost = err
			store.FailAll(statements, err)
			return
		case elsewhere:
		case again && ctx.Err() == nil && mayPass(err):
			again = false
		case sent && !isLost(err) && ctx.Err() == nil:
			statements[0].Err = err
			statements = statements[1:]
		default:
			store.FailAll(statements, err)
			return
		}
	}
	if last && s.on != nil {
		s.release("commit")
	}
}

func (s *snapshot) place() *connections {
	if s.from != nil {
		return s.from.connections
	}
	return s.reads.primary
}

var beginSnapshot = []string{"begin isolation level repeatable read, read only"}

// trip sends statements in one round trip, after the transaction's beginning if they are first, before its end if last.
// It returns how many have their answer or error; if the transaction fails, the error is the next one's. mu is held.
func (s *snapshot) trip(ctx context.Context, statements []*store.Statement,
	last bool) (answered int, reached bool, err error) {
	if s.on == nil {
		s.from = s.reads.at(ctx)
		if s.on, err = s.place().take(ctx); err != nil {
			return 0, false, err
		}
	}
	ctx, cancel := bounded(ctx, s.place().limit)
	defer cancel()
	all, begin := statements, beginSnapshot
	if slices.ContainsFunc(statements, func(s *store.Statement) bool { return s.Generic }) {
		begin = append(slices.Clip(begin), "set local plan_cache_mode = force_generic_plan")
	}
	switch {
	// A single statement is a snapshot by itself.
	case last && !s.begun && len(statements) == 1 && len(begin) == 1:
		begin = nil
	case last:
		all = append(slices.Clip(statements), &store.Statement{Text: "commit"})
	}
	if s.begun {
		begin = nil
	}
	conn := s.on.Conn()
	sent, err := pipeline(ctx, conn, begin, all)
	s.begun = s.begun || begin != nil && sent.begun
	if err == nil && last {
		s.begun = false
		s.release("commit")
	}
	err = unanswered(ctx, conn, classify(ctx, err))
	answered = min(sent.answered, len(statements))
	if sent.handed && answered < len(statements) { // it is not sent again
		statements[answered].Err = err
		answered++
	}
	for _, statement := range statements[:answered] {
		statement.Replica = s.from != nil
	}
	return answered, true, err
}

// drop gives up a transaction that failed. It is called under mu.
func (s *snapshot) drop(err error) {
	if s.on == nil {
		return
	}
	if isLost(err) {
		s.place().lost(context.Background(), err)
	}
	s.release("rollback")
}

// finishTime is how long the end of a read-only transaction may take.
const finishTime = time.Second

// release ends the transaction and returns the connection. It is called under mu.
func (s *snapshot) release(how string) {
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

func (e *engine) RenewSnapshot(ctx context.Context) {
	s := snapshotOf(ctx)
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.on != nil {
		s.release("commit")
	}
	s.told, s.lost = false, nil
}

// Close waits for nothing: the answer needs no more of the store.
func (s *snapshot) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	if s.on != nil {
		go finish(s.on, s.begun, "commit")
		s.on, s.begun = nil, false
	}
}
