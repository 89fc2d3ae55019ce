package postgres

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"example.org/backoffice/store"
)

// runner is a pgx connection or transaction.
type runner interface {
	Query(ctx context.Context, text string, args ...any) (pgx.Rows, error)
	Exec(ctx context.Context, text string, args ...any) (pgconn.CommandTag, error)
}

// scan hands the rows over, decoded as they are needed.
func scan(rows pgx.Rows, each func(*store.Row) error) error {
	defer rows.Close()
	var row store.Row
	var formats []int16
	for rows.Next() {
		if formats == nil {
			fields := rows.FieldDescriptions()
			formats = make([]int16, len(fields))
			for i := range fields {
				formats[i] = fields[i].Format
			}
		}
		row.SetRaw(rows.RawValues(), formats)
		if err := each(&row); err != nil {
			return err
		}
	}
	return rows.Err()
}

func query(ctx context.Context, on runner, text string, args []any, each func(*store.Row) error) error {
	rows, err := on.Query(ctx, text, args...)
	if err != nil {
		return classify(ctx, err)
	}
	var failed error
	err = scan(rows, func(row *store.Row) error { failed = each(row); return failed })
	if failed != nil {
		return failed
	}
	return classify(ctx, err)
}

func exec(ctx context.Context, on runner, text string, args []any) (int64, error) {
	tag, err := on.Exec(ctx, text, args...)
	return tag.RowsAffected(), classify(ctx, err)
}

// transaction runs statements inside one.
type transaction struct{ tx pgx.Tx }

// Query implements store.Conn.
func (t transaction) Query(ctx context.Context, text string, args []any, each func(*store.Row) error) error {
	return query(ctx, t.tx, text, args, each)
}

// Exec implements store.Conn.
func (t transaction) Exec(ctx context.Context, text string, args []any) (int64, error) {
	return exec(ctx, t.tx, text, args)
}

// connections runs each statement on any connection of the pool.
type connections struct {
	pool   *pgxpool.Pool
	wait   time.Duration
	closed atomic.Bool
}

var errClosed = errors.New("the store is closed")

// take waits for a connection, but not for ever: when all are busy for long the store is Unavailable.
func (c *connections) take(ctx context.Context) (*pgxpool.Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, classify(ctx, err)
	}
	waiting, cancel := context.WithTimeout(ctx, c.wait)
	defer cancel()
	conn, err := c.pool.Acquire(waiting)
	switch {
	case err == nil:
		return conn, nil
	case c.closed.Load():
		return nil, unavailable(errClosed)
	case errors.Is(ctx.Err(), context.Canceled):
		return nil, classify(ctx, err)
	case waiting.Err() != nil:
		return nil, unavailable(errors.New("no connection to PostgreSQL was free in time"))
	}
	return nil, classify(ctx, err)
}

// Query implements store.Conn.
func (c *connections) Query(ctx context.Context, text string, args []any, each func(*store.Row) error) error {
	conn, err := c.take(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	return query(ctx, conn.Conn(), text, args, each)
}

// Exec implements store.Conn.
func (c *connections) Exec(ctx context.Context, text string, args []any) (int64, error) {
	conn, err := c.take(ctx)
	if err != nil {
		return 0, err
	}
	defer conn.Release()
	return exec(ctx, conn.Conn(), text, args)
}
