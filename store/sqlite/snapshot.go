package sqlite

import (
	"context"
	"errors"
	"sync"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store"
)

// snapshot is a transaction on one reader, in which all reads of a context see the same state. It begins with the first
// read. Its holder waits for nothing but its own statements: a write in its context returns the reader first.
type snapshot struct {
	readers *pool

	mu    sync.Mutex // one statement at a time
	on    *lease     // nil before the first read
	lost  bool       // the connection broke, and the snapshot with it
	ended bool
}

func (*snapshot) Unwrap() backoffice.Snapshot { return nil }

func snapshotOf(ctx context.Context) *snapshot { return backoffice.SnapshotOf[*snapshot](ctx) }

func (e *engine) BeginSnapshot() backoffice.Snapshot { return &snapshot{readers: e.readers} }

// Send implements store.Engine. A batch outside of any snapshot has one of its own.
func (e *engine) Send(ctx context.Context, statements []*store.Statement, last bool) {
	s := snapshotOf(ctx)
	if s == nil {
		s, last = &snapshot{readers: e.readers}, true
	}
	s.send(ctx, statements, last)
}

var errLostSnapshot = errors.New("the connection broke while reading a query")

func (s *snapshot) send(ctx context.Context, statements []*store.Statement, last bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		s, last = &snapshot{readers: s.readers}, true
	}
	if last {
		defer s.release()
	}
	if last && s.on == nil && !s.lost && len(statements) == 1 { // a single statement is a snapshot by itself
		s.readers.Send(ctx, statements...)
		return
	}
	for _, statement := range statements {
		statement.Err = s.run(ctx, statement)
	}
}

func (s *snapshot) Send(ctx context.Context, statements ...*store.Statement) {
	s.send(ctx, statements, false)
}

func (s *snapshot) run(ctx context.Context, statement *store.Statement) error {
	if s.lost {
		return store.Unavailable(errLostSnapshot)
	}
	if s.on == nil {
		if err := s.begin(ctx); err != nil {
			return err
		}
	}
	err := s.on.run(ctx, statement)
	if s.on.broken {
		s.lost = true
		s.release()
	}
	return err
}

// begin is called under mu. The snapshot is that of the first statement.
func (s *snapshot) begin(ctx context.Context) error {
	on, err := s.readers.acquire(ctx)
	if err != nil {
		return classify(ctx, err)
	}
	if err := on.exec(ctx, "BEGIN"); err != nil {
		s.on = on
		s.release()
		return err
	}
	s.on = on
	return nil
}

// release is called under mu. A connection that cannot end its transaction is unusable.
func (s *snapshot) release() {
	if s.on == nil {
		return
	}
	if err := s.on.exec(background, "ROLLBACK"); err != nil {
		s.on.broken = true
	}
	s.readers.release(s.on)
	s.on = nil
}

func (e *engine) RenewSnapshot(ctx context.Context) {
	s := snapshotOf(ctx)
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.release()
	s.lost = false
}

func (s *snapshot) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.release()
	s.ended = true
}
