package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"sync"
	"time"

	"example.org/backoffice/store"
)

// conn is a connection with its prepared statements. One caller uses it at a time. It asks the driver itself: database/sql
// opens and closes the connections, and its conversion of every value would cost more than the driver's work.
type conn struct {
	sql *sql.Conn
	// Statements that were used lately, and those from before. When the young are too many the old go.
	young, old map[string]driver.Stmt
	broken     bool // of no more use

	row    store.Row
	values []driver.Value
	args   []driver.NamedValue
}

const maxPrepared = 256

// with runs do with the prepared statement. Whatever panics in it leaves the connection broken.
func (c *conn) with(ctx context.Context, text string, do func(driver.Stmt) error) error {
	c.broken = true
	err := c.sql.Raw(func(raw any) error {
		statement, err := c.prepared(ctx, raw, text)
		if err != nil {
			return err
		}
		return do(statement)
	})
	c.broken = errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone)
	return err
}

func (c *conn) prepared(ctx context.Context, raw any, text string) (driver.Stmt, error) {
	if known := c.young[text]; known != nil {
		return known, nil
	}
	statement := c.old[text]
	if statement != nil {
		delete(c.old, text)
	} else {
		var err error
		if statement, err = raw.(driver.ConnPrepareContext).PrepareContext(ctx, text); err != nil {
			return nil, err
		}
	}
	if len(c.young) >= maxPrepared {
		for _, unused := range c.old {
			_ = unused.Close()
		}
		c.old, c.young = c.young, make(map[string]driver.Stmt, maxPrepared)
	}
	c.young[text] = statement
	return statement, nil
}

// named puts the arguments in the driver's form, which holds until the next call.
func (c *conn) named(args []any) []driver.NamedValue {
	c.args = c.args[:0]
	for i, arg := range args {
		c.args = append(c.args, driver.NamedValue{Ordinal: i + 1, Value: arg})
	}
	return c.args
}

// Query implements store.Conn.
func (c *conn) Query(ctx context.Context, text string, args []any, each func(*store.Row) error) error {
	var refused error
	err := c.with(ctx, text, func(statement driver.Stmt) error {
		rows, err := statement.(driver.StmtQueryContext).QueryContext(ctx, c.named(args))
		if err != nil {
			return err
		}
		refused, err = c.read(ctx, rows, each)
		return errors.Join(err, rows.Close())
	})
	if refused != nil {
		return refused
	}
	return classify(ctx, err)
}

// read hands the rows over until each refuses one.
func (c *conn) read(ctx context.Context, rows driver.Rows, each func(*store.Row) error) (refused, err error) {
	columns := len(rows.Columns())
	for len(c.values) < columns {
		c.values = append(c.values, nil)
	}
	values := c.values[:columns]
	c.row.SetValues(values)
	for n := 1; ; n++ {
		switch err := rows.Next(values); {
		case err == io.EOF:
			return nil, nil
		case err != nil:
			return nil, err
		}
		if refused := each(&c.row); refused != nil {
			return refused, nil
		}
		if n%64 == 0 && ctx.Err() != nil { // the driver looks at the context before the first row only
			return nil, ctx.Err()
		}
	}
}

// Exec implements store.Conn.
func (c *conn) Exec(ctx context.Context, text string, args []any) (changed int64, err error) {
	err = c.with(ctx, text, func(statement driver.Stmt) error {
		result, err := statement.(driver.StmtExecContext).ExecContext(ctx, c.named(args))
		if err == nil {
			changed, err = result.RowsAffected()
		}
		return err
	})
	return changed, classify(ctx, err)
}

// close lets go of the connection and its statements: one that is left open would keep the database open, and its log on
// the disk.
func (c *conn) close() {
	_ = c.sql.Raw(func(any) error {
		for _, statements := range []map[string]driver.Stmt{c.young, c.old} {
			for _, statement := range statements {
				_ = statement.Close()
			}
		}
		return nil
	})
	_ = c.sql.Close()
}

// pool hands out connections, the one that was used last first: its pages are in its cache.
type pool struct {
	db    *sql.DB
	slots chan struct{}
	limit time.Duration // of a statement that reads; 0 is none
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
	return &conn{sql: opened, young: map[string]driver.Stmt{}}, nil
}

// give takes a connection back.
func (p *pool) give(c *conn) {
	p.mu.Lock()
	if p.ended || c.broken {
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
	if p.limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, p.limit)
		defer cancel()
	}
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
