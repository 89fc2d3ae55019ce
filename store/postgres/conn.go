package postgres

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store"
)

// cancelTime is how long a server may take to cancel a statement before its connection is given up.
const cancelTime = 500 * time.Millisecond

// bounded is the context of a statement: it ends at the limit, and in time to cancel before the caller's deadline.
func bounded(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if deadline, ok := ctx.Deadline(); ok {
		left := time.Until(deadline)
		limit = min(limit, left-min(cancelTime, left/4))
	}
	return context.WithTimeout(ctx, limit)
}

// unanswered recognises a server that does not answer at all: a slow one obeys when a statement is cancelled.
func unanswered(ctx context.Context, conn *pgx.Conn, err error) error {
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) && conn.IsClosed() {
		return store.Unavailable(errSilent)
	}
	return err
}

// connections runs each statement on any connection of the pool. Callers get them in turn.
type connections struct {
	pool      *pgxpool.Pool
	scheduler *store.Scheduler
	wait      time.Duration // for a free connection
	limit     time.Duration // of a statement
	closed    atomic.Bool

	lastLoss atomic.Int64 // when a loss was last logged, in seconds
}

func connectionsOf(pool *pgxpool.Pool, wait, limit time.Duration) *connections {
	scheduler := store.NewScheduler(int(pool.Config().MaxConns), wait)
	return &connections{pool: pool, scheduler: scheduler, wait: wait, limit: limit}
}

type lease struct {
	pooled    *pgxpool.Conn
	scheduler *store.Scheduler
	slot      *store.Slot
}

func (l *lease) Conn() *pgx.Conn { return l.pooled.Conn() }

func (l *lease) Release() {
	give(l.pooled)
	l.scheduler.Release(l.slot)
}

// take waits for a connection for a limited time: when all are busy the store is Unavailable.
func (c *connections) take(ctx context.Context) (*lease, error) {
	slot, err := c.scheduler.Acquire(ctx) // also busy when the deadline comes first
	switch {
	case errors.Is(err, store.ErrBusy):
		return nil, store.Unavailable(err)
	case err != nil:
		return nil, classify(ctx, err)
	}
	conn, err := c.acquire(ctx)
	if err != nil {
		c.scheduler.Release(slot)
		return nil, err
	}
	return &lease{conn, c.scheduler, slot}, nil
}

// acquire gets a connection for a slot: a new one when none is idle.
func (c *connections) acquire(ctx context.Context) (*pgxpool.Conn, error) {
	waiting, cancel := bounded(ctx, c.wait) // a server that connects slowly counts as away in time
	defer cancel()
	conn, err := c.pool.Acquire(waiting)
	for err == nil && !c.alive(waiting, conn) {
		conn, err = c.pool.Acquire(waiting)
	}
	switch {
	case err == nil:
		return conn, nil
	case c.closed.Load():
		return nil, store.Unavailable(store.ErrClosed)
	case errors.Is(ctx.Err(), context.Canceled):
		return nil, classify(ctx, err)
	case waiting.Err() != nil:
		return nil, store.Unavailable(errors.New("no connection to PostgreSQL was free in time"))
	}
	return nil, classify(ctx, err)
}

// restedFor is how long a connection may be idle before its server is checked.
const restedFor = time.Second

// rested is the key under which a connection records its idle time.
const rested = "rested"

// alive checks a connection that was idle for a while, since its peer may have disappeared silently (a router that
// forgot it, a server that lost its power). Then those of its age are gone too, and waiting for one is enough.
func (c *connections) alive(ctx context.Context, conn *pgxpool.Conn) bool {
	if idle, _ := conn.Conn().PgConn().CustomData()[rested].(time.Duration); idle <= restedFor {
		return true
	}
	asking, cancel := context.WithTimeout(ctx, c.pool.Config().PingTimeout)
	defer cancel()
	if conn.Ping(asking) == nil {
		return true
	}
	if conn.Conn().IsClosed() && ctx.Err() == nil {
		c.lost(ctx, errSilent)
	}
	give(conn)
	return false
}

// give returns a connection. A closed one leaves the pool at once: pgx may spend 15 seconds on the goodbye to a server
// that does not answer, and nobody should wait for that connection's slot meanwhile.
func give(conn *pgxpool.Conn) {
	if !conn.Conn().IsClosed() {
		conn.Release()
		return
	}
	socket := conn.Hijack().PgConn().Conn()
	go func() { _ = socket.Close() }() // over TLS closing is a message, which may wait too
}

// with runs do on a connection. After a loss it discards the other connections too, since they are as old; if do may
// run again, it runs once more, on a new one. After a silence its time has been used up.
func (c *connections) with(ctx context.Context,
	do func(ctx context.Context, conn *pgx.Conn) (again bool, err error)) error {
	for attempt := 1; ; attempt++ {
		again, err := c.once(ctx, do)
		if isLost(err) {
			c.lost(ctx, err)
		}
		if err == nil || !again || attempt > 1 || ctx.Err() != nil || !mayPass(err) {
			return err
		}
	}
}

// lossPeriod limits the log of losses: a server that goes away takes all connections at once.
const lossPeriod = time.Second

// lost discards all connections after the loss of one, and logs it: the caller may notice nothing.
func (c *connections) lost(ctx context.Context, err error) {
	c.pool.Reset()
	now, last := time.Now().Unix(), c.lastLoss.Load()
	if now-last >= int64(lossPeriod/time.Second) && c.lastLoss.CompareAndSwap(last, now) {
		slog.WarnContext(ctx, "connections to PostgreSQL were lost, and new ones are made",
			"cause", backoffice.Cause(err))
	}
}

func (c *connections) once(ctx context.Context,
	do func(ctx context.Context, conn *pgx.Conn) (again bool, err error)) (again bool, err error) {
	conn, err := c.take(ctx)
	if err != nil {
		return true, err
	}
	defer conn.Release()
	ctx, cancel := bounded(ctx, c.limit)
	defer cancel()
	again, err = do(ctx, conn.Conn())
	return again, unanswered(ctx, conn.Conn(), err)
}

// Send implements store.Sender, for statements that read: they may run twice until rows were handed over.
func (c *connections) Send(ctx context.Context, statements ...*store.Statement) {
	err := c.with(ctx, func(ctx context.Context, conn *pgx.Conn) (again bool, err error) {
		sent, err := pipeline(ctx, conn, nil, statements)
		statements = statements[sent.answered:]
		return !sent.handed, classify(ctx, err)
	})
	if err != nil {
		fail(statements, err)
	}
}
