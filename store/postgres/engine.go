package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store"
)

// engine is an open database.
type engine struct{ pool *connections }

var _ store.Engine = (*engine)(nil)

// Dialect implements store.Engine.
func (e *engine) Dialect() *store.Dialect { return store.Postgres }

// Reads implements store.Engine.
func (e *engine) Reads() store.Conn { return together{e.pool} }

// Primary implements store.Engine.
func (e *engine) Primary() store.Conn { return e.pool }

// maxAttempts is how often a transaction is run that others got in the way of.
const maxAttempts = 5

// Write implements store.Engine.
func (e *engine) Write(ctx context.Context, do func(ctx context.Context, tx store.Conn) error) error {
	for attempt := 1; ; attempt++ {
		err := e.write(ctx, do)
		if err == nil || attempt == maxAttempts || !isRetryable(err) || ctx.Err() != nil {
			return err
		}
	}
}

func (e *engine) write(ctx context.Context, do func(ctx context.Context, tx store.Conn) error) error {
	conn, err := e.pool.take(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.ReadCommitted})
	if err != nil {
		return classify(ctx, err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // does nothing after a commit
	if err := do(ctx, transaction{tx}); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return classify(ctx, err)
	}
	err = tx.Commit(ctx)
	if errors.Is(err, pgx.ErrTxCommitRollback) {
		return backoffice.Fault(errors.New("a failed transaction was to be committed"), "writing to the store")
	}
	return classify(ctx, err)
}

// Snapshot implements store.Engine.
func (e *engine) Snapshot(ctx context.Context, do func(ctx context.Context, reads store.Conn) error) error {
	conn, err := e.pool.take(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return classify(ctx, err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	return do(ctx, transaction{tx})
}

// Ping implements store.Engine.
func (e *engine) Ping(ctx context.Context) error {
	return e.pool.Query(ctx, "SELECT 1", nil, func(*store.Row) error { return nil })
}

// Close implements store.Engine.
func (e *engine) Close() error {
	e.pool.closed.Store(true)
	e.pool.pool.Close()
	return nil
}
