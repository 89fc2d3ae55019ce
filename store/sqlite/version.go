package sqlite

import (
	"context"

	"example.org/backoffice/store"
)

// commits detects commits with a connection that never writes: SQLite tells each connection whether others have
// committed, in this process or another. Its number is meaningless on another connection.
type commits struct {
	pool *pool // of one connection
	on   *conn
	told int64 // SQLite's number, on that connection
	seen int64 // how often it changed
}

var _ store.Versioned = (*engine)(nil)

func (e *engine) DataVersion(ctx context.Context) (int64, error) {
	c := &e.commits
	on, err := c.pool.acquire(ctx) // the next holder sees what this one has recorded
	if err != nil {
		return 0, classify(ctx, err)
	}
	defer c.pool.release(on)
	var told int64
	read := &store.Statement{Text: "PRAGMA data_version",
		Each: func(row *store.Row) error { told = row.Int(0); return nil }}
	if err := read.Run(ctx, on); err != nil {
		return 0, err
	}
	if on.conn != c.on || told != c.told {
		c.on, c.told, c.seen = on.conn, told, c.seen+1
	}
	return c.seen, nil
}
