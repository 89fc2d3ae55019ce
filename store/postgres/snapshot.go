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

// Send answers queries as store.Engine's Send does. A transaction that fails before anything of it was answered is begun
// anew where there is hope; one that fails later takes along all that would be read in it.
func (s *snapshot) Send(ctx context.Context, queries []*store.Query, last bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		s, last = &snapshot{reads: s.reads}, true
	}
	again := true
	for len(queries) > 0 {
		if s.lost != nil {
			failAll(queries, s.lost)
			return
		}
		answered, sent, err := s.trip(ctx, queries, last)
		s.told = s.told || answered > 0
		if queries = queries[answered:]; err == nil {
			return
		}
		s.drop(err)
		elsewhere := s.from != nil && ctx.Err() == nil && s.reads.givenUp(ctx, s.from, err)
		switch {
		case s.told:
			s.lost = err
			failAll(queries, err)
			return
		case elsewhere:
		case again && isLost(err) && ctx.Err() == nil && !errors.Is(err, errSilent):
			again = false
		case sent && !isLost(err) && ctx.Err() == nil:
			queries[0].Fail(err)
			queries = queries[1:]
		default:
			failAll(queries, err)
			return
		}
	}
	if last && s.on != nil {
		s.giveBack("commit")
	}
}

func failAll(queries []*store.Query, err error) {
	for _, q := range queries {
		q.Fail(err)
	}
}

func (s *snapshot) place() *connections {
	if s.from != nil {
		return s.from.connections
	}
	return s.reads.primary
}

const beginSnapshot = "begin isolation level repeatable read, read only"

// trip sends queries at once: behind the transaction's beginning if they are the first, and before its end if they are the
// last. It tells how many have their answer or error; when the transaction fails, that is the error of the next one. It is
// called under mu.
func (s *snapshot) trip(ctx context.Context, queries []*store.Query, last bool) (answered int, sent bool, err error) {
	if s.on == nil {
		s.from = s.reads.at(ctx)
		if s.on, err = s.place().take(ctx); err != nil {
			return 0, false, err
		}
	}
	ctx, cancel := bounded(ctx, s.place().limit)
	defer cancel()
	conn := s.on.Conn()
	if last && !s.begun && len(queries) == 1 { // a statement sees one moment by itself
		var rows pgx.Rows
		if rows, err = conn.Query(ctx, queries[0].Text, queries[0].Args...); err == nil {
			answered, err = answer(ctx, conn, queries[0], rows)
		}
	} else {
		answered, err = s.pipeline(ctx, conn, queries, last)
	}
	if err == nil && last {
		s.begun = false
		s.giveBack("commit")
	}
	return answered, true, unanswered(ctx, conn, classify(ctx, err))
}

// pipeline is the trip of a transaction.
func (s *snapshot) pipeline(ctx context.Context, conn *pgx.Conn, queries []*store.Query, last bool) (answered int, err error) {
	var batch pgx.Batch
	begins := !s.begun
	if begins {
		batch.Queue(beginSnapshot)
	}
	for _, q := range queries {
		batch.Queue(q.Text, q.Args...)
	}
	if last {
		batch.Queue("commit")
	}
	results := conn.SendBatch(ctx, &batch)
	defer func() { _ = results.Close() }()
	if begins {
		if _, err := results.Exec(); err != nil {
			return 0, err
		}
		s.begun = true
	}
	for _, q := range queries {
		rows, err := results.Query()
		if err != nil {
			rows.Close()
			return answered, err
		}
		n, err := answer(ctx, conn, q, rows)
		if answered += n; err != nil {
			return answered, err
		}
	}
	if last {
		_, err = results.Exec()
	}
	return answered, err
}

// answer hands rows over. It counts 1 when the query has had its answer, or a part of it: it is not to be sent again then.
func answer(ctx context.Context, conn *pgx.Conn, q *store.Query, rows pgx.Rows) (answered int, err error) {
	var refused error
	err = scan(rows, func(row *store.Row) error {
		answered, refused = 1, q.Each(row)
		return refused
	})
	switch {
	case refused != nil:
		q.Fail(refused)
		return 1, nil
	case err == nil:
		return 1, nil
	case answered > 0:
		q.Fail(unanswered(ctx, conn, classify(ctx, err)))
	}
	return answered, err
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
