package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"

	"example.org/backoffice/store"
)

// conn is a connection with its prepared statements. One caller uses it at a time. It asks the driver itself: database/sql
// opens and closes the connections, and its conversion of every value would cost more than the driver's work.
type conn struct {
	sql *sql.Conn
	// Statements that were used lately, and those from before. When the young are too many the old go.
	young, old map[string]driver.Stmt
	broken     bool // of no more use
	running    running
	health     *health

	row    store.Row
	values []driver.Value
	args   []driver.NamedValue
}

const maxPrepared = 256

// with runs do with the prepared statement. Whatever panics in it leaves the connection broken.
func (c *conn) with(text string, do func(driver.Stmt) error) error {
	c.broken = true
	err := c.sql.Raw(func(raw any) error {
		statement, err := c.prepared(raw, text)
		if err != nil {
			return err
		}
		return do(statement)
	})
	c.broken = errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone)
	return err
}

func (c *conn) prepared(raw any, text string) (driver.Stmt, error) {
	if known := c.young[text]; known != nil {
		return known, nil
	}
	statement := c.old[text]
	if statement != nil {
		delete(c.old, text)
	} else {
		var err error
		if statement, err = raw.(driver.ConnPrepareContext).PrepareContext(background, text); err != nil {
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

// background is what the driver is given: for a context that can end it starts a goroutine with each statement, which
// looks until the first row only. The watchdog looks at our own, and until the last.
var background = context.Background()

// Query implements store.Conn.
func (c *conn) Query(ctx context.Context, text string, args []any, each func(*store.Row) error) error {
	if err := c.running.begin(ctx); err != nil {
		return classify(ctx, err)
	}
	defer c.running.end()
	var refused error
	err := c.with(text, func(statement driver.Stmt) error {
		rows, err := statement.(driver.StmtQueryContext).QueryContext(background, c.named(args))
		if err != nil {
			return err
		}
		refused, err = c.read(rows, each)
		return errors.Join(err, rows.Close())
	})
	if refused != nil {
		return refused
	}
	return c.classified(ctx, err)
}

// read hands the rows over until each refuses one.
func (c *conn) read(rows driver.Rows, each func(*store.Row) error) (refused, err error) {
	columns := len(rows.Columns())
	for len(c.values) < columns {
		c.values = append(c.values, nil)
	}
	values := c.values[:columns]
	c.row.SetValues(values)
	for {
		switch err := rows.Next(values); {
		case errors.Is(err, io.EOF):
			return nil, nil
		case err != nil:
			return nil, err
		}
		if refused := each(&c.row); refused != nil {
			return refused, nil
		}
	}
}

// Exec implements store.Conn.
func (c *conn) Exec(ctx context.Context, text string, args []any) (changed int64, err error) {
	if err := c.running.begin(ctx); err != nil {
		return 0, classify(ctx, err)
	}
	defer c.running.end()
	err = c.with(text, func(statement driver.Stmt) error {
		result, err := statement.(driver.StmtExecContext).ExecContext(background, c.named(args))
		if err == nil {
			changed, err = result.RowsAffected()
		}
		return err
	})
	return changed, c.classified(ctx, err)
}

func (c *conn) classified(ctx context.Context, err error) error {
	ours := classify(ctx, err)
	if err != nil {
		c.health.note(code(err), ours)
	}
	return ours
}

// close lets go of the connection and its statements: one that is left open would keep the database open, and its log on
// the disk.
func (c *conn) close() {
	c.running.close()
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
