package sqlite

import (
	"context"
	"sync"

	"example.org/backoffice/store"
)

// commits detects commits with a connection that never writes: SQLite tells each connection whether others have
// committed, in this process or another. Its number is meaningless on another connection.
type commits struct {
	pool *pool // of one connection
	mu   sync.Mutex
	on   *lease // nil before the first poll, and after one that failed
	told int64  // SQLite's number, on that connection
	seen int64  // how often it changed
}

var _ store.Versioned = (*engine)(nil)

func (e *engine) DataVersion(ctx context.Context) (int64, error) {
	c := &e.commits
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.on == nil {
		on, err := c.pool.acquire(ctx)
		if err != nil {
			return 0, classify(ctx, err)
		}
		c.on, c.seen = on, c.seen+1
	}
	var told int64
	read := &store.Statement{Text: "PRAGMA data_version",
		Each: func(row *store.Row) error { told = row.Int(0); return nil }}
	if err := read.Run(ctx, c.on); err != nil {
		c.release()
		return 0, err
	}
	if told != c.told {
		c.told, c.seen = told, c.seen+1
	}
	return c.seen, nil
}

// release is called under mu.
func (c *commits) release() {
	if c.on != nil {
		c.pool.release(c.on)
		c.on = nil
	}
}
