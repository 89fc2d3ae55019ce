package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"example.org/backoffice/store"
)

// engine is an open database.
type engine struct{ reads *reads }

var _ store.Engine = (*engine)(nil)

// Dialect implements store.Engine.
func (e *engine) Dialect() *store.Dialect { return store.Postgres }

// Reads implements store.Engine.
func (e *engine) Reads() store.Conn { return together{e.reads} }

// Primary implements store.Engine.
func (e *engine) Primary() store.Conn { return e.reads.primary }

// Snapshot implements store.Engine.
func (e *engine) Snapshot(ctx context.Context, do func(ctx context.Context, reads store.Conn) error) error {
	primary := e.reads.primary
	conn, err := primary.take(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	tx, err := begin(ctx, conn.Conn(), primary.limit, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return err
	}
	defer rollback(ctx, tx)
	return do(ctx, transaction{tx, primary.limit})
}

// Ping implements store.Engine.
func (e *engine) Ping(ctx context.Context) error {
	return e.reads.primary.Query(ctx, "SELECT 1", nil, func(*store.Row) error { return nil })
}

// Close implements store.Engine.
func (e *engine) Close() error {
	if e.reads.freshness != nil {
		e.reads.freshness.close()
	}
	e.reads.primary.closed.Store(true)
	e.reads.primary.pool.Close()
	return nil
}
