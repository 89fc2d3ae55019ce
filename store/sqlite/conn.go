package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"sync"

	"example.org/backoffice/store"
)

// conn is a connection with its prepared statements. One caller uses it at a time.
type conn struct {
	sql *sql.Conn
	// Statements that were used lately, and those from before. When the young are too many the old go.
	young, old map[string]*sql.Stmt
	row        store.Row
	values     []any
	targets    []any
}

const maxPrepared = 256

func (c *conn) prepared(ctx context.Context, text string) (*sql.Stmt, error) {
	if known := c.young[text]; known != nil {
		return known, nil
	}
	statement := c.old[text]
	if statement != nil {
		delete(c.old, text)
	} else {
		var err error
		if statement, err = c.sql.PrepareContext(ctx, text); err != nil {
			return nil, err
		}
	}
	if len(c.young) >= maxPrepared {
		for _, unused := range c.old {
			_ = unused.Close()
		}
		c.old, c.young = c.young, make(map[string]*sql.Stmt, maxPrepared)
	}
	c.young[text] = statement
	return statement, nil
}

// Query implements store.Conn.
func (c *conn) Query(ctx context.Context, text string, args []any, each func(*store.Row) error) error {
	statement, err := c.prepared(ctx, text)
	if err != nil {
		return classify(ctx, err)
	}
	rows, err := statement.QueryContext(ctx, args...)
	if err != nil {
		return classify(ctx, err)
	}
	columns, err := rows.Columns()
	if err != nil {
		return classify(ctx, errors.Join(err, rows.Close()))
	}
	for len(c.values) < len(columns) {
		c.values = append(c.values, nil)
		c.targets = c.targets[:0]
	}
	if len(c.targets) == 0 {
		for i := range c.values {
			c.targets = append(c.targets, &c.values[i])
		}
	}
	c.row.SetValues(c.values)
	targets := c.targets[:len(columns)]
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return classify(ctx, errors.Join(err, rows.Close()))
		}
		if err := each(&c.row); err != nil {
			_ = rows.Close()
			return err
		}
	}
	err = rows.Err()
	return classify(ctx, errors.Join(err, rows.Close()))
}

// Exec implements store.Conn.
func (c *conn) Exec(ctx context.Context, text string, args []any) (int64, error) {
	statement, err := c.prepared(ctx, text)
	if err != nil {
		return 0, classify(ctx, err)
	}
	result, err := statement.ExecContext(ctx, args...)
	if err != nil {
		return 0, classify(ctx, err)
	}
	changed, err := result.RowsAffected()
	return changed, classify(ctx, err)
}

// close lets go of the connection and its statements: one that is left open would keep the database open, and its log on
// the disk.
func (c *conn) close() {
	for _, statements := range []map[string]*sql.Stmt{c.young, c.old} {
		for _, statement := range statements {
			_ = statement.Close()
		}
	}
	_ = c.sql.Close()
}

// pool hands out connections, the one that was used last first: its pages are in its cache.
type pool struct {
	db    *sql.DB
	slots chan struct{}
	mu    sync.Mutex
	idle  []*conn
	ended bool
}

func newPool(db *sql.DB, size int) *pool {
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	return &pool{db: db, slots: make(chan struct{}, size)}
}

// take waits for a connection.
func (p *pool) take(ctx context.Context) (*conn, error) {
	select {
	case p.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	p.mu.Lock()
	if p.ended {
		p.mu.Unlock()
		<-p.slots
		return nil, errClosed
	}
	if last := len(p.idle) - 1; last >= 0 {
		c := p.idle[last]
		p.idle = p.idle[:last]
		p.mu.Unlock()
		return c, nil
	}
	p.mu.Unlock()
	opened, err := p.db.Conn(ctx)
	if err != nil {
		<-p.slots
		return nil, err
	}
	return &conn{sql: opened, young: map[string]*sql.Stmt{}}, nil
}

// give takes a connection back.
func (p *pool) give(c *conn) {
	p.mu.Lock()
	if p.ended {
		c.close()
	} else {
		p.idle = append(p.idle, c)
	}
	p.mu.Unlock()
	<-p.slots
}

// end closes what is idle, and what comes back from now on.
func (p *pool) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	for _, c := range p.idle {
		c.close()
	}
	p.idle = nil
}

// Query implements store.Conn on any connection of the pool.
func (p *pool) Query(ctx context.Context, text string, args []any, each func(*store.Row) error) error {
	c, err := p.take(ctx)
	if err != nil {
		return classify(ctx, err)
	}
	defer p.give(c)
	return c.Query(ctx, text, args, each)
}

// Exec implements store.Conn on any connection of the pool.
func (p *pool) Exec(ctx context.Context, text string, args []any) (int64, error) {
	c, err := p.take(ctx)
	if err != nil {
		return 0, classify(ctx, err)
	}
	defer p.give(c)
	return c.Exec(ctx, text, args)
}
