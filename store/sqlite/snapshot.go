package sqlite

import (
	"context"
	"errors"
	"sync"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store"
)

// snapshot is a transaction on one reader in which all that a context reads sees one moment. It begins with the first
// read. Who has one waits for nothing but its own statements: a write in its context gives the reader back first.
type snapshot struct {
	readers *pool

	mu    sync.Mutex // one statement at a time
	on    *lease     // nil before the first read
	lost  bool       // the connection broke, and its moment with it
	ended bool
}

type snapshotKey struct{}

func snapshotOf(ctx context.Context) *snapshot {
	s, _ := ctx.Value(snapshotKey{}).(*snapshot)
	return s
}

// BeginSnapshot implements store.Engine.
func (e *engine) BeginSnapshot(ctx context.Context) (context.Context, func()) {
	s := &snapshot{readers: e.readers}
	return context.WithValue(ctx, snapshotKey{}, s), s.end
}

// reads are the readers, on which the statements of a snapshot stay together.
type reads struct{ *pool }

// Query implements store.Conn.
func (r reads) Query(ctx context.Context, text string, args []any, each func(*store.Row) error) error {
	if s := snapshotOf(ctx); s != nil {
		return s.query(ctx, text, args, each)
	}
	return r.pool.Query(ctx, text, args, each)
}

var errLostSnapshot = errors.New("the connection broke on which a query was read")

func (s *snapshot) query(ctx context.Context, text string, args []any, each func(*store.Row) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.ended:
		return s.readers.Query(ctx, text, args, each)
	case s.lost:
		return &backoffice.Error{Kind: backoffice.Unavailable, Message: "the store is not available", Cause: errLostSnapshot}
	case s.on == nil:
		if err := s.begin(ctx); err != nil {
			return err
		}
	}
	err := s.on.Query(ctx, text, args, each)
	if s.on.broken {
		s.lost = true
		s.giveBack()
	}
	return err
}

// begin is called under mu. The moment is that of the first statement.
func (s *snapshot) begin(ctx context.Context) error {
	on, err := s.readers.take(ctx)
	if err != nil {
		return classify(ctx, err)
	}
	if _, err := on.Exec(ctx, "BEGIN", nil); err != nil {
		s.on = on
		s.giveBack()
		return err
	}
	s.on = on
	return nil
}

// giveBack is called under mu. A connection that cannot end its transaction is of no more use.
func (s *snapshot) giveBack() {
	if s.on == nil {
		return
	}
	if _, err := s.on.Exec(background, "ROLLBACK", nil); err != nil {
		s.on.broken = true
	}
	s.readers.give(s.on)
	s.on = nil
}

// renew lets the next read begin another moment.
func (s *snapshot) renew() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.giveBack()
	s.lost = false
}

func (s *snapshot) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.giveBack()
	s.ended = true
}
