package postgres

import (
	"context"
	"slices"
	"strconv"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store"
)

type engine struct {
	reads *reads
	own   *connections // the process's own: callers that use every connection they can get do not reach these
}

// forWriting are the connections on which a context's transactions run.
func (e *engine) forWriting(ctx context.Context) *connections {
	if backoffice.SessionOf(ctx) == nil {
		return e.own
	}
	return e.reads.primary
}

var _ store.Engine = (*engine)(nil)

func (e *engine) Dialect() *store.Dialect { return store.Postgres }
func (e *engine) Primary() store.Sender   { return e.own }

func (e *engine) Snapshot(ctx context.Context, do func(ctx context.Context, reads store.Sender) error) error {
	primary := e.reads.primary
	conn, err := primary.take(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	t := &transaction{conn: conn.Conn(), limit: primary.limit, begin: beginReadOnly}
	defer t.rollback(ctx)
	return do(ctx, t)
}

func (e *engine) Listener(poll func(ctx context.Context) error) store.Listener {
	if e.reads.freshness == nil {
		return nil
	}
	e.reads.freshness.poll = poll
	return e.reads.freshness
}

func (e *engine) Ping(ctx context.Context) error {
	ping := &store.Statement{Text: "SELECT /*backoffice:server.ping*/ 1", Each: func(*store.Row) error { return nil }}
	return ping.Run(ctx, e.own)
}

func (e *engine) Gauges() []backoffice.Gauge {
	gauges := slices.Concat(store.GaugesOfPool("primary", e.reads.primary.scheduler),
		store.GaugesOfPool("own", e.own.scheduler))
	f := e.reads.freshness
	if f == nil {
		return gauges
	}
	for i, r := range f.replicas {
		name := "replica " + strconv.Itoa(i+1)
		labels := []string{"replica", strconv.Itoa(i + 1)}
		gauges = slices.Concat(gauges, store.GaugesOfPool(name, r.scheduler), []backoffice.Gauge{
			{Name: "replica_answers", Help: "1 while the replica serves reads, 0 while it is left out.",
				Labels: labels, Read: func() int64 {
					if in, _, _ := r.state(); in {
						return 1
					}
					return 0
				}},
			{Name: "replica_lag_bytes", Labels: labels,
				Help: "Bytes of the primary's log that the replica had not replayed at the last check.",
				Read: func() int64 {
					_, replayed, _ := r.state()
					return int64(max(0, f.latest()-replayed))
				}},
		})
	}
	return gauges
}

func (e *engine) Close() error {
	if e.reads.freshness != nil {
		e.reads.freshness.close()
	}
	for _, c := range []*connections{e.reads.primary, e.own} {
		c.closed.Store(true)
		c.pool.Close()
	}
	return nil
}
